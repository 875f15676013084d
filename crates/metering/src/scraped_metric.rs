//! [`ScrapedMetric`]: a metric whose value is read from elsewhere at each scrape.

use std::fmt;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

/// A gauge or a counter whose value is read at each scrape. Reading must not wait.
pub struct ScrapedMetric {
    kind: MetricType,
    ask: Box<dyn Fn() -> f64 + Send + Sync>,
}

impl ScrapedMetric {
    /// Creates a gauge.
    pub fn gauge(ask: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self {
            kind: MetricType::Gauge,
            ask: Box::new(ask),
        }
    }

    /// Creates a counter, whose value never decreases.
    pub fn counter(ask: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self {
            kind: MetricType::Counter,
            ask: Box::new(ask),
        }
    }
}

/// Returns a count as scrapes show it: above 2^53 it is rounded.
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
        let value = (self.ask)();
        match self.kind {
            MetricType::Counter => encoder.encode_counter::<NoLabelSet, _, f64>(&value, None),
            _ => encoder.encode_gauge(&value),
        }
    }

    fn metric_type(&self) -> MetricType {
        self.kind
    }
}
