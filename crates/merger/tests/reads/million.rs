//! One board of a million members with heavy ties over 16 shards, shared by the tests of this run.

use std::sync::{Arc, OnceLock};

use board::{Kind, Member, RankStyle, Timestamp};
use merger::Merger;
use testkit::HookedStore;
use tokio::runtime::{Builder, Runtime};

use crate::agree::Agree;
use crate::kinds::{kind, points, value};
use crate::random::Random;
use crate::stage::{NOW_MS, Stage, in_memory};
use crate::twin::{Row, Twin};

pub(crate) const MEMBERS: u64 = 1_000_000;
/// See [`Million::agree`].
pub(crate) const WAYS: usize = 6;

const SHARDS: u64 = 16;
const POINTS: u64 = 50;
const TIMES: u64 = 10;

pub(crate) struct Million {
    /// Over a store in this process, which reads the whole board in one step.
    pub(crate) stage: Stage,
    /// Over the same store, read by shards.
    pub(crate) by_shards: Stage,
    /// Over the same store; every read of it counts as a round trip.
    pub(crate) remote: Stage,
    pub(crate) twin: Twin,
    /// The same rules, once for each rank style: the reader chooses it.
    pub(crate) kinds: [Arc<Kind>; 2],
    pub(crate) runtime: Runtime,
}

/// Returns the board; the first caller creates it.
pub(crate) fn million() -> &'static Million {
    static MILLION: OnceLock<Million> = OnceLock::new();
    MILLION.get_or_init(|| {
        let runtime = Builder::new_current_thread().build().unwrap();
        let store = in_memory();
        let stage = Stage::over(store.clone(), kind(points(SHARDS)), 64 << 20);
        let stage = runtime.block_on(stage);
        let mut random = Random::of_run(0);
        let rows: Vec<Row> = (0..MEMBERS).map(|n| row(n, &mut random)).collect();
        runtime.block_on(stage.set(&stage.board, &rows));
        let twin = Twin::new(stage.kind.rules(), rows);
        let kinds = [RankStyle::Ordinal, RankStyle::Competition].map(|rank| {
            let mut spec = points(SHARDS);
            spec.rank = rank;
            Arc::new(kind(spec))
        });
        let by_shards = HookedStore::by_shards(store.clone());
        let by_shards = Stage::over(by_shards, kind(points(SHARDS)), 64 << 20);
        let remote = Stage::over(HookedStore::before(store), kind(points(SHARDS)), 64 << 20);
        Million {
            stage,
            by_shards: runtime.block_on(by_shards),
            remote: runtime.block_on(remote),
            twin,
            kinds,
            runtime,
        }
    })
}

fn row(n: u64, random: &mut Random) -> Row {
    let points = i64::try_from(random.below(POINTS)).unwrap();
    let age = i64::try_from(random.below(TIMES)).unwrap();
    Row {
        member: Member::new(&format!("u{n}")).unwrap(),
        values: value(points).into(),
        at: Timestamp::from_millis(NOW_MS - age),
    }
}

impl Million {
    /// Creates a separate merger, for counting what reads cost if each is a round trip.
    pub(crate) fn merger(&self) -> Merger {
        self.remote.another_merger()
    }

    /// Returns the member at this position.
    pub(crate) fn member(&self, position: u64) -> Member {
        self.twin.at(RankStyle::Ordinal, position).row.member
    }

    /// Returns one of the [`WAYS`] of reading the board: each style, over each store.
    pub(crate) fn agree(&self, way: usize) -> Agree<'_> {
        let stages = [&self.stage, &self.remote, &self.by_shards];
        Agree {
            stage: stages[way / 2 % 3],
            kind: &self.kinds[way % 2],
            twin: &self.twin,
        }
    }
}

/// Whether to check everything instead of a sample: `MEGABOARD_TEST_LONG`.
pub(crate) fn long() -> bool {
    std::env::var_os("MEGABOARD_TEST_LONG").is_some()
}
