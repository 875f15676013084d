//! Boards whose members are not evenly distributed: reads are exact, and take a few more rounds.

use std::sync::Arc;

use board::{Member, RankStyle, ShardCount, Timestamp};
use testkit::HookedStore;
use tokio::runtime::{Builder, Runtime};

use crate::agree::{ALL, Agree};
use crate::kinds::{kind, points, value};
use crate::price::{Price, price};
use crate::random::Random;
use crate::stage::{NOW_MS, Stage, in_memory};
use crate::twin::{Row, Twin};

/// Compares pages, tops, members and lookups with the twin, on a store in this process, in one step and by shards, and
/// on one whose reads are round trips. Returns the prices of the dearest page and of the top: the round trips on the
/// latter, and the entries on the store read by shards that fetches more.
fn check(shards: u64, members: Vec<Member>) -> (Price, Price) {
    let runtime = Builder::new_current_thread().build().unwrap();
    let mut random = Random::of_run(400 + shards);
    let mut spec = points(shards);
    spec.rank = RankStyle::Competition;
    let store = in_memory();
    let stage = Stage::over(store.clone(), kind(spec.clone()), 64 << 20);
    let stage = runtime.block_on(stage);
    let by_shards = HookedStore::by_shards(store.clone());
    let by_shards = runtime.block_on(Stage::over(by_shards, kind(spec.clone()), 64 << 20));
    let remote = Stage::over(HookedStore::before(store), kind(spec), 64 << 20);
    let remote = runtime.block_on(remote);
    let row = |member| Row {
        member,
        values: value(i64::try_from(random.below(10_000)).unwrap()).into(),
        at: Timestamp::from_millis(NOW_MS),
    };
    let rows: Vec<Row> = members.into_iter().map(row).collect();
    runtime.block_on(stage.set(&stage.board, &rows));
    let twin = Twin::new(stage.kind.rules(), rows);
    let prices = [&stage, &by_shards, &remote].map(|stage| {
        let agree = Agree {
            stage,
            kind: &stage.kind,
            twin: &twin,
        };
        let pages = dearest_page(&runtime, agree, &mut random);
        let (top, ()) = runtime.block_on(price(&stage.merger, agree.top()));
        runtime.block_on(members_agree(agree, &mut random));
        println!("{shards} shards: pages {pages:?}, top {top:?}");
        (pages, top)
    });
    let [_, local, remote] = prices;
    let dearer = |local: Price, remote: Price| Price {
        round_trips: remote.round_trips,
        entries: local.entries.max(remote.entries),
    };
    (dearer(local.0, remote.0), dearer(local.1, remote.1))
}

fn dearest_page(runtime: &Runtime, agree: Agree<'_>, random: &mut Random) -> Price {
    let len = agree.twin.len();
    let mut dearest = Price::default();
    let ends = [1, len - 99, len];
    let within: Vec<u64> = (0..30).map(|_| random.within(1, len)).collect();
    for from in ends.into_iter().chain(within) {
        let page = agree.range(from, from + 99);
        let (price, ()) = runtime.block_on(price(&agree.stage.merger, page));
        dearest = dearest.max(price);
    }
    dearest
}

async fn members_agree(agree: Agree<'_>, random: &mut Random) {
    let len = agree.twin.len();
    for _ in 0..20 {
        let position = random.within(1, len);
        agree.member(position, (3, 3), None).await;
        let ends = (Some(value(4_000)), Some(value(6_000)));
        agree.between(ends, 500).await;
    }
    let asked: Vec<u64> = (0..100).map(|_| random.within(0, len)).collect();
    agree.lookup(&asked).await;
}

/// Returns `count` of the members `u0`, `u1`, ..., for whose shard `keep` returns true.
fn members(count: usize, shards: u64, mut keep: impl FnMut(u16) -> bool) -> Vec<Member> {
    let shards = ShardCount::new(shards).unwrap();
    let named = (0..).map(|n: u64| Member::new(&format!("u{n}")).unwrap());
    named
        .filter(|member| keep(shards.shard_of(member.placement_hash())))
        .take(count)
        .collect()
}

#[test]
fn all_members_on_one_shard_of_sixteen() {
    let (pages, top) = check(16, members(50_000, 16, |shard| shard == 11));
    assert!(pages.round_trips <= 6, "{pages:?}");
    assert!(pages.entries <= 2_500, "{pages:?}");
    assert!(top.round_trips <= 3, "{top:?}");
    assert!(top.entries <= 2_500, "{top:?}");
}

#[test]
fn shards_each_half_the_size_of_the_last() {
    let mut random = Random::of_run(401);
    let keep = |shard: u16| random.below(1 << shard.min(12)) == 0;
    let (pages, top) = check(16, members(100_000, 16, keep));
    assert!(pages.round_trips <= 6, "{pages:?}");
    assert!(pages.entries <= 4_000, "{pages:?}");
    assert!(top.round_trips <= 3, "{top:?}");
    assert!(top.entries <= 4_500, "{top:?}");
}

#[test]
fn one_shard_is_read_in_one_round() {
    let (pages, top) = check(1, members(50_000, 1, |_| true));
    assert_eq!(pages.round_trips, 1);
    // With shared ranks, the entry above shows where the first group begins.
    assert_eq!(pages.entries, 101);
    assert_eq!((top.round_trips, top.entries), (1, 1000));
}

#[test]
fn four_thousand_shards_with_a_few_members_each() {
    let (pages, top) = check(4096, members(20_000, 4096, |_| true));
    assert!(pages.round_trips <= 4, "{pages:?}");
    // At most twice the number of members: a shard with five is soon read as a whole.
    assert!(pages.entries <= 40_000, "{pages:?}");
    assert!(top.round_trips <= 3, "{top:?}");
    assert!(top.entries <= 16_000, "{top:?}");
}

#[test]
fn four_thousand_shards_with_fewer_members_than_shards() {
    let (pages, top) = check(4096, members(300, 4096, |_| true));
    assert!(pages.round_trips <= 2 && pages.entries <= 600, "{pages:?}");
    assert!(top.round_trips <= 2 && top.entries <= 600, "{top:?}");
}

#[test]
fn an_empty_board_takes_one_round() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let stage = runtime.block_on(Stage::remote(kind(points(64))));
    let one = Row {
        member: Member::new("u").unwrap(),
        values: value(1).into(),
        at: Timestamp::from_millis(NOW_MS),
    };
    runtime.block_on(stage.set(&stage.board, std::slice::from_ref(&one)));
    let board = Arc::new(stage.board.clone());
    let mut removal = stage.write_of(&board, &one);
    removal.change = shard_store::Change::Remove;
    runtime.block_on(stage.router.write(&[removal], one.at, false));
    let page = stage.merger.range(&board, &stage.kind, ALL, 700, 800);
    let (price, page) = runtime.block_on(price(&stage.merger, page));
    assert_eq!(page.unwrap().value, []);
    assert_eq!((price.round_trips, price.entries), (1, 0));
}
