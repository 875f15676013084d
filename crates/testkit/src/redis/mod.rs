//! Real Redis for tests: servers, clusters and sentinels as child processes, each on free ports in
//! a temporary folder, and a proxy that drops the requests and replies that a test selects.
//!
//! The program is `redis-server`, or under `tests/run` also a `valkey-server`, drawn by the seed.
//!
//! [`RedisOptions`] configures a server, [`RedisServer`] is one that can be stopped, killed, paused
//! and restarted, [`RedisCluster`] and [`RedisSentinels`] consist of several, a [`Pool`] has
//! servers for reuse between tests, [`FaultProxy`] is the proxy, and [`RedisWire`] is a raw
//! connection for a test's own commands. The client library of the service is not used here.

mod cluster;
mod frame;
mod guard;
mod options;
mod pool;
mod port;
mod program;
mod proxy;
mod reply;
mod sentinels;
mod server;
mod wire;

pub use cluster::{Migration, NODE_TIMEOUT, RedisCluster, SLOTS, slot_of};
pub use options::{Fsync, RedisOptions};
pub use pool::{Pool, Pooled, Reusable};
pub use port::Port;
pub use proxy::{FaultProxy, Matching};
pub use reply::Reply;
pub use sentinels::{PRIMARY_NAME, RedisSentinels};
pub use server::RedisServer;
pub use wire::RedisWire;
