//! Reads while three threads write: every result is a possible state of the board.
//!
//! Writers record every standing that they write. Every entry must be one of those; no member occurs twice, positions
//! have no gaps, and the order is strict.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use board::{Member, RankStyle, Timestamp};
use merger::{MemberView, RankedEntry, Slice};
use parking_lot::Mutex;
use tokio::runtime::Builder;

use crate::agree::ALL;
use crate::kinds::{kind, points, value};
use crate::million::long;
use crate::random::Random;
use crate::stage::{NOW_MS, Stage};
use crate::twin::{Row, shown};

const WRITERS: u64 = 3;
const MEMBERS: u64 = 5_000;

/// Member, points and time of every standing that was written.
type History = Mutex<HashSet<(String, i64, i64)>>;

fn standing(row: &Row) -> (String, i64, i64) {
    let points = row.values.get(0).unwrap().get();
    (row.member.to_string(), points, row.at.millis())
}

fn row(member: u64, random: &mut Random) -> Row {
    Row {
        member: Member::new(&format!("u{member}")).unwrap(),
        values: value(i64::try_from(random.below(200)).unwrap()).into(),
        at: Timestamp::from_millis(NOW_MS - i64::try_from(random.below(20)).unwrap()),
    }
}

/// Sets members to random standings until `over`; each member has one writer.
async fn write(stage: &Stage, writer: u64, history: &History, over: &AtomicBool) {
    let mut random = Random::of_run(500 + writer);
    while !over.load(Ordering::Relaxed) {
        let members: Vec<u64> = (0..20).map(|_| random.below(MEMBERS / WRITERS)).collect();
        let own = members.into_iter().map(|n| n * WRITERS + writer);
        let rows: Vec<Row> = own.map(|member| row(member, &mut random)).collect();
        // Recorded before the write, so that no reader sees a standing that is not recorded.
        history.lock().extend(rows.iter().map(standing));
        stage.set(&stage.board, &rows).await;
    }
}

struct Reader<'a> {
    stage: &'a Stage,
    history: &'a History,
}

impl Reader<'_> {
    /// Checks a range that begins at position `first`.
    fn check(&self, first: u64, entries: &[RankedEntry]) {
        let positions: Vec<u64> = entries.iter().map(|entry| entry.position).collect();
        let gapless: Vec<u64> = (first..first + entries.len() as u64).collect();
        assert_eq!(positions, gapless);
        let members: HashSet<_> = entries.iter().map(|e| &e.entry.key.member).collect();
        assert_eq!(members.len(), entries.len(), "a member twice: {entries:?}");
        assert!(
            entries.is_sorted_by(|a, b| a.entry.key > b.entry.key),
            "{entries:?}"
        );
        for entry in entries {
            let row = shown(&self.stage.kind, entry).row;
            assert!(
                self.history.lock().contains(&standing(&row)),
                "never written: {row:?}"
            );
            assert!(1 <= entry.rank && entry.rank <= entry.position, "{entry:?}");
        }
        for pair in entries.windows(2) {
            let fields = |entry: &RankedEntry| shown(&self.stage.kind, entry).row.values;
            let wanted = if fields(&pair[0]) == fields(&pair[1]) {
                pair[0].rank
            } else if self.stage.kind.is_dense() {
                pair[0].rank + 1
            } else {
                pair[1].position
            };
            assert_eq!(pair[1].rank, wanted, "{pair:?}");
        }
    }

    async fn page(&self, random: &mut Random) {
        let from = random.within(1, MEMBERS);
        let to = from + random.below(200);
        let (merger, stage) = (&self.stage.merger, self.stage);
        let answer = merger.range(&stage.board, &stage.kind, ALL, from, to);
        let answer = answer.await.unwrap();
        let there = (to + 1).min(answer.members + 1).saturating_sub(from);
        assert_eq!(answer.value.len() as u64, there, "{from} to {to}");
        self.check(from, &answer.value);
    }

    async fn member(&self, random: &mut Random) {
        let member = Member::new(&format!("u{}", random.below(MEMBERS))).unwrap();
        let (above, below) = (random.below(8), random.below(8));
        let (merger, stage) = (&self.stage.merger, self.stage);
        let around = (above, below);
        let answer = merger.member(&stage.board, &stage.kind, ALL, &member, around);
        let answer = answer.await.unwrap();
        let Some(view) = answer.value.ranked() else {
            return;
        };
        let MemberView { around, index, .. } = &view;
        let own = view.own();
        assert_eq!(own.entry.key.member, member);
        assert!(own.position <= answer.members);
        assert_eq!(*index as u64, above.min(own.position - 1));
        let worse = around.len() - index - 1;
        assert_eq!(worse as u64, below.min(answer.members - own.position));
        self.check(around[0].position, around);
    }

    async fn lookup(&self, random: &mut Random) {
        let members: Vec<Member> = (0..50)
            .map(|_| Member::new(&format!("u{}", random.below(2 * MEMBERS))).unwrap())
            .collect();
        let (merger, stage) = (&self.stage.merger, self.stage);
        let answer = merger.lookup(&stage.board, &stage.kind, ALL, &members);
        for (member, found) in members.iter().zip(answer.await.unwrap().value) {
            let Some(found) = found.ranked() else {
                continue;
            };
            assert_eq!(found.entry.key.member, *member);
            assert!(found.rank <= found.position, "{found:?}");
            let row = shown(&stage.kind, &found).row;
            assert!(
                self.history.lock().contains(&standing(&row)),
                "never written: {row:?}"
            );
        }
    }

    async fn between(&self, random: &mut Random) {
        let min = i64::try_from(random.below(190)).unwrap();
        let ends = (Some(value(min)), Some(value(min + 9)));
        let (merger, stage) = (&self.stage.merger, self.stage);
        let answer = merger.slice(&stage.board, &stage.kind, ALL, Slice::between(ends, 300));
        let entries = answer.await.unwrap().value;
        for entry in &entries {
            let (_, points, _) = standing(&shown(&stage.kind, entry).row);
            assert!((min..=min + 9).contains(&points), "{entry:?}");
        }
        if let Some(first) = entries.first() {
            self.check(first.position, &entries);
        }
    }
}

#[test]
fn every_result_is_a_possible_state_of_the_board() {
    check_reads(RankStyle::Competition);
}

#[test]
fn every_dense_rank_is_one_of_a_possible_state_of_the_board() {
    check_reads(RankStyle::Dense);
}

fn check_reads(style: RankStyle) {
    let reads = if long() { 20_000 } else { 1_500 };
    let mut spec = points(16);
    spec.rank = style;
    let runtime = || Builder::new_current_thread().build().unwrap();
    let stage = Arc::new(runtime().block_on(Stage::in_memory(kind(spec))));
    let (history, over) = (History::default(), AtomicBool::new(false));
    let mut random = Random::of_run(499);
    let rows: Vec<Row> = (0..MEMBERS).map(|n| row(n, &mut random)).collect();
    history.lock().extend(rows.iter().map(standing));
    runtime().block_on(stage.set(&stage.board, &rows));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (stage, history, over) = (&stage, &history, &over);
            scope.spawn(move || runtime().block_on(write(stage, writer, history, over)));
        }
        // Writers end even if the reader panics.
        let _ends = Ends(&over);
        let reader = Reader {
            stage: &stage,
            history: &history,
        };
        runtime().block_on(async {
            for n in 0..reads {
                match n % 4 {
                    0 => reader.page(&mut random).await,
                    1 => reader.member(&mut random).await,
                    2 => reader.lookup(&mut random).await,
                    _ => reader.between(&mut random).await,
                }
            }
        });
    });
}

struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
