//! Writes between the rounds of a read: earlier rounds only narrow the search, the last one proves the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use board::{Member, RankStyle, ShardCount, Timestamp};
use merger::MemberAsk;
use testkit::HookedStore;

use crate::agree::ALL;
use crate::kinds::{kind, points, value};
use crate::price::{Price, price};
use crate::stage::{NOW_MS, Stage, hooked};
use crate::twin::{Row, Twin, all_shown, shown};

const MEMBERS: i64 = 20_000;
const SHARDS: u64 = 16;

fn row(name: &str, n: i64, points: i64) -> Row {
    row_of(Member::new(&format!("{name}{n}")).unwrap(), points)
}

fn row_of(member: Member, points: i64) -> Row {
    Row {
        member,
        values: value(points).into(),
        at: Timestamp::from_millis(NOW_MS),
    }
}

/// Returns `u0` to `u19999`, which all shards have about as many of.
fn even() -> Vec<Member> {
    let members = (0..MEMBERS).map(|n| Member::new(&format!("u{n}")).unwrap());
    members.collect()
}

/// Returns as many members that are all on one shard, so that samples of a page's neighbourhood miss it.
fn on_one_shard() -> Vec<Member> {
    let shards = ShardCount::new(SHARDS).unwrap();
    let members = (0..).map(|n| Member::new(&format!("v{n}")).unwrap());
    let there = members.filter(|member| shards.shard_of(member.placement_hash()) == 3);
    there.take(usize::try_from(MEMBERS).unwrap()).collect()
}

/// Creates a board of these members, each two with the same points.
async fn board(rank: RankStyle, members: Vec<Member>) -> (Arc<HookedStore>, Arc<Stage>, Vec<Row>) {
    let store = hooked();
    let mut spec = points(SHARDS);
    spec.rank = rank;
    let stage = Arc::new(Stage::over(store.clone(), kind(spec), 1 << 20).await);
    let rows = (0..).zip(members);
    let rows: Vec<Row> = rows.map(|(n, member)| row_of(member, n / 2)).collect();
    stage.set(&stage.board, &rows).await;
    (store, stage, rows)
}

/// Writes these rows before the first shard is read for the `round`th time. Returns the count of rounds.
fn write_before_round(
    store: &HookedStore,
    stage: &Arc<Stage>,
    round: u64,
    rows: Vec<Row>,
) -> Arc<AtomicU64> {
    let (stage, rows) = (stage.clone(), Arc::new(rows));
    let rounds = Arc::new(AtomicU64::new(0));
    let counted = rounds.clone();
    store.before_reads(move |shard| {
        let (stage, rows, rounds) = (stage.clone(), rows.clone(), rounds.clone());
        async move {
            if shard == 0 && rounds.fetch_add(1, Ordering::SeqCst) + 1 == round {
                stage.set(&stage.board, &rows).await;
            }
            Ok(())
        }
    });
    counted
}

/// Reads deep pages of an even board in both rank styles. The rows are written before the `round`th round, and the pages
/// must have them if there is such a round.
async fn check_page(round: u64, new: Vec<Row>, round_trips_max: u64) {
    check_page_of(even, round, new, round_trips_max).await;
}

async fn check_page_of(
    members: fn() -> Vec<Member>,
    round: u64,
    new: Vec<Row>,
    round_trips_max: u64,
) {
    for rank in [RankStyle::Ordinal, RankStyle::Competition] {
        // The pivot of a page of one entry is above it or below it.
        for (from, to) in [(12_001, 12_100), (11_900, 11_900), (12_345, 12_345)] {
            let board = board(rank, members()).await;
            let price = page_of(board, round, new.clone(), (from, to)).await;
            println!("{from} to {to}, before round {round}: {price:?}");
            assert!(price.round_trips <= round_trips_max, "{price:?}");
        }
    }
}

async fn page_of(
    (store, stage, mut rows): (Arc<HookedStore>, Arc<Stage>, Vec<Row>),
    round: u64,
    new: Vec<Row>,
    (from, to): (u64, u64),
) -> Price {
    let rounds = write_before_round(&store, &stage, round, new.clone());
    let read = stage.merger.range(&stage.board, &stage.kind, ALL, from, to);
    let (price, page) = price(&stage.merger, read).await;
    if rounds.load(Ordering::SeqCst) >= round {
        rows.retain(|row| new.iter().all(|new| new.member != row.member));
        rows.extend(new);
    }
    let twin = Twin::new(stage.kind.rules(), rows);
    let page = page.unwrap();
    assert_eq!(page.members, twin.len());
    let expected = twin.range(stage.kind.rank_style(), from, to);
    assert_eq!(all_shown(&stage.kind, &page.value), expected);
    price
}

#[tokio::test]
async fn new_members_above_a_page_move_it_down() {
    for round in 2..=3 {
        let better = (0..2_000).map(|n| row("better", n, MEMBERS + n)).collect();
        check_page(round, better, 5).await;
    }
}

#[tokio::test]
async fn members_that_overtake_a_page_move_it_down() {
    for round in 2..=3 {
        let overtaking = (0..2_000).map(|n| row("u", n, MEMBERS + n)).collect();
        check_page(round, overtaking, 5).await;
    }
}

#[tokio::test]
async fn members_that_fall_below_a_page_move_it_up() {
    for round in 2..=3 {
        let falling = (MEMBERS - 2_000..MEMBERS).map(|n| row("u", n, -n));
        check_page(round, falling.collect(), 5).await;
    }
}

#[tokio::test]
async fn new_members_within_a_page_are_on_it() {
    for round in 2..=3 {
        let among = (0..1_500).map(|n| row("among", n, 4_000));
        check_page(round, among.collect(), 5).await;
    }
}

/// Its search has rounds of counts: one write comes before each of the rounds.
#[tokio::test]
async fn new_members_move_a_page_that_is_searched_by_counts() {
    for round in 2..=5 {
        let better = (0..2_000).map(|n| row("better", n, MEMBERS + n)).collect();
        check_page_of(on_one_shard, round, better, 10).await;
    }
}

/// Moves `u8000` to the top, and adds thousands of members above its old position, after its standing was read. Returns
/// the board that a read has to show: its own shard as it was, all others as they are now.
fn move_after_first_read(
    store: &HookedStore,
    stage: &Arc<Stage>,
    rows: Vec<Row>,
) -> (Member, Twin) {
    let own = row("u", 8_000, 4_000);
    let mut new: Vec<Row> = (0..2_000).map(|n| row("better", n, 9_000)).collect();
    new.push(row("u", 8_000, 2 * MEMBERS));
    let shards = stage.kind.shards();
    let shard = |row: &Row| shards.shard_of(row.member.placement_hash());
    let mut seen = rows;
    seen.extend(new.iter().filter(|row| shard(row) != shard(&own)).cloned());
    let (writer, reads) = (stage.clone(), Arc::new(AtomicU64::new(0)));
    let new = Arc::new(new);
    store.before_reads(move |_| {
        let (writer, new, reads) = (writer.clone(), new.clone(), reads.clone());
        async move {
            // The first read is that of its own shard.
            if reads.fetch_add(1, Ordering::SeqCst) == 1 {
                writer.set(&writer.board, &new).await;
            }
            Ok(())
        }
    });
    (own.member, Twin::new(stage.kind.rules(), seen))
}

fn position_in(twin: &Twin, member: &Member) -> u64 {
    let index = twin.rows.iter().position(|row| row.member == *member);
    index.unwrap() as u64 + 1
}

#[tokio::test]
async fn a_member_has_the_position_of_when_its_shard_was_read() {
    for style in [RankStyle::Ordinal, RankStyle::Competition] {
        let (store, stage, rows) = board(style, even()).await;
        let (own, twin) = move_after_first_read(&store, &stage, rows);
        let position = position_in(&twin, &own);
        let read = stage
            .merger
            .member(&stage.board, &stage.kind, ALL, &own, (5, 5));
        let view = read.await.unwrap().value.ranked().unwrap();
        assert_eq!(shown(&stage.kind, view.own()), twin.at(style, position));
        assert_eq!(
            all_shown(&stage.kind, &view.around),
            twin.range(style, position - 5, position + 5)
        );
    }
}

#[tokio::test]
async fn a_lookup_has_the_positions_of_when_the_shards_were_read() {
    for style in [RankStyle::Ordinal, RankStyle::Competition] {
        let (store, stage, rows) = board(style, even()).await;
        let (own, twin) = move_after_first_read(&store, &stage, rows);
        let position = position_in(&twin, &own);
        let asked = [own];
        let read = stage.merger.lookup(&stage.board, &stage.kind, ALL, &asked);
        let found = read.await.unwrap().value.pop().unwrap().ranked().unwrap();
        assert_eq!(shown(&stage.kind, &found), twin.at(style, position));
    }
}

#[tokio::test]
async fn a_board_that_grows_at_every_read_has_a_page() {
    let (store, stage, _) = board(RankStyle::Ordinal, even()).await;
    let (writer, next) = (stage.clone(), Arc::new(AtomicU64::new(0)));
    store.before_reads(move |shard| {
        let (writer, next) = (writer.clone(), next.clone());
        async move {
            if shard == 0 {
                let first = i64::try_from(next.fetch_add(500, Ordering::SeqCst)).unwrap();
                let new: Vec<Row> = (first..first + 500)
                    .map(|n| row("better", n, MEMBERS + n))
                    .collect();
                writer.set(&writer.board, &new).await;
            }
            Ok(())
        }
    });
    let read = stage
        .merger
        .range(&stage.board, &stage.kind, ALL, 12_001, 12_100);
    let (price, page) = price(&stage.merger, read).await;
    println!("{price:?}");
    let page = page.unwrap().value;
    let positions: Vec<u64> = page.iter().map(|entry| entry.position).collect();
    assert_eq!(positions, (12_001..=12_100).collect::<Vec<_>>());
    assert!(price.round_trips <= 8, "{price:?}");
}

/// The target is read after the member's own position: by then the members above are gone.
#[tokio::test]
async fn a_target_that_is_no_longer_above_is_none() {
    let falling = (0..MEMBERS).map(|n| row("u", n, -n - 1)).collect();
    let leaping = vec![row("u", 15_000, 2 * MEMBERS)];
    for new in [falling, leaping] {
        let (store, stage, _) = board(RankStyle::Ordinal, even()).await;
        let own = Member::new("u15000").unwrap();
        let target = async || {
            let ask = MemberAsk {
                target: Some(1),
                ..(1, 1).into()
            };
            let read = stage
                .merger
                .member(&stage.board, &stage.kind, ALL, &own, ask);
            read.await.unwrap().value.ranked().unwrap().target
        };
        assert!(target().await.is_some());
        // Shard 0 is read once for the member's position, and then for the target.
        write_before_round(&store, &stage, 2, new);
        assert_eq!(target().await, None);
    }
}
