//! The batches of a request, compared with a naive twin: the same writes, each in a request of its own.

use std::sync::Arc;
use std::time::Duration;

use board::limits::VALUE_MAX;
use board::{BoardName, FieldName, FieldRule, KindSpec, Mode, Period, Rules, Ties, WindowRule};
use shard_router::{BoardBatches, KnownKind, Write, WriteOutcome, WriteRejected};
use shard_store::{Change, ItemFailure, ItemRejected};
use testkit::dice::{Dice, Seed, runs};

use crate::stage::{NOW, Stage, board, id, kind, member, points, points_of};

const BOARDS: usize = 5;
const WRITES: usize = 60;

/// A server and three versions of its kind, the second of which has another meaning.
struct Server {
    stage: Stage,
    kinds: [KnownKind; 3],
    boards: Vec<Arc<BoardName>>,
}

impl Server {
    async fn new() -> Self {
        let stage = Stage::in_memory().await;
        let hourly = || {
            let mut spec = points("gifts");
            spec.windows.push(WindowRule::with_defaults(Period::Hour));
            spec
        };
        let fields = ["likes", "points"].map(|name| FieldRule::sum(FieldName::new(name).unwrap()));
        let rules = Rules::new(fields.to_vec(), Mode::Accumulate, Ties::Earliest).unwrap();
        let other = KindSpec { rules, ..hourly() };
        let mut kinds = Vec::new();
        for spec in [hourly(), other, hourly()] {
            let put = stage.router.catalogue().put(kind(spec), NOW).await;
            kinds.push(put.unwrap().0);
        }
        let boards = (0..BOARDS).map(|number| board(&format!("room-{number}")));
        Self {
            stage,
            kinds: kinds.try_into().unwrap(),
            boards: boards.collect(),
        }
    }

    /// Creates a random write.
    fn write(&self, dice: &mut Dice) -> Write {
        let hour = Duration::from_hours(1);
        let board = dice.pick(&self.boards);
        // Equal names need not share an `Arc`.
        let board = if dice.one_in(3) {
            Arc::new(BoardName::clone(board))
        } else {
            board.clone()
        };
        let kind = match dice.below(12) {
            0 => &self.kinds[1],
            number => &self.kinds[2 * (number % 2)],
        };
        let number = *dice.pick(&[1, 5, -3, VALUE_MAX]);
        let change = match (dice.below(6), points_of(number)) {
            (0, _) => Change::Remove,
            (1, Change::Fold(values)) => Change::Set(values),
            (_, fold) => fold,
        };
        let at = *dice.pick(&[NOW, NOW, NOW, NOW.minus(hour), NOW.plus(hour)]);
        let calendar = kind.kind.calendar();
        let only = match change {
            Change::Fold(_) | Change::RemoveFrom | Change::Expire => false,
            Change::Set(_) => dice.one_in(4),
            Change::Remove => dice.one_in(2),
        };
        Write {
            board,
            kind: kind.clone(),
            member: member(&format!("u{}", dice.below(4))),
            change,
            at,
            id: dice
                .one_in(2)
                .then(|| id(&format!("evt-{}", dice.below(8)))),
            only: only.then(|| calendar.span_at(Period::Hour, NOW).window),
        }
    }

    async fn all_points(&self) -> Vec<Vec<(String, i64)>> {
        let mut all = Vec::new();
        for board in &self.boards {
            all.push(self.stage.all_points(board).await);
        }
        all
    }
}

/// Returns whether the outcomes differ only in why a removal had no effect: on a board that has not been created it
/// finds no member; beside a contribution that would create the board it fails, because the kind has changed.
fn differs_in_reason(write: &Write, together: &WriteOutcome, alone: &WriteOutcome) -> bool {
    let has_changed = matches!(
        together,
        WriteOutcome::Failed(ItemFailure::Unavailable(why)) if why.contains("has just changed")
    );
    let finds_no_member = matches!(
        alone,
        WriteOutcome::Rejected(WriteRejected::Shard(ItemRejected::NotRanked(_)))
    );
    write.change.is_removal() && has_changed && finds_no_member
}

#[tokio::test]
async fn batches_equal_single_writes() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let mut applied = 0;
    for _ in 0..runs(30, 1_000) {
        let (whole, single) = (Server::new().await, Server::new().await);
        for _ in 0..3 {
            let thrown = dice.split();
            let writes = |server: &Server| -> Vec<Write> {
                let mut thrown = thrown.clone();
                (0..WRITES).map(|_| server.write(&mut thrown)).collect()
            };
            let batches: BoardBatches = writes(&whole).into_iter().collect();
            assert_eq!(batches.len(), WRITES);
            let together = whole.stage.router.write(batches, NOW, true).await;
            let mut one_by_one = Vec::new();
            for write in writes(&single) {
                one_by_one.extend(single.stage.send(&[write]).await);
            }
            assert_eq!(together.len(), one_by_one.len());
            let outcomes = together.iter().zip(&one_by_one);
            for (write, (together, alone)) in writes(&whole).iter().zip(outcomes) {
                assert!(
                    together == alone || differs_in_reason(write, together, alone),
                    "{write:?}: {together:?} in a batch, {alone:?} alone"
                );
            }
            let taken = together
                .iter()
                .filter(|it| matches!(it, WriteOutcome::Applied(_)));
            applied += taken.count();
        }
        assert_eq!(whole.all_points().await, single.all_points().await);
    }
    assert!(applied > 0);
}
