//! Windows expire by the calendar, and a dropped window stays closed, even if a clock is set back.

use board::{Period, Timestamp, Window, WindowRule};
use shard_store::{Item, ItemRejected, Outcome};

use crate::conformance::fixtures::{Board, DAY, HOUR, NOW, OpenStore, gifts, kept, member, window};

const APPLIED: Outcome = Outcome::Applied(Vec::new());

fn today() -> Window {
    window(Period::Day, NOW)
}

/// The midnight after [`NOW`], plus the day of `keep`.
fn gone_at() -> Timestamp {
    today().start().plus(DAY * 2)
}

fn daily(more: &[WindowRule]) -> board::Kind {
    let mut windows = vec![kept(Period::Day, DAY)];
    windows.extend(more);
    gifts(|spec| {
        spec.windows = windows;
        spec.shards = 4;
        spec.dedupe = HOUR;
    })
}

/// Returns a member of every shard.
fn one_each(board: &Board) -> Vec<board::Member> {
    board
        .shards()
        .map(|shard| board.members_of(shard, 1).remove(0))
        .collect()
}

pub async fn a_window_is_dropped_at_its_retention(store: OpenStore) {
    let forever = WindowRule::with_defaults(Period::All);
    let board = store.fresh(daily(&[forever]), "room-1").await;
    for count in [1, 300] {
        let members = board
            .shards()
            .flat_map(|shard| board.members_of(shard, count));
        let items: Vec<_> = members
            .map(|member| board.points(&member, 1, NOW))
            .collect();
        board.apply(&items, NOW).await;
    }
    let last = gone_at().minus(std::time::Duration::from_millis(1));
    store.drop_expired(last).await.unwrap();
    assert_eq!(board.members(today()).await, 1200);
    store.drop_expired(gone_at()).await.unwrap();
    assert!(board.is_dropped(today()).await);
    assert_eq!(board.members(Window::ALL_TIME).await, 1200);
    for shard in board.shards() {
        let windows = store.windows(&board.record, shard).await.unwrap();
        assert_eq!(windows.len(), 1);
        assert_eq!(windows[0].window, Window::ALL_TIME);
    }
    board.verify().await;
}

pub async fn a_clock_set_back_reopens_no_window(store: OpenStore) {
    let forever = WindowRule::with_defaults(Period::All);
    let board = store.fresh(daily(&[forever]), "room-1").await;
    let u1 = member("u1");
    let late: Item = board.points(&u1, 1, NOW);
    board.apply(std::slice::from_ref(&late), NOW).await;
    store.drop_expired(gone_at()).await.unwrap();
    // According to this clock the day is open: the contribution counts only in the all-time window.
    assert_eq!(late.windows.len(), 2);
    let outcomes = board
        .try_apply(std::slice::from_ref(&late), NOW, true)
        .await
        .unwrap();
    let Outcome::Applied(standings) = &outcomes[0] else {
        panic!("{outcomes:?}")
    };
    assert_eq!(standings.len(), 1);
    assert_eq!(standings[0].window, Window::ALL_TIME);
    assert!(board.is_dropped(today()).await);
    assert_eq!(board.points_of(Window::ALL_TIME, &u1).await, Some(2));
    let only_day = Item {
        windows: [today()].into(),
        ..board.points_by_id(&u1, 1, "evt-1", NOW)
    };
    let refused = board.apply(std::slice::from_ref(&only_day), NOW).await;
    assert_eq!(
        refused,
        [Outcome::Rejected(ItemRejected::WindowClosed(NOW))]
    );
    // The rejected contribution has left no id: with an open window it counts.
    let open = Item {
        windows: late.windows.clone(),
        ..only_day
    };
    assert_eq!(board.apply(&[open], NOW).await, [APPLIED]);
    let tomorrow = gone_at().minus(DAY);
    assert_eq!(
        board
            .apply(&[board.points(&u1, 1, tomorrow)], tomorrow)
            .await,
        [APPLIED]
    );
    assert_eq!(board.members(window(Period::Day, tomorrow)).await, 1);
}

pub async fn a_window_dropped_on_one_shard_is_closed_on_all(store: OpenStore) {
    let board = store
        .fresh(daily(&[kept(Period::Month, DAY * 40)]), "room-1")
        .await;
    let members = board
        .shards()
        .flat_map(|shard| board.members_of(shard, 200));
    let yesterday = NOW.minus(DAY);
    let items: Vec<_> = members
        .map(|member| board.points(&member, 1, yesterday))
        .collect();
    board.apply(&items, NOW).await;
    // Today only one shard has a standing.
    let first = board.members_of(0, 1).remove(0);
    board.apply(&[board.points(&first, 1, NOW)], NOW).await;
    store.drop_expired(gone_at()).await.unwrap();
    for member in one_each(&board) {
        let item = Item {
            windows: [today()].into(),
            ..board.points(&member, 1, NOW)
        };
        let refused = board.apply(&[item], NOW).await;
        assert_eq!(
            refused,
            [Outcome::Rejected(ItemRejected::WindowClosed(NOW))],
            "{member}"
        );
    }
    assert!(board.is_dropped(today()).await);
}
