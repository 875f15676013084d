//! Bounds global ranks by samples of every shard.
//!
//! A sampled key's local rank on its own shard is known; on every other shard it is between those
//! of the samples around it. The sums are bounds on its global rank, and their middle is an
//! estimate whose error grows only with √N.

use board::RankKey;
use shard_store::ShardReading;

/// Samples that are requested from all shards together in a round.
pub(super) const SAMPLES_OF_ALL: u64 = 1024;

/// Maximum samples of one shard: larger numbers would cost more than the page.
pub(super) const SAMPLES_MAX: u64 = 24;

/// Minimum samples of one shard.
pub(super) const SAMPLES_MIN: u64 = 4;

/// The minimum of local ranks that a sample stands for: more samples would cost more than the
/// entries that they spare.
pub(super) const SAMPLE_WIDTH: u64 = 48;

/// Candidates counted exactly in a round.
const CANDIDATES_MAX: usize = 32;

/// A sampled key, and bounds on how many entries of the whole board are better.
struct Sample<'a> {
    key: &'a RankKey,
    lowest: u64,
    highest: u64,
}

impl Sample<'_> {
    const fn guess(&self) -> u64 {
        self.lowest.midpoint(self.highest)
    }
}

/// A sampled key and its estimated rank.
pub(super) struct Estimate {
    pub(super) key: RankKey,
    pub(super) rank: u64,
    /// The standard deviation of the rank.
    pub(super) error: u64,
}

/// Returns the distance of a rank from a page: zero if it is inside.
pub(super) const fn distance(rank: u64, from: u64, to: u64) -> u64 {
    from.saturating_sub(rank) + rank.saturating_sub(to)
}

/// Returns the sample that is most likely the closest to these ranks.
pub(super) fn closest(readings: &[ShardReading], from: u64, to: u64) -> Option<Estimate> {
    let samples = bounded(readings).into_iter();
    let sample = samples.min_by_key(|sample| distance(sample.guess(), from, to))?;
    // On each other shard the rank is anywhere between two samples, with a deviation of their
    // distance by √12. Shards are independent of one another.
    let others = readings.len().saturating_sub(1).max(1);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    let error = ((sample.highest - sample.lowest) as f64 / (12.0 * others as f64).sqrt()) as u64;
    Some(Estimate {
        key: sample.key.clone(),
        rank: sample.guess(),
        error,
    })
}

/// Returns the samples that may be the last above rank `from`, best first: the most likely ones,
/// and those that bound them on both sides.
pub(super) fn candidates(readings: &[ShardReading], from: u64) -> Vec<RankKey> {
    let samples = bounded(readings);
    // The last key definitely above, all that may be, and the first that definitely is not.
    let first = samples
        .partition_point(|sample| sample.highest <= from)
        .saturating_sub(1);
    let last = samples.partition_point(|sample| sample.lowest <= from);
    let straddling = &samples[first..(last + 1).min(samples.len())];
    let likely = straddling.partition_point(|sample| sample.guess() <= from);
    let start = likely
        .saturating_sub(CANDIDATES_MAX / 2)
        .min(straddling.len().saturating_sub(CANDIDATES_MAX));
    let end = (start + CANDIDATES_MAX).min(straddling.len());
    let bounds = [0, straddling.len().saturating_sub(1)];
    let chosen = (0..straddling.len())
        .filter(|index| (start..end).contains(index) || bounds.contains(index));
    chosen.map(|index| straddling[index].key.clone()).collect()
}

/// Returns all samples, best first, with the bounds on their ranks.
fn bounded(readings: &[ShardReading]) -> Vec<Sample<'_>> {
    let mut keys: Vec<(&RankKey, u64, usize)> = Vec::new();
    for (shard, reading) in readings.iter().enumerate() {
        let parts = reading.parts.iter().flatten();
        keys.extend(parts.filter_map(|part| Some((&part.entries.first()?.key, part.start, shard))));
    }
    keys.sort_unstable_by(|a, b| b.0.cmp(a.0));
    // From best to worst: how many entries every shard has above, at least and at most.
    let mut lowest: u64 = 0;
    let mut of_shard = vec![0; readings.len()];
    let mut lowests = Vec::with_capacity(keys.len());
    for (_, rank, shard) in &keys {
        lowest += rank - of_shard[*shard];
        lowests.push(lowest);
        // The sample itself is above what follows.
        lowest += 1;
        of_shard[*shard] = rank + 1;
    }
    let mut at_most: Vec<u64> = readings.iter().map(|reading| reading.members).collect();
    let mut highest: u64 = at_most.iter().sum();
    let mut samples = Vec::with_capacity(keys.len());
    for ((key, rank, shard), lowest) in keys.into_iter().zip(lowests).rev() {
        highest -= at_most[shard] - rank.min(at_most[shard]);
        at_most[shard] = rank.min(at_most[shard]);
        samples.push(Sample {
            key,
            lowest,
            highest,
        });
    }
    samples.reverse();
    samples
}
