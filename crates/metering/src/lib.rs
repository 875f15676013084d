//! Metrics of the crates of the service, for `GET /metrics`.
//!
//! Counters, gauges and families are those of `prometheus-client`; [`Histogram`] has fixed buckets of atomics
//! ([`Scale`]). Each crate with metrics has a `metrics.rs`, the only file that creates and names them. A handle is a
//! field of the type that counts with it. Nothing is global: metrics belong to the store, the merger or the service
//! that counts them. Requests, calls and merges are counted when they are dropped, because their future may be dropped
//! before they end. The reasons are in `docs/decisions/0008-metrics-without-a-facade.md`.
//!
//! **Invariant:** counting never waits, allocates or looks up a name. Handles are created once, at
//! construction. Values that only a scrape needs are read at the scrape ([`ScrapedMetric`],
//! [`Collector`]), and never from an unreachable node.

mod family;
mod histogram;
mod metrics;
mod process;
mod scale;
mod scraped_metric;
mod time;

pub use prometheus_client::collector::Collector;
pub use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
pub use prometheus_client::metrics::MetricType;
pub use prometheus_client::registry::{Registry, Unit};

pub use family::{CounterFamily, Family, HistogramFamily, Labels, encode_each, labels};
pub use histogram::Histogram;
pub use process::register_process;
pub use scale::{AGES, CALLS, REQUESTS, SIZES, Scale};
pub use scraped_metric::{ScrapedMetric, as_float};
pub use time::{seconds, unix_seconds};

/// A counter of events.
pub type Counter = prometheus_client::metrics::counter::Counter;

/// A gauge of a current value.
pub type Gauge = prometheus_client::metrics::gauge::Gauge;

/// A gauge of seconds and the like.
pub type FloatGauge = prometheus_client::metrics::gauge::Gauge<f64, std::sync::atomic::AtomicU64>;
