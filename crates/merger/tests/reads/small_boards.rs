//! Boards of 0 to 400 members over 1 to 64 shards, of every order and tie rule, with nulls: every read equals the naive
//! twin. Some members of many boards are hidden; the twin does not have them.

use std::sync::Arc;

use board::{Direction, Hidden, Kind, Member, RankStyle, Ties, Timestamp, Value, Values};
use tokio::runtime::Builder;

use crate::agree::Agree;
use crate::kinds::{kind, nullable, value};
use crate::million::long;
use crate::random::{Random, seed};
use crate::stage::{NOW_MS, Stage};
use crate::twin::{Row, Twin};

#[test]
fn every_read_equals_the_twin() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let boards = if long() { 5000 } else { 300 };
    let first = seed().rotate_left(32);
    for board in first..first + boards {
        println!("board {board}");
        runtime.block_on(check_board(Random::new(board)));
    }
}

async fn check_board(mut random: Random) {
    let fields = random.within(1, 3);
    let orders: Vec<Direction> = (0..fields)
        .map(|_| [Direction::Desc, Direction::Asc][pick(&mut random, 2)])
        .collect();
    let ties = [Ties::Earliest, Ties::Latest, Ties::Member][pick(&mut random, 3)];
    let mut spec = nullable(1 << random.below(7), &orders, ties);
    spec.top = random.within(1, 500);
    spec.rank =
        [RankStyle::Ordinal, RankStyle::Competition, RankStyle::Dense][pick(&mut random, 3)];
    let stage = Stage::in_memory(kind(spec)).await;
    let rows = rows(&mut random, orders.len());
    stage.set(&stage.board, &rows).await;
    let hidden = hidden(&mut random, &rows);
    let kind = Arc::new(Kind::clone(&stage.kind).hiding(hidden.clone()));
    let seen = rows.into_iter().filter(|row| !hidden.contains(&row.member));
    let twin = Twin::new(stage.kind.rules(), seen.collect());
    let agree = Agree {
        stage: &stage,
        kind: &kind,
        twin: &twin,
    };
    agree.hides(&hidden).await;
    agree.top().await;
    check_pages(agree, &mut random).await;
    check_members(agree, &mut random).await;
    for _ in 0..10 {
        let ends = (end(&mut random), end(&mut random));
        agree.between(ends, random.within(1, 450)).await;
        agree.pages(random.within(1, 450)).await;
        let at = Timestamp::from_millis(NOW_MS - small(&mut random, 5) + 1);
        let values = values(&mut random, orders.len());
        agree.position(&values, at).await;
    }
}

async fn check_pages(agree: Agree<'_>, random: &mut Random) {
    let len = agree.twin.len();
    agree.range(1, 1).await;
    agree.range(1, len + 1).await;
    agree.range(len + 1, len + 10).await;
    agree.range(len.max(1), len + 10).await;
    // After the ranks that are read from the top.
    agree.range(len.max(1), 1000).await;
    agree.range(1000, 1999).await;
    agree.range_from_worst(1, 1).await;
    agree.range_from_worst(1, len + 1).await;
    agree.range_from_worst(len + 1, len + 10).await;
    agree.range_from_worst(1000, 1999).await;
    for _ in 0..20 {
        let from = random.within(1, len + 2);
        agree.range(from, from + random.below(len + 2)).await;
    }
}

async fn check_members(agree: Agree<'_>, random: &mut Random) {
    let len = agree.twin.len();
    let asked: Vec<u64> = (0..random.below(50))
        .map(|_| random.within(0, len))
        .collect();
    agree.lookup(&asked).await;
    if len == 0 {
        return;
    }
    for n in 0..20 {
        let position = match n {
            0 => 1,
            1 => len,
            _ => random.within(1, len),
        };
        let around = (random.below(12), random.below(12));
        let target = (n % 2 == 0).then(|| random.within(1, len));
        agree.member(position, around, target).await;
    }
}

/// Returns no members, a few, or most, and sometimes one that is not on the board.
pub(crate) fn hidden(random: &mut Random, rows: &[Row]) -> Hidden {
    let of_ten = [0, 0, 1, 3, 9][pick(random, 5)];
    let among = rows.iter().filter(|_| random.below(10) < of_ten);
    let mut members: Vec<Member> = among.map(|row| row.member.clone()).collect();
    if random.below(4) == 0 {
        members.push(Member::new("absent").unwrap());
    }
    Hidden::new(members).unwrap()
}

pub(crate) fn rows(random: &mut Random, fields: usize) -> Vec<Row> {
    let count = match random.below(6) {
        0 => random.below(3),
        1 => random.below(20),
        _ => random.below(401),
    };
    let row = |n| Row {
        member: member(n),
        values: values(random, fields),
        at: Timestamp::from_millis(NOW_MS - small(random, 4)),
    };
    (0..count).map(row).collect()
}

/// Returns a name: short or long, the beginning of another, above or below the letters.
fn member(n: u64) -> Member {
    let text = match n % 4 {
        0 => format!("{n}"),
        1 => format!("{n}{}", "m".repeat(usize::try_from(n % 100).unwrap())),
        2 => format!("é{n}"),
        _ => format!("~{n}/"),
    };
    Member::new(&text).unwrap()
}

/// Returns few values, so that many tie; never all null.
pub(crate) fn values(random: &mut Random, fields: usize) -> Values {
    let mut values = Values::default();
    for field in 0..fields {
        if random.below(4) > 0 {
            values.set(field, value(small(random, 7) - 3));
        }
    }
    if values.is_empty() {
        values.set(fields - 1, value(small(random, 7) - 3));
    }
    values
}

pub(crate) fn end(random: &mut Random) -> Option<Value> {
    (random.below(4) > 0).then(|| value(small(random, 9) - 4))
}

pub(crate) fn small(random: &mut Random, end: u64) -> i64 {
    i64::try_from(random.below(end)).unwrap()
}

pub(crate) fn pick(random: &mut Random, len: u64) -> usize {
    usize::try_from(random.below(len)).unwrap()
}
