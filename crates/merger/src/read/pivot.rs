//! Finds the pivot of a deep page: a key in it or close to it.
//!
//! Members are hashed, so the entry of global rank r is near local rank r/N on every shard, give or
//! take √(r/N). A sampling round takes a few evenly spaced keys from that neighbourhood of every
//! shard. Their global ranks are known within bounds, by the samples around them on the other
//! shards (`samples`). If the estimate is good enough, the closest sample is the pivot. Otherwise
//! a counting round, which fetches no entries, determines the ranks of those near the page exactly,
//! and the closest of these is the pivot. If the neighbourhood was missed, or the samples are too
//! far apart, two more rounds search the interval between the counted keys around the page.
//!
//! A store in this process reads the whole board in one step, and comes here only while a shard is written, or if
//! members are hidden.
//!
//! The result only narrows the search: the page is proven by `gather`.

use board::{Bound, RankKey};
use shard_store::{Anchor, Groups, RangeAsk, ShardReading, StoreError};

use super::samples::{self, SAMPLE_WIDTH, SAMPLES_MAX, SAMPLES_MIN, SAMPLES_OF_ALL, distance};
use crate::gather::Cut;
use crate::read_context::ReadContext;

/// Half the neighbourhood, in standard deviations of a shard's share.
const NEIGHBOURHOOD: f64 = 4.0;

/// A page that is at most this many entries off its pivot is read from there: two more rounds would
/// take longer. At a million members over 16 shards samples are 60 apart on average.
const NEAR: u64 = 640;

/// The same for each shard.
const NEAR_OF_SHARD: u64 = 8;

/// Maximum searches, of two rounds each; then the page is read from the closest key found.
const SEARCHES_MAX: usize = 4;

/// The starting point for reading a page.
pub(super) enum Steered {
    /// A cut close to the page.
    Pivot {
        cut: Cut,
        /// The number of entries above it when it was counted or estimated.
        cut_at: u64,
        /// The standard deviation of an estimate.
        error: u64,
    },
    /// None: the page is past the end, as these readings of every shard show.
    PastTheEnd(Vec<ShardReading>),
}

/// A key with its rank among all shards, and on each.
struct Counted {
    key: RankKey,
    rank: u64,
    local: Vec<u64>,
}

/// The remaining interval on each shard: local ranks between the counted keys around rank `from`.
struct Interval {
    from: u64,
    above: Option<Counted>,
    below: Option<Counted>,
    low: Vec<u64>,
    high: Vec<u64>,
}

/// Finds a key close to the ranks from `from` to `to`.
pub(super) async fn steer(
    context: &ReadContext<'_>,
    from: u64,
    to: u64,
) -> Result<Steered, StoreError> {
    let shards = u64::from(context.shards());
    let near = NEAR.max(to - from).max(NEAR_OF_SHARD * shards);
    let expected = around(from / shards, to / shards);
    let mut seen = sample(context, &vec![expected; usize::from(context.shards())]).await?;
    let members: u64 = seen.iter().map(|reading| reading.members).sum();
    if from >= members {
        return Ok(Steered::PastTheEnd(seen));
    }
    let mut left = Interval::of(from, &seen);
    for search in 1..=SEARCHES_MAX {
        if let Some(pivot) = samples::closest(&seen, from, to)
            && distance(pivot.rank, from, to) + pivot.error <= near
        {
            return Ok(Steered::Pivot {
                cut: Cut::Bound(Bound::key(&pivot.key)),
                cut_at: pivot.rank,
                error: pivot.error,
            });
        }
        let candidates = samples::candidates(&seen, from);
        let progress = count_candidates(context, candidates, &mut left).await?;
        if left.off(to) <= near || !progress || search == SEARCHES_MAX {
            break;
        }
        seen = sample(context, &left.expected(to)).await?;
    }
    let (cut, cut_at) = left.closest(to).map_or((Cut::Top, 0), |pivot| {
        (Cut::Bound(Bound::key(&pivot.key)), pivot.rank)
    });
    Ok(Steered::Pivot {
        cut,
        cut_at,
        error: 0,
    })
}

/// Returns the local ranks between which a shard's part of the page is expected.
fn around(low: u64, high: u64) -> (u64, u64) {
    // An estimate that is proven later: rounding is harmless.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    let spread = |mean: u64| (NEIGHBOURHOOD * (mean as f64).sqrt()).ceil() as u64;
    (low.saturating_sub(spread(low)), high + spread(high) + 1)
}

/// Samples every shard evenly between two of its local ranks.
async fn sample(
    context: &ReadContext<'_>,
    search: &[(u64, u64)],
) -> Result<Vec<ShardReading>, StoreError> {
    let of_one = SAMPLES_OF_ALL / u64::from(context.shards());
    let of_one = of_one.clamp(SAMPLES_MIN, SAMPLES_MAX);
    let reads = (0..context.shards())
        .zip(search)
        .map(|(shard, (low, high))| {
            let width = high.saturating_sub(*low);
            let samples = of_one.min(width / SAMPLE_WIDTH).max(SAMPLES_MIN);
            let samples = samples.min(width.max(1));
            let rank = |sample| {
                low + u64::try_from(u128::from(width) * sample / u128::from(samples))
                    .unwrap_or(u64::MAX)
            };
            let asks = (0..samples).map(|sample| entry_at(rank(u128::from(sample))));
            let mut asked = context.query(shard, asks.collect::<Vec<_>>());
            // Nothing of a sample is returned: it needs no group.
            asked.query.groups = Groups::None;
            asked
        });
    context.round(&reads.collect::<Vec<_>>()).await
}

fn entry_at(rank: u64) -> RangeAsk {
    RangeAsk {
        anchor: Anchor::Rank(rank),
        before: 0,
        after: 1,
    }
}

/// Counts the candidates on every shard, and narrows the interval. Returns false if it did not get
/// narrower.
async fn count_candidates(
    context: &ReadContext<'_>,
    candidates: Vec<RankKey>,
    left: &mut Interval,
) -> Result<bool, StoreError> {
    if candidates.is_empty() {
        return Ok(false);
    }
    let ranges: Vec<RangeAsk> = candidates
        .iter()
        .map(|key| RangeAsk::rank_of(Anchor::Bound(Bound::key(key))))
        .collect();
    let readings = context.round_of_all(ranges).await?;
    let mut progress = false;
    for (index, key) in candidates.into_iter().enumerate() {
        let local: Vec<u64> = readings
            .iter()
            .map(|reading| anchor(reading, index))
            .collect();
        let rank = local.iter().sum();
        progress |= left.narrow(Counted { key, rank, local });
    }
    Ok(progress)
}

impl Interval {
    /// Returns the whole board, of which every shard was read.
    fn of(from: u64, readings: &[ShardReading]) -> Self {
        Self {
            from,
            above: None,
            below: None,
            low: vec![0; readings.len()],
            high: readings.iter().map(|reading| reading.members).collect(),
        }
    }

    /// Returns the counted key that is closest to the page.
    fn closest(&self, to: u64) -> Option<&Counted> {
        let counted = self.above.iter().chain(&self.below);
        counted.min_by_key(|counted| distance(counted.rank, self.from, to))
    }

    fn off(&self, to: u64) -> u64 {
        self.closest(to)
            .map_or(self.from, |counted| distance(counted.rank, self.from, to))
    }

    /// Narrows the interval by a counted key. Returns whether it got narrower.
    fn narrow(&mut self, counted: Counted) -> bool {
        if counted.rank > self.from {
            let closer = self
                .below
                .as_ref()
                .is_none_or(|below| counted.rank < below.rank);
            if closer {
                self.high.clone_from(&counted.local);
                self.below = Some(counted);
            }
            return closer;
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

    /// Returns where to search next on each shard: where the page is expected if the remaining
    /// entries of the shard are evenly distributed over those of all shards.
    fn expected(&self, to: u64) -> Vec<(u64, u64)> {
        let above = self.above.as_ref().map_or(0, |above| above.rank);
        let below = self.below.as_ref();
        let below = below.map_or_else(|| self.high.iter().sum(), |below| below.rank);
        // Estimates that are proven later: rounding is harmless.
        #[expect(clippy::cast_precision_loss)]
        let share = |rank: u64| {
            let share = rank.saturating_sub(above) as f64 / below.saturating_sub(above) as f64;
            share.clamp(0.0, 1.0)
        };
        let (first, last) = (share(self.from), share(to));
        let intervals = self.low.iter().zip(&self.high);
        let expected = intervals.map(|(low, high)| {
            #[expect(clippy::cast_precision_loss)]
            let width = high.saturating_sub(*low) as f64;
            let spread = |share: f64| NEIGHBOURHOOD * (width * share * (1.0 - share)).sqrt();
            let (from, to) = (
                width * first - spread(first),
                width * last + spread(last) + 1.0,
            );
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let rank = |offset: f64| low + offset.clamp(0.0, width) as u64;
            (rank(from), rank(to))
        });
        expected.collect()
    }
}

fn anchor(reading: &ShardReading, ask: usize) -> u64 {
    let part = reading.parts.as_ref().and_then(|parts| parts.get(ask));
    part.and_then(|part| part.anchor).unwrap_or(0)
}
