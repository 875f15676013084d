//! `GET /metrics`: the counters are right, and the dashboard, the alerts and the documents refer to
//! existing metrics.

mod counts;
mod formats;
mod names;
mod stores;
