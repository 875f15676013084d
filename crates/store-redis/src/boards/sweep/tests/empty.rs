//! Boards that hold nothing: frozen while their end is decided.

use board::{Activity, ShardCount};
use bytes::Bytes;
use redis_nodes::registry_key;

use super::*;
use crate::boards::fixtures::gifts::day;
use crate::boards::retention::LINGER;
use crate::boards::shards::{Freeze, Spent};
use shard_store::BoardSettings;

#[tokio::test]
async fn a_shard_that_holds_something_is_not_frozen() {
    let room = SweptBoard::new(vec![week_of_idleness()]).await;
    let shards = room.sweep.shards(&room.record);
    let (mine, other) = (Bytes::from_static(b"mine"), Bytes::from_static(b"other"));
    let seen = shards.survey(0).await.unwrap();
    let freeze = async |token, idle| {
        let spent = if idle {
            Spent::IdleWindow(&seen)
        } else {
            Spent::Nothing(&seen)
        };
        shards.freeze(0, token, spent, Freeze::SHORT).await.unwrap()
    };
    assert!(freeze(&mine, false).await);
    let ends: i64 = room.meta(0, "f").unwrap()["mine ".len()..].parse().unwrap();
    assert!(ends > 0 && freeze(&mine, false).await, "sent again");
    shards.thaw(0, &other, None).await.unwrap();
    assert!(room.meta(0, "f").is_some());
    shards.thaw(0, &mine, None).await.unwrap();
    assert_eq!(room.meta(0, "f"), None);
    room.set_meta(0, "v:all", "7 00000000000000aa 3");
    assert!(!freeze(&mine, false).await, "it has a window");
    assert!(freeze(&mine, true).await, "an idle board's, empty");
    shards.thaw(0, &mine, None).await.unwrap();
    room.put_members(0, Window::ALL_TIME);
    assert!(!freeze(&mine, true).await, "not empty");
    let empty = shards.survey(1).await.unwrap();
    room.set_meta(1, "g", "0 5");
    let spent = Spent::IdleWindow(&empty);
    let frozen = shards.freeze(1, &mine, spent, Freeze::SHORT).await.unwrap();
    assert!(!frozen, "an id is new");
    room.set_meta(0, "w", "5");
    for (bound, expected) in [(4, false), (5, true)] {
        let spent = Spent::UnwrittenSince(Timestamp::from_millis(bound));
        let frozen = shards.freeze(0, &mine, spent, Freeze::SHORT).await.unwrap();
        assert_eq!(frozen, expected, "written at 5, up to {bound}");
    }
}

#[tokio::test]
async fn a_freeze_that_ended_is_taken_back_if_the_board_exists() {
    let room = SweptBoard::new(vec![day()]).await;
    let board = &room.record.board;
    room.set_meta(0, "f", "somebody 9999999999999");
    room.opened.incarnations.thaw(board, 0).await.unwrap();
    assert!(room.meta(0, "f").is_some(), "it has not ended");
    room.set_meta(0, "f", "somebody 1");
    room.opened.incarnations.thaw(board, 0).await.unwrap();
    assert_eq!(room.meta(0, "f"), None);
    room.set_meta(0, "f", "somebody 1");
    room.opened
        .registry
        .delete_board(&board.name)
        .await
        .unwrap();
    let dead = room.opened.incarnations.thaw(board, 0).await;
    assert_eq!(dead, Err(StoreError::IncarnationEnded));
    assert!(room.meta(0, "f").is_some());
}

#[tokio::test]
async fn a_change_that_was_left_undecided_is_settled_by_the_sweep() {
    let room = SweptBoard::new(vec![WindowRule::with_defaults(Period::All)]).await;
    for shard in [0, 2] {
        room.set_meta(shard, "a", "?");
        room.set_meta(shard, "f", "somebody 1");
    }
    room.sweep.drop_expired(now().plus(LINGER)).await.unwrap();
    assert!(!room.is_there().await);
}

#[tokio::test]
async fn a_board_whose_activity_was_changed_meanwhile_is_kept() {
    let room = SweptBoard::new(vec![WindowRule::with_defaults(Period::All)]).await;
    let (registry, board) = (&room.opened.registry, &room.record.board);
    let ends = Activity::new(None, Some(now().plus(DAY)), None).unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    let changed = registry.change_activity(board, ends, until).await.unwrap();
    let ended = registry
        .end_incarnation(&room.record, true, None, until)
        .await;
    assert!(!ended.unwrap());
    let ended = registry
        .end_incarnation(&room.record, false, None, until)
        .await;
    assert!(!ended.unwrap());
    assert!(room.is_there().await);
    let ended = registry.end_incarnation(&changed, true, None, until).await;
    assert!(ended.unwrap());
    assert!(!room.is_there().await);
}

#[tokio::test]
async fn two_servers_sweep_each_board_once() {
    let room = SweptBoard::new(vec![WindowRule::with_defaults(Period::All)]).await;
    let kind = room.opened.registry.kind(room.kind.name()).await;
    let kind = kind.unwrap().unwrap();
    for number in 0..300 {
        let name = format!("gifts/{number}").parse().unwrap();
        room.opened
            .registry
            .create_board(&name, &kind, None, now())
            .await
            .unwrap();
    }
    let opened = &room.opened;
    let another = Parts::over(opened.servers.clone(), &opened.settings).unwrap();
    let other = Sweep::new(&another, Refills::new(&another));
    let later = now().plus(LINGER);
    let (one, two) = tokio::join!(room.sweep.drop_expired(later), other.drop_expired(later));
    one.and(two).unwrap();
    let boards = room
        .opened
        .registry
        .boards(&kind.name, "", None, 1_000)
        .await;
    assert_eq!(boards.unwrap(), []);
    assert!(!room.opened.exists(&registry_key("due")));
    assert!(!room.opened.exists(&registry_key("dying")));
}

#[tokio::test]
async fn a_board_without_a_successful_write_ends_and_its_settings_stay() {
    let room = SweptBoard::new(vec![WindowRule::with_defaults(Period::All)]).await;
    let registry = &room.opened.registry;
    let kind = registry.kind(room.kind.name()).await.unwrap().unwrap();
    let battle = Activity::new(Some(now()), Some(now().plus(DAY * 10)), None).unwrap();
    let later = now().plus(LINGER * 5);
    let mut settled = Vec::new();
    for (name, activity) in [("gifts/wide", Activity::ALWAYS), ("gifts/battle", battle)] {
        let name: BoardName = name.parse().unwrap();
        let settings = BoardSettings {
            shards: ShardCount::new(8).unwrap(),
            activity,
        };
        let record = registry.put_settings(&name, &kind, settings, now()).await;
        let seen = Some(record.unwrap().board.incarnation);
        registry
            .create_board(&name, &kind, seen, later)
            .await
            .unwrap();
        settled.push((name, settings));
    }
    let listed = async || {
        let listed = registry.boards(&kind.name, "", None, 10).await;
        listed.unwrap().len()
    };
    let end = later.plus(LINGER);
    room.sweep
        .drop_expired(end.minus(Duration::from_millis(1)))
        .await
        .unwrap();
    assert_eq!(listed().await, 2);
    room.sweep.drop_expired(end).await.unwrap();
    assert_eq!(listed().await, 0);
    for (name, settings) in settled {
        let left = registry.board(&name).await.unwrap().unwrap();
        let board = &left.board;
        assert_eq!(
            (board.shards, board.activity),
            (settings.shards, settings.activity)
        );
        assert_eq!((board.created, left.at), (false, now()));
    }
}
