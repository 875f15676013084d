//! The store on Redis or Valkey.
//!
//! [`RedisStore`] implements the contract: a shard is a score hash, a sorted set and a `meta` hash
//! in one slot, and what is atomic on a shard is one Lua function. Keys, settings and promises are
//! in `docs/redis.md`, the differences from its first design in
//! `docs/decisions/0006-the-redis-store.md`.
//!
//! ```text
//! store           the contract: each call goes to the module that makes it
//! apply/          batches into calls: lane (what waits for a shard), sending (one call), single.lua (the common case),
//!                 apply.lua (all others)
//! read/           reads of a shard: read.lua, order.lua
//! lists/          kinds that rank only their best: trimming, marks, refilling from the scores; refills: the tasks
//! verify/         comparison of sorted sets with scores, in steps; orphans: keys that belong to no board
//! library         all Lua as one function library, named by its digest
//! ```
//!
//! Which boards exist, where their shards are, and how they end is in `boards`. Which nodes
//! there are, and how a call gets its reply, is in `redis-nodes`.

mod apply;
mod boards;
mod library;
mod lists;
mod read;
mod store;
mod verify;

pub use boards::keys::ShardKeys;
pub use redis_nodes::redis_link::{RedisUrl, RedisUrlError, limit_replies};
pub use redis_nodes::{OpenError as RedisOpenError, RedisSettings, Writes as RedisWrites};
pub use store::RedisStore;
