//! A contribution's id counts once per member within the dedupe span, which starts when it is
//! applied.

use std::time::Duration;

use board::{Period, Value, Values, Window, WindowRule, limits::VALUE_MAX};
use shard_store::{Change, Item, ItemRejected, Outcome};

use crate::conformance::fixtures::{
    Board, DAY, HOUR, MINUTE, NOW, OpenStore, gifts, member, window,
};

const ALL: Window = Window::ALL_TIME;
const MS: Duration = Duration::from_millis(1);

const APPLIED: Outcome = Outcome::Applied(Vec::new());
const DUPLICATE: Outcome = Outcome::Duplicate(Vec::new());

async fn one(board: &Board, item: Item, now: board::Timestamp) -> Outcome {
    board.apply(&[item], now).await.remove(0)
}

pub async fn an_id_is_remembered_for_exactly_the_dedupe_span(store: OpenStore) {
    let board = store.fresh(gifts(|_| ()), "room-1").await;
    let u1 = member("u1");
    let mut now = NOW;
    let pauses = [Duration::ZERO, Duration::ZERO, MINUTE * 17, HOUR * 5, MS];
    for (round, pause) in (1..).zip(pauses) {
        now = now.plus(pause);
        // The span starts when the contribution is applied, regardless of its time.
        let item = Item {
            at: now.minus(MINUTE * 40),
            ..board.points_by_id(&u1, 1, "evt-1", now)
        };
        assert_eq!(one(&board, item.clone(), now).await, APPLIED);
        let last = HOUR.saturating_sub(MS);
        for later in [Duration::ZERO, MS, MINUTE * 30, last] {
            assert_eq!(one(&board, item.clone(), now.plus(later)).await, DUPLICATE);
            store.drop_expired(now.plus(later)).await.unwrap();
        }
        assert_eq!(board.points_of(ALL, &u1).await, Some(round));
        now = now.plus(HOUR);
    }
}

pub async fn a_rejected_contribution_leaves_no_id(store: OpenStore) {
    let windows = [Period::All, Period::Day].map(WindowRule::with_defaults);
    let board = store
        .fresh(gifts(|spec| spec.windows = windows.to_vec()), "room-1")
        .await;
    let u1 = member("u1");
    let yesterday = NOW.minus(DAY);
    let most = Change::Set(Values::from(Value::new(VALUE_MAX).unwrap()));
    one(&board, board.item(&u1, most, yesterday, NOW), NOW).await;
    // Only today's window could take it.
    let item = board.points_by_id(&u1, 1, "evt-1", NOW);
    let refused = one(&board, item.clone(), NOW).await;
    assert!(
        matches!(refused, Outcome::Rejected(ItemRejected::OutOfRange(_))),
        "{refused:?}"
    );
    let today = window(Period::Day, NOW);
    assert_eq!(board.points_of(today, &u1).await, None);
    let room = board.points(&u1, -1, yesterday);
    assert_eq!(one(&board, room, NOW).await, APPLIED);
    assert_eq!(one(&board, item.clone(), NOW).await, APPLIED);
    assert_eq!(one(&board, item, NOW).await, DUPLICATE);
    assert_eq!(board.points_of(ALL, &u1).await, Some(VALUE_MAX));
    assert_eq!(board.points_of(today, &u1).await, Some(1));
}

pub async fn members_do_not_share_ids(store: OpenStore) {
    let board = store.fresh(gifts(|_| ()), "room-1").await;
    let there = board.members_of(0, 2);
    let elsewhere = board.members_of(3, 1);
    for member in there.iter().chain(&elsewhere) {
        let item = board.points_by_id(member, 1, "evt-1", NOW);
        assert_eq!(
            board.apply(&[item.clone(), item], NOW).await,
            [APPLIED, DUPLICATE]
        );
        assert_eq!(board.points_of(ALL, member).await, Some(1));
    }
}

pub async fn ids_outlast_growth(store: OpenStore) {
    let board = store.fresh(gifts(|spec| spec.shards = 16), "room-1").await;
    let members: Vec<_> = (0..3000)
        .map(|number| member(&format!("u{number}")))
        .collect();
    let mut sent: Vec<Item> = Vec::new();
    for (round, members) in members.chunks(60).enumerate() {
        let now = NOW.plus(MINUTE * u32::try_from(round).unwrap());
        let items = members
            .iter()
            .map(|member| board.points_by_id(member, 1, "evt-1", now));
        let items: Vec<Item> = items.collect();
        assert_eq!(board.apply(&items, now).await, vec![APPLIED; items.len()]);
        sent.extend(items);
        assert_eq!(board.apply(&sent, now).await, vec![DUPLICATE; sent.len()]);
    }
    assert_eq!(board.members(ALL).await, 3000);
    let later = NOW.plus(HOUR).plus(MINUTE * 9);
    let again = board.apply(&sent, later).await;
    let expected = [vec![APPLIED; 600], vec![DUPLICATE; 2400]].concat();
    assert_eq!(again, expected, "the first ten rounds are past their span");
}

pub async fn a_span_of_zero_remembers_no_ids(store: OpenStore) {
    let board = store
        .fresh(gifts(|spec| spec.dedupe = Duration::ZERO), "room-1")
        .await;
    let item = board.points_by_id(&member("u1"), 1, "evt-1", NOW);
    let outcomes = board.apply(&[item.clone(), item.clone()], NOW).await;
    assert_eq!(outcomes, [APPLIED, APPLIED]);
    assert_eq!(one(&board, item, NOW.plus(MS)).await, APPLIED);
    assert_eq!(board.points_of(ALL, &member("u1")).await, Some(3));
}
