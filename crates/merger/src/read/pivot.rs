//! Steering to a deep page: a key in it or close to it, found by counting.
//!
//! Members are hashed, so the entry of global rank r lies near local rank r/N on every shard, give
//! or take some √(r/N). A sampling round takes a handful of keys, evenly spaced, from that
//! neighbourhood of every shard. Their global ranks are known within bounds, by the samples around
//! them on the other shards (`samples`); a counting round, which fetches no entries, makes those
//! near the page exact. The best of them is the pivot. Where the neighbourhood was missed, or the
//! samples lie too far apart, two more rounds look at the interval that is left.
//!
//! What is found here only steers: the page proves itself (`gather`).

use board::{Bound, RankKey};
use shard_store::{Anchor, Ask, Reading, StoreError};

use super::samples::{self, SAMPLES_MAX, SAMPLES_MIN, SAMPLES_OF_ALL};
use crate::gather::Cut;
use crate::scope::Scope;

/// Half the neighbourhood, in standard deviations of a shard's share.
const NEIGHBOURHOOD: f64 = 4.0;

/// A page that lies so many entries off its pivot is read from there: two more rounds would take
/// longer. At a million members over 16 shards samples lie 60 apart in the mean.
const NEAR: u64 = 640;

/// Looks, of two rounds each; then the page is read from as close as they got.
const LOOKS_MAX: usize = 4;

/// Where a page is best read from.
pub(super) enum Steered {
    /// From this cut, which so many entries of the whole board were better than when it was counted.
    Pivot(Cut, u64),
    /// Nowhere: it lies behind the end, as these readings of every shard show.
    PastTheEnd(Vec<Reading>),
}

/// A key with its rank among all shards, and on each.
struct Counted {
    key: RankKey,
    rank: u64,
    local: Vec<u64>,
}

/// What is left of each shard: local ranks between the counted keys around rank `from`.
struct Interval {
    from: u64,
    above: Option<Counted>,
    below: Option<Counted>,
    low: Vec<u64>,
    high: Vec<u64>,
}

/// A key close to the ranks from `from` to `to`.
pub(super) async fn steer(scope: &Scope<'_>, from: u64, to: u64) -> Result<Steered, StoreError> {
    let shards = u64::from(scope.shards());
    let count = usize::from(scope.shards());
    let mut look = vec![around(from / shards, to / shards); count];
    let mut left = Interval {
        from,
        above: None,
        below: None,
        low: vec![0; count],
        high: vec![u64::MAX; count],
    };
    let near = (to - from).max(NEAR).max(8 * shards);
    for _ in 0..LOOKS_MAX {
        let seen = sample(scope, &look).await?;
        let members: u64 = seen.iter().map(|reading| reading.members).sum();
        if from >= members {
            return Ok(Steered::PastTheEnd(seen));
        }
        for (high, reading) in left.high.iter_mut().zip(&seen) {
            *high = (*high).min(reading.members);
        }
        let candidates = samples::candidates(&seen, from);
        let progress = count_candidates(scope, candidates, &mut left).await?;
        if left.off(to) <= near || !progress {
            break;
        }
        look = left.shares(&seen, to, members);
    }
    let pivot = left.closest(to);
    Ok(pivot.map_or(Steered::Pivot(Cut::Top, 0), |pivot| {
        Steered::Pivot(Cut::Bound(Bound::key(&pivot.key)), pivot.rank)
    }))
}

/// Local ranks between which a shard's part of the page is expected.
fn around(low: u64, high: u64) -> (u64, u64) {
    // A guess that is proven later: rounding does no harm.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    let spread = |mean: u64| (NEIGHBOURHOOD * (mean as f64).sqrt()).ceil() as u64;
    (low.saturating_sub(spread(low)), high + spread(high) + 1)
}

/// Samples every shard evenly between two local ranks of it.
async fn sample(scope: &Scope<'_>, look: &[(u64, u64)]) -> Result<Vec<Reading>, StoreError> {
    let of_one = SAMPLES_OF_ALL / u64::from(scope.shards());
    let of_one = of_one.clamp(SAMPLES_MIN, SAMPLES_MAX);
    let looks = (0..scope.shards()).zip(look).map(|(shard, (low, high))| {
        let width = high.saturating_sub(*low);
        let samples = of_one.min(width.max(1));
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

/// Counts the candidates on every shard, and narrows what is left. False when nothing got narrower.
async fn count_candidates(
    scope: &Scope<'_>,
    candidates: Vec<RankKey>,
    left: &mut Interval,
) -> Result<bool, StoreError> {
    if candidates.is_empty() {
        return Ok(false);
    }
    let asks: Vec<Ask> = candidates
        .iter()
        .map(|key| Ask::rank_of(Anchor::Bound(Bound::key(key))))
        .collect();
    let readings = scope.round_of_all(asks).await?;
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

impl Counted {
    /// How far off a page its rank lies: not at all where it is inside.
    const fn off(&self, from: u64, to: u64) -> u64 {
        from.saturating_sub(self.rank) + self.rank.saturating_sub(to)
    }
}

impl Interval {
    /// The counted key that lies closest to the page.
    fn closest(&self, to: u64) -> Option<&Counted> {
        let counted = self.above.iter().chain(&self.below);
        counted.min_by_key(|counted| counted.off(self.from, to))
    }

    fn off(&self, to: u64) -> u64 {
        self.closest(to)
            .map_or(self.from, |counted| counted.off(self.from, to))
    }

    /// True when that left less.
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

    /// Where to look next: where the page is expected by what each shard holds of the board, as far
    /// as that is left. It is what finds a page of a board whose shards are not of one size.
    fn shares(&self, seen: &[Reading], to: u64, members: u64) -> Vec<(u64, u64)> {
        let share = |rank: u64, of_shard: u64| {
            let share = u128::from(rank) * u128::from(of_shard) / u128::from(members);
            u64::try_from(share).unwrap_or(u64::MAX)
        };
        let left = self.low.iter().zip(&self.high).zip(seen);
        left.map(|((low, high), reading)| {
            let (from, to) = (
                share(self.from, reading.members),
                share(to, reading.members),
            );
            let expected = around(from, to);
            let both = (expected.0.max(*low), expected.1.min(*high));
            let is_new = both.1 - both.0.min(both.1) < (high - low.min(high)) / 2;
            if both.0 < both.1 && is_new {
                both
            } else {
                (*low, *high)
            }
        })
        .collect()
    }
}

fn anchor(reading: &Reading, ask: usize) -> u64 {
    let part = reading.parts.as_ref().and_then(|parts| parts.get(ask));
    part.and_then(|part| part.anchor).unwrap_or(0)
}
