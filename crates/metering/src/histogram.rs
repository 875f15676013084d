//! A histogram with fixed buckets: [`Histogram`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::{MetricType, TypedMetric};

use crate::scale::Scale;

/// Counts observations in fixed buckets.
///
/// An observation is two relaxed atomic additions: it never waits or allocates. A scrape is not atomic: a concurrent
/// observation may be in a bucket but not yet in the sum.
#[derive(Debug, Clone)]
pub struct Histogram(Arc<Buckets>);

#[derive(Debug)]
struct Buckets {
    scale: &'static Scale,
    /// One for each bound, and one for values above the last.
    counts: Box<[AtomicU64]>,
    /// The sum of all observations. It overflows after 584 years of nanoseconds.
    sum: AtomicU64,
}

impl Histogram {
    /// Creates an empty histogram.
    #[must_use]
    pub fn new(scale: &'static Scale) -> Self {
        let counts = (0..=scale.bounds.len()).map(|_| AtomicU64::new(0));
        Self(Arc::new(Buckets {
            scale,
            counts: counts.collect(),
            sum: AtomicU64::new(0),
        }))
    }

    /// Records a duration, on a scale of durations.
    pub fn observe(&self, duration: Duration) {
        self.record(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Records a number, on a scale of numbers.
    pub fn observe_count(&self, count: usize) {
        self.record(count as u64);
    }

    /// Returns the number of observations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts().sum()
    }

    fn record(&self, observed: u64) {
        let Buckets { scale, counts, sum } = &*self.0;
        let bucket = scale.bounds.partition_point(|bound| *bound < observed);
        counts[bucket].fetch_add(1, Ordering::Relaxed);
        sum.fetch_add(observed, Ordering::Relaxed);
    }

    fn counts(&self) -> impl Iterator<Item = u64> {
        self.0
            .counts
            .iter()
            .map(|count| count.load(Ordering::Relaxed))
    }
}

impl TypedMetric for Histogram {
    const TYPE: MetricType = MetricType::Histogram;
}

impl EncodeMetric for Histogram {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a sum of nanoseconds is exact up to 104 days, and accurate enough beyond that"
    )]
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> Result<(), std::fmt::Error> {
        let Scale { bounds, per_unit } = self.0.scale;
        let bounds = bounds.iter().map(|bound| *bound as f64 / per_unit);
        let bounds = bounds.chain([f64::INFINITY]);
        let buckets: Vec<(f64, u64)> = bounds.zip(self.counts()).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        let sum = self.0.sum.load(Ordering::Relaxed) as f64 / per_unit;
        encoder.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::{CALLS, SIZES};
    use crate::{Registry, Unit, text};

    fn scrape(register: impl FnOnce(&mut Registry)) -> String {
        let mut registry = Registry::default();
        register(&mut registry);
        let mut scraped = String::new();
        text::encode(&mut scraped, &registry).unwrap();
        scraped
    }

    #[test]
    fn a_bound_is_in_its_bucket_and_buckets_are_cumulative() {
        let sizes = Histogram::new(&SIZES);
        for count in [1, 2, 3, 100_000, 100_001] {
            sizes.observe_count(count);
        }
        assert_eq!(sizes.count(), 5);
        let scraped = scrape(|registry| registry.register("sizes", "Sizes", sizes));
        for line in [
            "# TYPE sizes histogram\n",
            "sizes_bucket{le=\"1.0\"} 1\n",
            "sizes_bucket{le=\"2.0\"} 2\n",
            "sizes_bucket{le=\"5.0\"} 3\n",
            "sizes_bucket{le=\"10000.0\"} 3\n",
            "sizes_bucket{le=\"100000.0\"} 4\n",
            "sizes_bucket{le=\"+Inf\"} 5\n",
            "sizes_sum 200007.0\n",
            "sizes_count 5\n",
        ] {
            assert!(scraped.contains(line), "{line:?} in {scraped}");
        }
    }

    #[test]
    fn durations_are_encoded_in_seconds() {
        let calls = Histogram::new(&CALLS);
        calls.observe(Duration::from_micros(1_500));
        calls.observe(Duration::from_mins(1));
        let scraped = scrape(|registry| {
            registry.register_with_unit("call_duration", "Calls", Unit::Seconds, calls);
        });
        for line in [
            "# UNIT call_duration_seconds seconds\n",
            "call_duration_seconds_bucket{le=\"0.001\"} 0\n",
            "call_duration_seconds_bucket{le=\"0.0025\"} 1\n",
            "call_duration_seconds_bucket{le=\"10.0\"} 1\n",
            "call_duration_seconds_bucket{le=\"+Inf\"} 2\n",
            "call_duration_seconds_sum 60.0015\n",
        ] {
            assert!(scraped.contains(line), "{line:?} in {scraped}");
        }
    }
}
