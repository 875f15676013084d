//! `GET /metrics`: what is counted is what happened, and what dashboard, alerts and documents name is
//! what there is.

mod counts;
mod formats;
mod names;
mod stores;
