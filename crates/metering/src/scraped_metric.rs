//! A metric whose value is read at each scrape: [`ScrapedMetric`].

use std::fmt;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

/// A gauge or a counter whose value is read at each scrape. Reading must not wait.
pub struct ScrapedMetric {
    kind: MetricType,
    read: Box<dyn Fn() -> f64 + Send + Sync>,
}

impl ScrapedMetric {
    /// Creates a gauge.
    pub fn gauge(read: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self {
            kind: MetricType::Gauge,
            read: Box::new(read),
        }
    }

    /// Creates a counter, whose value never decreases.
    pub fn counter(read: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self {
            kind: MetricType::Counter,
            read: Box::new(read),
        }
    }
}

/// Converts a count to a value of a metric. Above 2^53 it is rounded.
#[expect(
    clippy::cast_precision_loss,
    reason = "an approximate figure for people"
)]
#[must_use]
pub const fn as_float(count: u64) -> f64 {
    count as f64
}

impl fmt::Debug for ScrapedMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScrapedMetric").field(&self.kind).finish()
    }
}

impl EncodeMetric for ScrapedMetric {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> Result<(), fmt::Error> {
        let value = (self.read)();
        match self.kind {
            MetricType::Counter => encoder.encode_counter::<NoLabelSet, _, f64>(&value, None),
            _ => encoder.encode_gauge(&value),
        }
    }

    fn metric_type(&self) -> MetricType {
        self.kind
    }
}
