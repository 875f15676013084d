//! The idle time applies to the whole board: it is deleted on all shards or on none.

use board::{Activity, Kind, Period, Window, WindowRule};
use shard_store::{Change, Outcome, StoreError};

use crate::conformance::fixtures::{
    Board, DAY, HOUR, NOW, OpenStore, board_name, gifts, idle, kept, member, window,
};

const ALL: Window = Window::ALL_TIME;

fn idle_after_a_week(more: &[WindowRule]) -> Kind {
    let mut windows = vec![idle(DAY * 7)];
    windows.extend(more);
    gifts(|spec| spec.windows = windows)
}

async fn fill(board: &Board, members: i64, now: board::Timestamp) {
    let items: Vec<_> = (0..members)
        .map(|number| board.points_by_id(&member(&format!("u{number}")), 1, "evt-1", now))
        .collect();
    board.apply(&items, now).await;
}

pub async fn an_idle_board_is_deleted_on_all_shards(store: OpenStore) {
    let kind = store.kind(idle_after_a_week(&[])).await;
    for (subject, members) in [("small", 5), ("large", 1500)] {
        let board = store.created(&kind, subject, NOW).await;
        fill(&board, members, NOW).await;
        store.drop_expired(NOW.plus(DAY * 6)).await.unwrap();
        assert_eq!(board.members(ALL).await, members.unsigned_abs());
        // A store may extend a board's time with a delay, by at most an eighth of it.
        store.drop_expired(NOW.plus(DAY * 8)).await.unwrap();
        assert_eq!(
            store.board(&board.record.name).await.unwrap(),
            None,
            "{subject}"
        );
        let listed = store.boards(&kind.name, "", None, 10).await.unwrap();
        assert_eq!(listed, []);
        let item = board.points(&member("u1"), 1, NOW);
        let refused = board.try_apply(&[item], NOW, false).await;
        assert_eq!(refused, Err(StoreError::IncarnationEnded));
        let recreated = store.created(&kind, subject, NOW.plus(DAY * 8)).await;
        assert_ne!(recreated.record.incarnation, board.record.incarnation);
        assert_eq!(recreated.members(ALL).await, 0);
        store
            .delete_board(&recreated.record.name, NOW)
            .await
            .unwrap();
    }
}

pub async fn a_write_to_one_shard_keeps_all_shards(store: OpenStore) {
    let board = store.fresh(idle_after_a_week(&[]), "room-1").await;
    fill(&board, 1500, NOW).await;
    let writer = member("u7");
    let mut now = NOW;
    for _ in 0..10 {
        now = now.plus(DAY * 5);
        board.apply(&[board.points(&writer, 1, now)], now).await;
        store.drop_expired(now.plus(DAY)).await.unwrap();
        assert_eq!(board.members(ALL).await, 1500);
    }
    store.drop_expired(now.plus(DAY * 8)).await.unwrap();
    let there = store.board(&board.record.name).await.unwrap();
    assert_eq!(there, None);
}

pub async fn an_idle_window_is_dropped_and_its_version_increases(store: OpenStore) {
    let month = kept(Period::Month, DAY * 100);
    let kind = store.kind(idle_after_a_week(&[month])).await;
    for (subject, members) in [("small", 5), ("large", 1500)] {
        let board = store.created(&kind, subject, NOW).await;
        fill(&board, members, NOW).await;
        let before = board.version(ALL, 0).await;
        let later = NOW.plus(DAY * 16);
        store.drop_expired(later).await.unwrap();
        assert_eq!(board.members(ALL).await, 0);
        let month = board.members(window(Period::Month, NOW)).await;
        assert_eq!(month, members.unsigned_abs(), "the month has not expired");
        let gone = board.version(ALL, 0).await;
        assert!(gone.counter > before.counter, "{before:?} then {gone:?}");
        // It is dropped once, not in every sweep.
        store.drop_expired(later).await.unwrap();
        assert_eq!(board.version(ALL, 0).await, gone);
        for shard in board.shards() {
            let u = board.members_of(shard, 1).remove(0);
            board.apply(&[board.points(&u, 1, later)], later).await;
            assert_eq!(board.points_of(ALL, &u).await, Some(1));
        }
        let after = board.version(ALL, 0).await;
        assert!(after.counter > gone.counter, "{gone:?} then {after:?}");
        board.verify().await;
    }
}

pub async fn a_board_with_its_own_idle_time_is_deleted_with_all_windows(store: OpenStore) {
    let month = kept(Period::Month, DAY * 100);
    let unbounded = WindowRule::with_defaults(Period::All);
    let kind = gifts(|spec| spec.windows = vec![unbounded, month]);
    let kind = store.kind(kind).await;
    let week = Activity::ALWAYS.with_idle(Some(DAY * 7)).unwrap();
    for (subject, members) in [("small", 5), ("large", 1500)] {
        let board = store.settled(&kind, subject, week, NOW).await;
        assert_eq!(board.record.activity, week);
        let other = store.created(&kind, "other", NOW).await;
        fill(&board, members, NOW).await;
        fill(&other, 5, NOW).await;
        // A write to one shard keeps all of them.
        let later = NOW.plus(DAY * 5);
        board
            .apply(&[board.points(&member("u3"), 1, later)], later)
            .await;
        store.drop_expired(later.plus(DAY * 6)).await.unwrap();
        assert_eq!(board.members(ALL).await, members.unsigned_abs());
        board.verify().await;
        store.drop_expired(later.plus(DAY * 8)).await.unwrap();
        let there = store.board(&board.record.name).await.unwrap();
        assert_eq!(there, None, "{subject}");
        let item = board.points(&member("u1"), 1, NOW);
        let refused = board.try_apply(&[item], NOW, false).await;
        assert_eq!(refused, Err(StoreError::IncarnationEnded));
        // Its settings have gone with it.
        let again = store.created(&kind, subject, later.plus(DAY * 8)).await;
        assert_eq!(again.record.activity, Activity::ALWAYS);
        assert_eq!(again.members(ALL).await, 0);
        assert_eq!(other.members(ALL).await, 5);
        for board in [again, other] {
            store.delete_board(&board.record.name, NOW).await.unwrap();
        }
    }
}

pub async fn an_idle_time_may_be_given_later(store: OpenStore) {
    let board = store.fresh(gifts(|_| ()), "room-1").await;
    fill(&board, 5, NOW).await;
    let later = NOW.plus(DAY * 9);
    board
        .apply(&[board.points(&member("u1"), 1, later)], later)
        .await;
    let week = Activity::ALWAYS.with_idle(Some(DAY * 7)).unwrap();
    let changed = store.change_activity(&board.record, week, None).await;
    let board = Board {
        record: changed.unwrap(),
        ..board
    };
    // What was written before counts, though no writer has recorded it.
    store.drop_expired(later.plus(DAY)).await.unwrap();
    assert_eq!(board.members(ALL).await, 5);
    store.drop_expired(later.plus(DAY * 6)).await.unwrap();
    assert_eq!(board.members(ALL).await, 5);
    store.drop_expired(later.plus(DAY * 8)).await.unwrap();
    let there = store.board(&board.record.name).await.unwrap();
    assert_eq!(there, None);
}

pub async fn an_idle_board_is_kept_while_ids_are_remembered(store: OpenStore) {
    let kind = gifts(|spec| spec.dedupe = DAY * 7);
    let kind = store.kind(kind).await;
    let hour = Activity::ALWAYS.with_idle(Some(HOUR)).unwrap();
    let board = store.settled(&kind, "room-1", hour, NOW).await;
    fill(&board, 5, NOW).await;
    let later = NOW.plus(DAY * 6);
    store.drop_expired(later).await.unwrap();
    let again = board.points_by_id(&member("u1"), 1, "evt-1", later);
    let outcomes = board.apply(&[again], later).await;
    assert_eq!(outcomes, [Outcome::Duplicate(Vec::new())]);
}

pub async fn boards_without_an_idle_time_are_kept(store: OpenStore) {
    let board = store.fresh(gifts(|_| ()), "room-1").await;
    fill(&board, 5, NOW).await;
    for years in [1, 10, 100] {
        store
            .drop_expired(NOW.plus(DAY * 365 * years))
            .await
            .unwrap();
    }
    assert_eq!(board.members(ALL).await, 5);
    let there = store.board(&board.record.name).await.unwrap();
    assert_eq!(there, Some(board.record));
}

pub async fn a_board_is_deleted_with_its_last_window(store: OpenStore) {
    let kind = store
        .kind(gifts(|spec| spec.windows = vec![kept(Period::Day, DAY)]))
        .await;
    let board = store.created(&kind, "room-1", NOW).await;
    fill(&board, 5, NOW).await;
    let u0 = member("u0");
    board
        .apply(&[board.item(&u0, Change::Remove, NOW, NOW)], NOW)
        .await;
    store.drop_expired(NOW.plus(HOUR)).await.unwrap();
    assert_eq!(board.members(window(Period::Day, NOW)).await, 4);
    store.drop_expired(NOW.plus(DAY * 3)).await.unwrap();
    let name = board_name("gifts", "room-1");
    assert_eq!(store.board(&name).await.unwrap(), None);
}
