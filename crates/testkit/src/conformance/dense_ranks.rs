//! Boards of kinds with dense ranks: queries find how many distinct values are better, over all
//! shards.

use board::{Bound, Kind, Period, RankStyle, RankWords, Window, WindowRule};
use shard_store::{Anchor, Change, Group, Groups, Query, RangeAsk, ShardEntry};

use crate::conformance::fixtures::writers::{check_sums, members_named, start_writers};
use crate::conformance::fixtures::{Board, DAY, HOUR, NOW, OpenStore, gifts, idle, kept, window};
use crate::dice::{Dice, runs};

const ALL: Window = Window::ALL_TIME;

/// Returns a kind with dense ranks, and as many shards as the store supports, up to eight.
fn dense(store: &OpenStore, windows: &[WindowRule]) -> Kind {
    gifts(|spec| {
        spec.rank = RankStyle::Dense;
        spec.shards = u64::from(store.capabilities().dense_shards_max().get().min(8));
        spec.windows = windows.to_vec();
    })
}

fn all() -> WindowRule {
    WindowRule::with_defaults(Period::All)
}

/// The number of entries whose groups are checked at once.
const ENTRIES_CHECKED: usize = 120;

/// Checks the groups of entries, of their members, and of values beside them.
async fn check_groups(board: &Board, window: Window) {
    let entries = board.entries(window, 0).await;
    let rules = board.kind.rules();
    let fields = |entry: &ShardEntry| rules.field_words(&entry.key.words);
    let mut values: Vec<RankWords> = entries.iter().map(fields).collect();
    values.dedup();
    let group = |own: &RankWords| Group {
        better: values.iter().filter(|value| *value > own).count() as u64,
        members: entries.iter().filter(|entry| fields(entry) == *own).count() as u64,
    };
    let mut asks = Vec::new();
    let mut groups = Vec::new();
    let apart = entries.len() / ENTRIES_CHECKED + 1;
    for (rank, entry) in (0..).zip(&entries).step_by(apart) {
        let own = fields(entry);
        let next = own.successor().unwrap();
        let one = RangeAsk {
            anchor: Anchor::Rank(rank),
            before: 0,
            after: 1,
        };
        let anchors = [
            Anchor::Member(entry.key.member.clone()),
            Anchor::Bound(Bound::key(&entry.key)),
            Anchor::Bound(Bound::prefix(next)),
        ];
        asks.push(one);
        asks.extend(anchors.map(RangeAsk::rank_of));
        groups.extend([group(&own), group(&own), group(&own), group(&next)]);
    }
    let query = Query {
        window,
        unless: None,
        groups: Groups::Count,
        ranges: asks.into(),
    };
    let parts = board.read(0, &query).await.parts.unwrap();
    let found: Vec<Group> = parts.iter().map(|part| part.group).collect();
    assert_eq!(found, groups);
    board.verify().await;
}

/// A board that grows from one vector to large shards, and shrinks until it is empty.
pub async fn distinct_values_are_counted_over_all_shards(store: OpenStore) {
    let board = store.fresh(dense(&store, &[all()]), "room-1").await;
    let mut dice = Dice::new(17);
    let members = members_named(700);
    for count in [1, 2, 40, 130, 300, 700] {
        let few = dice.one_in(2);
        let items = members[..count].iter().map(|member| {
            let points = dice.between(0, if few { 3 } else { 400 });
            board.points(member, points, NOW)
        });
        let items: Vec<_> = items.collect();
        board.apply(&items, NOW).await;
        check_groups(&board, ALL).await;
    }
    for remaining in [400, 90, 3, 0] {
        let items = members[remaining..].iter();
        let items = items.map(|member| board.item(member, Change::Remove, NOW, NOW));
        let items: Vec<_> = items.collect();
        board.apply(&items, NOW).await;
        check_groups(&board, ALL).await;
    }
}

pub async fn distinct_values_are_exact_after_concurrent_writes(store: OpenStore) {
    let windows = [all(), kept(Period::Day, DAY)];
    let board = store.fresh(dense(&store, &windows), "room-1").await;
    let members = members_named(600);
    let writers = start_writers(&board, &members, runs(60, 1000));
    check_sums(&board, &members, writers).await;
    for window in [ALL, window(Period::Day, NOW)] {
        check_groups(&board, window).await;
    }
}

pub async fn distinct_values_of_dropped_windows_are_forgotten(store: OpenStore) {
    let windows = [
        idle(DAY * 7),
        kept(Period::Day, HOUR),
        kept(Period::Month, DAY * 100),
    ];
    let kind = store.kind(dense(&store, &windows)).await;
    for (subject, count) in [("small", 5), ("large", 1500)] {
        let board = store.created(&kind, subject, NOW).await;
        let members = members_named(count);
        let (month, later) = (window(Period::Month, NOW), NOW.plus(DAY * 16));
        for now in [NOW, later] {
            let items = (0..).zip(&members);
            let items = items.map(|(number, member)| board.points(member, number % 37, now));
            let items: Vec<_> = items.collect();
            board.apply(&items, now).await;
            for window in [ALL, window(Period::Day, now), month] {
                check_groups(&board, window).await;
            }
            store.drop_expired(now.plus(DAY * 2)).await.unwrap();
            assert!(board.is_dropped(window(Period::Day, now)).await);
            check_groups(&board, ALL).await;
            store.drop_expired(now.plus(DAY * 16)).await.unwrap();
            assert_eq!(board.members(ALL).await, 0);
            check_groups(&board, ALL).await;
            check_groups(&board, month).await;
        }
    }
}
