//! A cluster of Redis servers: [`RedisCluster`], with operations to move slots and to kill
//! primaries.

mod form;
mod migration;
mod node;
mod redis_cluster;
mod slot;

pub use migration::Migration;
pub use redis_cluster::{NODE_TIMEOUT, RedisCluster};
pub use slot::{SLOTS, slot_of};
