//! Steering to a deep page: a key close above it, found by counting.
//!
//! Members are hashed, so the entry of global rank r lies near local rank r/N on every shard, give
//! or take some √(r/N). A sampling round takes a handful of keys, evenly spaced, from that
//! neighbourhood of every shard. Their global ranks are known within bounds, by the samples around
//! them on the other shards; a counting round, which fetches no entries, makes the candidates
//! exact. The best of them is the pivot. Where the neighbourhood was missed, or the samples lie too
//! far apart, two more rounds look at the interval that is left.
//!
//! What is found here only steers: the page proves itself (`gather`).

use board::{Bound, RankKey};
use shard_store::{Anchor, Ask, Reading, StoreError};

use crate::gather::Cut;
use crate::scope::Scope;

/// Keys that a shard is sampled for in a round.
const SAMPLES: u64 = 17;

/// Candidates counted exactly in a round.
const CANDIDATES_MAX: usize = 64;

/// Half the neighbourhood, in standard deviations of a shard's share.
const NEIGHBOURHOOD: f64 = 4.0;

/// Rounds of steering; then the page is read from as close as they got.
const ROUNDS_MAX: usize = 16;

/// A cut in the order, and how many entries of the whole board were better when it was counted.
#[derive(Debug, Clone)]
pub(super) struct Pivot {
    pub(super) cut: Cut,
    pub(super) rank: u64,
}

/// A key with its rank among all shards, and on each.
struct Counted {
    key: RankKey,
    rank: u64,
    local: Vec<u64>,
}

/// What is left of each shard: local ranks between the counted keys around the page.
struct Interval {
    above: Option<Counted>,
    low: Vec<u64>,
    high: Vec<u64>,
}

/// A key close above rank `from`, or above everything.
pub(super) async fn find_pivot(scope: &Scope<'_>, from: u64, to: u64) -> Result<Pivot, StoreError> {
    let count = usize::from(scope.shards());
    let (low, high) = neighbourhood(from, to, scope.shards());
    let mut look = (vec![low; count], vec![high; count]);
    let mut left = Interval {
        above: None,
        low: vec![0; count],
        high: vec![u64::MAX; count],
    };
    // A page that starts so far behind its pivot costs little more than one that starts at it.
    let near = (to - from).max(8 * u64::from(scope.shards()));
    for _ in 0..ROUNDS_MAX / 2 {
        let seen = sample(scope, &look.0, &look.1).await?;
        let members: u64 = seen.iter().map(|reading| reading.members).sum();
        for (high, reading) in left.high.iter_mut().zip(&seen) {
            *high = (*high).min(reading.members);
        }
        if from >= members {
            // Past the end: the page is empty, and the end proves it.
            break;
        }
        let candidates = candidates(&seen, from);
        let progress = count_candidates(scope, candidates, from, &mut left).await?;
        let rank = left.above.as_ref().map_or(0, |above| above.rank);
        if from - rank.min(from) <= near || !progress {
            break;
        }
        look = (left.low.clone(), left.high.clone());
    }
    Ok(left.above.map_or(
        Pivot {
            cut: Cut::Top,
            rank: 0,
        },
        |above| Pivot {
            cut: Cut::Bound(Bound::key(&above.key)),
            rank: above.rank,
        },
    ))
}

/// Local ranks between which a shard's part of the page is expected.
fn neighbourhood(from: u64, to: u64, shards: u16) -> (u64, u64) {
    // A guess that is proven later: rounding does no harm.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    let spread = |mean: u64| (NEIGHBOURHOOD * (mean as f64).sqrt()).ceil() as u64;
    let (low, high) = (from / u64::from(shards), to / u64::from(shards));
    (low.saturating_sub(spread(low)), high + spread(high) + 1)
}

/// Samples every shard evenly between two local ranks of it.
async fn sample(scope: &Scope<'_>, low: &[u64], high: &[u64]) -> Result<Vec<Reading>, StoreError> {
    let looks = (0..scope.shards())
        .zip(low.iter().zip(high))
        .map(|(shard, (low, high))| {
            let width = high.saturating_sub(*low);
            let samples = SAMPLES.min(width.max(1));
            let rank = |sample| {
                low + u64::try_from(u128::from(width) * sample / u128::from(samples))
                    .unwrap_or(u64::MAX)
            };
            let ask = |sample| Ask {
                anchor: Anchor::Rank(rank(u128::from(sample))),
                before: 0,
                after: 1,
            };
            (shard, (0..samples).map(ask).collect())
        });
    scope.round(looks.collect()).await
}

/// The samples that may be the last above rank `from`, by the bounds on their global ranks; best
/// first, thinned out where there are too many.
fn candidates(samples: &[Reading], from: u64) -> Vec<RankKey> {
    let ladders: Vec<Vec<(&RankKey, u64)>> = samples.iter().map(ladder).collect();
    let mut keys: Vec<&RankKey> = ladders.iter().flatten().map(|(key, _)| *key).collect();
    keys.sort_unstable_by(|a, b| b.cmp(a));
    let bounds: Vec<(u64, u64)> = keys
        .iter()
        .map(|key| global_bounds(key, &ladders, samples))
        .collect();
    // The last key surely above, all that may be, and the first that surely is not.
    let first = bounds
        .partition_point(|(_, highest)| *highest <= from)
        .saturating_sub(1);
    let last = bounds.partition_point(|(lowest, _)| *lowest <= from);
    let straddling = &keys[first..(last + 1).min(keys.len())];
    let step = straddling.len().div_ceil(CANDIDATES_MAX).max(1);
    straddling
        .iter()
        .step_by(step)
        .map(|key| (*key).clone())
        .collect()
}

/// A shard's samples: key and local rank, best first.
fn ladder(reading: &Reading) -> Vec<(&RankKey, u64)> {
    let parts = reading.parts.iter().flatten();
    parts
        .filter_map(|part| part.entries.first().map(|entry| (&entry.key, part.start)))
        .collect()
}

/// How many entries of the whole board are better than a key: at least, and at most.
fn global_bounds(
    key: &RankKey,
    ladders: &[Vec<(&RankKey, u64)>],
    samples: &[Reading],
) -> (u64, u64) {
    let (mut lowest, mut highest) = (0, 0);
    for (ladder, reading) in ladders.iter().zip(samples) {
        let better = ladder.partition_point(|(other, _)| *other > key);
        lowest += better.checked_sub(1).map_or(0, |last| ladder[last].1 + 1);
        highest += ladder
            .get(better)
            .map_or(reading.members, |(_, rank)| *rank);
    }
    (lowest, highest)
}

/// Counts the candidates on every shard, and narrows what is left. False when nothing got narrower.
async fn count_candidates(
    scope: &Scope<'_>,
    candidates: Vec<RankKey>,
    from: u64,
    left: &mut Interval,
) -> Result<bool, StoreError> {
    if candidates.is_empty() {
        return Ok(false);
    }
    let asks: Vec<Ask> = candidates
        .iter()
        .map(|key| Ask::rank_of(Anchor::Bound(Bound::key(key))))
        .collect();
    let readings = scope.round_of_all(&asks).await?;
    let mut progress = false;
    for (index, key) in candidates.into_iter().enumerate() {
        let local: Vec<u64> = readings
            .iter()
            .map(|reading| anchor(reading, index))
            .collect();
        let rank = local.iter().sum();
        progress |= left.narrow(Counted { key, rank, local }, from);
    }
    Ok(progress)
}

impl Interval {
    fn narrow(&mut self, counted: Counted, from: u64) -> bool {
        if counted.rank > from {
            let narrower = self
                .high
                .iter()
                .zip(&counted.local)
                .any(|(high, local)| local < high);
            for (high, local) in self.high.iter_mut().zip(&counted.local) {
                *high = (*high).min(*local);
            }
            return narrower;
        }
        let closer = self
            .above
            .as_ref()
            .is_none_or(|above| counted.rank > above.rank);
        if closer {
            self.low.clone_from(&counted.local);
            self.above = Some(counted);
        }
        closer
    }
}

fn anchor(reading: &Reading, ask: usize) -> u64 {
    let part = reading.parts.as_ref().and_then(|parts| parts.get(ask));
    part.and_then(|part| part.anchor).unwrap_or(0)
}
