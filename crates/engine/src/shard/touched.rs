//! [`Touched`]: the rankings that a batch may have changed, collected from its [`Runs`].

use smallvec::SmallVec;

/// Positions in a shard's rankings of the windows of an item.
pub(super) type Positions = SmallVec<[u32; 5]>;

/// The rankings that a batch may have changed: its end visits no others, however many windows the
/// board has. Valid until the next batch.
#[derive(Debug, Default)]
pub struct Touched {
    /// Positions of the rankings that items counted in, each once.
    pub(super) positions: Positions,
    /// A member was removed, which visits all windows anyway.
    pub(super) removed: bool,
}

impl Touched {
    pub(super) fn all(rankings: usize) -> Self {
        let positions = 0..u32::try_from(rankings).unwrap_or(u32::MAX);
        Self {
            positions: positions.collect(),
            removed: true,
        }
    }

    pub(super) fn of(runs: Runs, removed: bool) -> Self {
        let mut runs = runs.into_iter();
        let mut positions = runs.next().map_or_else(Positions::new, |run| run.positions);
        for run in runs {
            positions.extend(run.positions);
        }
        positions.sort_unstable();
        positions.dedup();
        Self { positions, removed }
    }
}

/// The runs of a batch, mostly one.
pub(super) type Runs = SmallVec<[Run; 1]>;

/// Consecutive items with the same windows, and the positions of those.
pub(super) struct Run {
    /// The run's first item. It ends where the next run begins.
    pub(super) first: usize,
    pub(super) positions: Positions,
}
