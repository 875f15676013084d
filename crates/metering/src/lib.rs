//! What the crates of the service count of themselves, for `GET /metrics`.
//!
//! Counters, gauges and families are those of `prometheus-client`; [`Histogram`] has fixed buckets of atomics
//! ([`Scale`]). Each crate that counts has a `metrics.rs`, the one place where its metrics are made and named. A
//! handle is a field of what counts with it. Nothing is global: what is counted belongs to the store, the merger, the
//! service that counts it. Requests, calls and merges under way count themselves when they are dropped, since their
//! caller may be gone before they end. The reasons are in `docs/decisions/0008-metrics-without-a-facade.md`.
//!
//! **Invariant:** counting never waits, allocates or looks a name up. Handles are made once, at construction. What
//! only a scrape needs is asked for at the scrape ([`Pulled`], [`Collector`]), and never of a node that is away.

mod family;
mod histogram;
mod process;
mod pulled;
mod scale;
mod time;

pub use prometheus_client::collector::Collector;
pub use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
pub use prometheus_client::metrics::MetricType;
pub use prometheus_client::metrics::info::Info;
pub use prometheus_client::registry::{Registry, Unit};

pub use family::{CounterFamily, Family, HistogramFamily, Labels, encode_each, labels};
pub use histogram::Histogram;
pub use process::register_process;
pub use pulled::{Pulled, as_float};
pub use scale::{AGES, CALLS, REQUESTS, SIZES, Scale};
pub use time::{seconds, unix_seconds};

/// Counts what happens.
pub type Counter = prometheus_client::metrics::counter::Counter;

/// Tells how much there is of something.
pub type Gauge = prometheus_client::metrics::gauge::Gauge;

/// A gauge of seconds and the like.
pub type FloatGauge = prometheus_client::metrics::gauge::Gauge<f64, std::sync::atomic::AtomicU64>;
