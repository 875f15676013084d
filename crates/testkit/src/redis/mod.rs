//! Real Redis for tests: servers, clusters and sentinels as child processes, each with free ports and
//! a temporary folder, and a proxy that loses the requests and replies that a test names.
//!
//! A test's servers are `redis-server`, or with `tests/run` a `valkey-server` as well, drawn by the seed.
//!
//! [`RedisOptions`] says how a server is started, [`RedisServer`] is one that can be stopped, killed,
//! paused and started again where it was, [`RedisCluster`] and [`RedisSentinels`] are many of them,
//! a [`Pool`] has servers that tests use one after the other, [`FaultProxy`] stands before one, [`RedisWire`] is a connection for commands of the test.
//! Nothing here is a client that the service would use: a test asks Redis past all of that.

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
