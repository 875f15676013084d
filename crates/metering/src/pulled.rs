//! What is known elsewhere, and asked for when it is told: [`Pulled`].

use std::fmt;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

/// A gauge or a counter whose value is asked for at each scrape. Asking must not wait.
pub struct Pulled {
    kind: MetricType,
    ask: Box<dyn Fn() -> f64 + Send + Sync>,
}

impl Pulled {
    /// A gauge.
    pub fn gauge(ask: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self {
            kind: MetricType::Gauge,
            ask: Box::new(ask),
        }
    }

    /// A counter, of something that never goes down.
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
    reason = "a figure that is looked at by people"
)]
#[must_use]
pub const fn as_float(count: u64) -> f64 {
    count as f64
}

impl fmt::Debug for Pulled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pulled").field(&self.kind).finish()
    }
}

impl EncodeMetric for Pulled {
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
