//! Writes between the rounds of a read: earlier rounds only steer, so what is shown proves itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use board::{Member, RankStyle, Timestamp};

use crate::agree::{ALL, Agree};
use crate::kinds::{kind, points, value};
use crate::price::{Price, price};
use crate::stage::{NOW_MS, Stage};
use crate::twin::{Row, Twin, all_shown, shown};
use crate::woven::Woven;

const MEMBERS: i64 = 20_000;
const SHARDS: u64 = 16;

fn row(name: &str, n: i64, points: i64) -> Row {
    Row {
        member: Member::new(&format!("{name}{n}")).unwrap(),
        values: value(points).into(),
        at: Timestamp::from_millis(NOW_MS),
    }
}

/// A board of `u0` to `u19999`, two of them with the same points.
async fn board(rank: RankStyle) -> (Arc<Woven>, Arc<Stage>, Vec<Row>) {
    let store = Woven::new();
    let mut spec = points(SHARDS);
    spec.rank = rank;
    let stage = Arc::new(Stage::over(store.clone(), kind(spec), 1 << 20).await);
    let rows: Vec<Row> = (0..MEMBERS).map(|n| row("u", n, n / 2)).collect();
    stage.set(&stage.board, &rows).await;
    (store, stage, rows)
}

/// Writes these rows before the first shard is read for the `round`th time.
fn write_before_round(store: &Woven, stage: &Arc<Stage>, round: u64, rows: Vec<Row>) {
    let (stage, rows) = (stage.clone(), Arc::new(rows));
    let rounds = Arc::new(AtomicU64::new(0));
    store.before_reads(move |shard| {
        let (stage, rows, rounds) = (stage.clone(), rows.clone(), rounds.clone());
        async move {
            if shard == 0 && rounds.fetch_add(1, Ordering::SeqCst) + 1 == round {
                stage.set(&stage.board, &rows).await;
            }
            Ok(())
        }
    });
}

/// Reads deep pages in both rank styles, with the rows written before its `round`th round, against the board with all.
async fn page_holds(round: u64, new: Vec<Row>, round_trips_max: u64) {
    for rank in [RankStyle::Ordinal, RankStyle::Competition] {
        // The key that a page of one is read from lies above it or below it.
        for (from, to) in [(12_001, 12_100), (11_900, 11_900), (12_345, 12_345)] {
            let price = page_of_style(rank, round, new.clone(), (from, to)).await;
            println!("{from} to {to}, before round {round}: {price:?}");
            assert!(price.round_trips <= round_trips_max, "{price:?}");
        }
    }
}

async fn page_of_style(
    rank: RankStyle,
    round: u64,
    new: Vec<Row>,
    (from, to): (u64, u64),
) -> Price {
    let (store, stage, mut rows) = board(rank).await;
    rows.retain(|row| new.iter().all(|new| new.member != row.member));
    rows.extend(new.iter().cloned());
    write_before_round(&store, &stage, round, new);
    let twin = Twin::new(stage.kind.rules(), rows);
    let agree = Agree {
        stage: &stage,
        kind: &stage.kind,
        twin: &twin,
    };
    price(&stage.merger, agree.range(from, to)).await.0
}

#[tokio::test]
async fn thousands_who_come_above_a_page_push_it_down() {
    for round in 2..=3 {
        let better = (0..2_000).map(|n| row("better", n, MEMBERS + n)).collect();
        page_holds(round, better, 5).await;
    }
}

#[tokio::test]
async fn thousands_who_leap_over_a_page_push_it_down() {
    for round in 2..=3 {
        let leaping = (0..2_000).map(|n| row("u", n, MEMBERS + n)).collect();
        page_holds(round, leaping, 5).await;
    }
}

#[tokio::test]
async fn thousands_who_fall_below_a_page_pull_it_up() {
    for round in 2..=3 {
        let falling = (MEMBERS - 2_000..MEMBERS).map(|n| row("u", n, -n));
        page_holds(round, falling.collect(), 5).await;
    }
}

#[tokio::test]
async fn thousands_who_come_among_a_page_are_on_it() {
    for round in 2..=3 {
        let among = (0..1_500).map(|n| row("among", n, 4_000));
        page_holds(round, among.collect(), 5).await;
    }
}

/// `u8000` leaps to the top, and thousands come above where it stood, when its standing is known.
/// The board to be seen from there: its own shard as it was, all others as they have become.
fn leap_when_known(store: &Woven, stage: &Arc<Stage>, rows: Vec<Row>) -> (Member, Twin) {
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
async fn a_member_stands_by_the_moment_that_its_shard_was_read() {
    for style in [RankStyle::Ordinal, RankStyle::Competition] {
        let (store, stage, rows) = board(style).await;
        let (own, twin) = leap_when_known(&store, &stage, rows);
        let position = position_in(&twin, &own);
        let read = stage
            .merger
            .member(&stage.board, &stage.kind, ALL, &own, (5, 5), None);
        let view = read.await.unwrap().value.ranked().unwrap();
        assert_eq!(shown(&stage.kind, view.own()), twin.at(style, position));
        assert_eq!(
            all_shown(&stage.kind, &view.around),
            twin.range(style, position - 5, position + 5)
        );
    }
}

#[tokio::test]
async fn who_is_looked_up_stands_by_the_moment_that_its_shard_was_read() {
    for style in [RankStyle::Ordinal, RankStyle::Competition] {
        let (store, stage, rows) = board(style).await;
        let (own, twin) = leap_when_known(&store, &stage, rows);
        let position = position_in(&twin, &own);
        let asked = [own];
        let read = stage.merger.lookup(&stage.board, &stage.kind, ALL, &asked);
        let found = read.await.unwrap().value.pop().unwrap().ranked().unwrap();
        assert_eq!(shown(&stage.kind, &found), twin.at(style, position));
    }
}

#[tokio::test]
async fn a_board_that_grows_at_every_look_ends_in_an_answer_or_an_error() {
    let (store, stage, _) = board(RankStyle::Ordinal).await;
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

/// The target is read when the member's own place is known: all who stood above are gone by then.
#[tokio::test]
async fn a_target_that_is_no_longer_above_is_reached() {
    let falling = (0..MEMBERS).map(|n| row("u", n, -n - 1)).collect();
    let leaping = vec![row("u", 15_000, 2 * MEMBERS)];
    for new in [falling, leaping] {
        let (store, stage, _) = board(RankStyle::Ordinal).await;
        let own = Member::new("u15000").unwrap();
        let target = async || {
            let read = stage
                .merger
                .member(&stage.board, &stage.kind, ALL, &own, (1, 1), Some(1));
            read.await.unwrap().value.ranked().unwrap().target
        };
        assert!(target().await.is_some());
        // Shard 0 is read once for its own place, and then for the target.
        write_before_round(&store, &stage, 2, new);
        assert_eq!(target().await, None);
    }
}
