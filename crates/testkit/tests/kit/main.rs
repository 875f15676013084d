//! Tests of the testkit itself.

mod cluster;
mod exposition;
mod pool;
mod proxy;
mod sentinels;
mod server;
