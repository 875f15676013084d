//! Idle boards: emptied whole, or not at all.

use super::*;
use crate::boards::fixtures::gifts::day;

#[tokio::test]
async fn a_writer_finishes_what_was_begun_to_be_emptied() {
    let room = SweptBoard::new(vec![week_of_idleness()]).await;
    for shard in [0, 3] {
        room.put_members(shard, Window::ALL_TIME);
    }
    let bound = now().plus(DAY);
    let begun = room.opened.registry.begin_emptying(&room.record, bound);
    assert!(begun.await.unwrap());
    let later = now().plus(DAY * 9);
    let board = &room.record.board;
    let placed = room
        .opened
        .incarnations
        .place_to_write(board, 3, &room.kind, later);
    placed.await.unwrap();
    for shard in [0, 3] {
        assert!(!room.holds(shard, Window::ALL_TIME));
        let version = room.meta(shard, "v:all").unwrap();
        let expected = format!("9 {} ", room.opened.session.name());
        assert!(version.starts_with(&expected), "{version}");
    }
    let record = room
        .opened
        .registry
        .board(&board.name)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((record.touched, record.emptying), (later, None));
    // The server that began it returns, and finds a shard that was written to since.
    room.put_members(3, Window::ALL_TIME);
    room.set_meta(3, "w", &later.millis().to_string());
    let shards = room.sweep.shards(&room.record);
    shards.empty_all(bound, &room.opened.session).await.unwrap();
    assert!(room.holds(3, Window::ALL_TIME));
    let begun = room.opened.registry.begin_emptying(&room.record, bound);
    assert!(!begun.await.unwrap(), "it was touched");
}

#[tokio::test]
async fn a_sweep_finishes_what_was_begun_to_be_emptied() {
    let room = SweptBoard::new(vec![week_of_idleness(), day()]).await;
    room.put_members(0, Window::ALL_TIME);
    let bound = now().plus(DAY);
    let begun = room.opened.registry.begin_emptying(&room.record, bound);
    assert!(begun.await.unwrap());
    room.put_members(1, today());
    room.sweep
        .drop_expired(now().plus(Duration::from_mins(2)))
        .await
        .unwrap();
    assert!(!room.holds(0, Window::ALL_TIME) && room.holds(1, today()));
    let record = room.opened.registry.board(&room.record.board.name).await;
    assert_eq!(record.unwrap().unwrap().emptying, None);
}

#[tokio::test]
async fn a_board_is_not_idle_while_writers_touch_it() {
    let room = SweptBoard::new(vec![week_of_idleness()]).await;
    room.put_members(0, Window::ALL_TIME);
    let (incarnations, board) = (&room.opened.incarnations, &room.record.board);
    let touched = async || {
        let found = room.opened.registry.board(&board.name).await.unwrap();
        found.unwrap().touched
    };
    // A touch is written after an eighth of the time at the earliest.
    let eighth = now().plus(DAY);
    let just_before = eighth.minus(Duration::from_millis(1));
    for (at, expected) in [
        (just_before, now()),
        (eighth, eighth),
        (just_before, eighth),
    ] {
        incarnations
            .place_to_write(board, 0, &room.kind, at)
            .await
            .unwrap();
        assert_eq!(touched().await, expected);
    }
    room.sweep.drop_expired(now().plus(DAY * 9)).await.unwrap();
    assert!(room.holds(0, Window::ALL_TIME));
    room.sweep.drop_expired(eighth.plus(DAY * 9)).await.unwrap();
    assert!(!room.is_there().await);
    let dead = incarnations
        .place_to_write(board, 0, &room.kind, eighth)
        .await;
    assert_eq!(dead, Err(StoreError::IncarnationEnded));
}
