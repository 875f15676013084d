//! `GET /metrics`: the counters are right, alerts fire, and the dashboard, the alerts and the documents refer to
//! existing metrics.

mod alerts;
mod counts;
mod names;
mod stores;

testkit::calls!(counts, folder, redis);
