//! Windows: dropped once past their retention, on all shards, and the time to live of their keys.

use board::Keep;

use super::*;
use crate::boards::fixtures::gifts::day;
use crate::boards::retention::{LINGER, gone_at};

#[tokio::test]
async fn a_window_is_due_whatever_was_known_of_the_board_before() {
    let room = SweptBoard::new(vec![day()]).await;
    let (incarnations, board) = (&room.opened.incarnations, &room.record.board);
    let day_of = |at| Calendar::utc().span_at(Period::Day, at).window;
    room.put_members(0, day_of(now().plus(DAY * 3)));
    // Known: due a minute after its creation. Then it is visited, and due a day later.
    incarnations
        .place_to_write(board, 0, &room.kind, now())
        .await
        .unwrap();
    let later = now().plus(DAY);
    room.sweep.drop_expired(later).await.unwrap();
    room.put_members(1, today());
    incarnations
        .opened(board, &room.kind, &[today()], later)
        .await;
    let gone = gone_at(&room.kind, today()).unwrap();
    assert!(gone < later.plus(DAY));
    room.sweep.drop_expired(gone).await.unwrap();
    assert!(!room.holds(1, today()));
}

#[tokio::test]
async fn a_window_that_a_sweep_may_have_missed_is_due_when_its_claim_ends() {
    let room = SweptBoard::new(vec![day()]).await;
    room.put_members(1, today());
    let gone = gone_at(&room.kind, today()).unwrap();
    let registry = &room.opened.registry;
    let claimed = registry.take_due(gone.minus(LINGER * 2), 10).await.unwrap();
    room.opened
        .incarnations
        .opened(&room.record.board, &room.kind, &[today()], now())
        .await;
    // The sweep has seen nothing that is dropped before tomorrow.
    let next = [(&claimed.boards[0], Some(gone.plus(DAY)))];
    registry.set_due(&claimed, &next).await.unwrap();
    room.sweep.drop_expired(gone.plus(LINGER)).await.unwrap();
    assert!(!room.holds(1, today()));
}

#[tokio::test]
async fn the_expiry_of_keys_follows_the_current_kind() {
    let room = SweptBoard::new(vec![day()]).await;
    room.put_members(1, today());
    let keys = ShardKeys::new(&room.record.board, 1);
    for key in [keys.rank(today()), keys.scores(today())] {
        room.opened
            .redis
            .command(&[b"PEXPIRE", &key[..], b"100000"]);
    }
    let longer = WindowRule {
        keep: Keep::After(DAY * 300),
        ..day()
    };
    let forever = WindowRule {
        keep: Keep::Forever,
        ..day()
    };
    for (revision, rule, least) in [(1, longer, 200 * 86_400_000), (2, forever, -1)] {
        let kind = Arc::new(gifts(vec![rule]));
        let put = room
            .opened
            .registry
            .put_kind(kind, Revision(revision), false);
        put.await.unwrap();
        room.sweep.drop_expired(now()).await.unwrap();
        for key in [keys.rank(today()), keys.scores(today())] {
            let left = room.opened.redis.command(&[b"PTTL", &key[..]]).integer();
            assert!(left == least || least > 0 && left > least, "{left} ms");
        }
    }
}

#[tokio::test]
async fn a_time_to_live_that_is_right_is_not_written_again() {
    let hours = |days: u32| WindowRule {
        keep: Keep::After(DAY * days),
        ..WindowRule::with_defaults(Period::Hour)
    };
    let room = SweptBoard::new(vec![hours(40)]).await;
    let windows: Vec<Window> = (0..40)
        .map(|hour| {
            let at = now().minus(Duration::from_hours(hour));
            Calendar::utc().span_at(Period::Hour, at).window
        })
        .collect();
    for shard in room.shards() {
        for window in &windows {
            room.put_members(shard, *window);
        }
    }
    let keys = 40 * 2 * i64::from(room.record.board.shards.get());
    let visit = async |kind: &Arc<Kind>, at: Timestamp| {
        let name = &room.record.board.name;
        room.sweep.visit(name, kind, at).await.unwrap().unwrap();
        (room.calls("pexpire"), room.calls("persist"))
    };
    // They were created without a time to live: each gets its own, once.
    assert_eq!(visit(&room.kind, now()).await, (keys, 0));
    for minutes in [0, 1, 30] {
        let at = now().plus(Duration::from_mins(minutes));
        assert_eq!(visit(&room.kind, at).await, (keys, 0));
    }
    // A longer retention, an unlimited one, and days again are each written once.
    let longer = Arc::new(gifts(vec![hours(41)]));
    let forever = Arc::new(gifts(vec![WindowRule {
        keep: Keep::Forever,
        ..hours(1)
    }]));
    for (kind, calls) in [
        (&longer, (2 * keys, 0)),
        (&forever, (2 * keys, keys)),
        (&longer, (3 * keys, keys)),
    ] {
        for _ in 0..2 {
            assert_eq!(visit(kind, now()).await, calls);
        }
    }
}
