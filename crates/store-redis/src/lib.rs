//! The store on Redis or Valkey.
//!
//! [`RedisStore`] keeps the same contract: a shard is a score hash, a sorted set and a `meta` hash in one slot, and
//! what is atomic on a shard is one Lua function. Keys, settings and promises are in `docs/redis.md`; where it
//! differs from its first design, `docs/decisions/0006-the-redis-store.md`.
//!
//! ```text
//! store           the contract: each call goes to the module that makes it
//! apply/          batches into calls: lane (what waits for a shard), sending (one call), sums.lua (the common
//!                 case), apply.lua (all others)
//! read/           a look at a shard: read.lua, order.lua
//! lists/          kinds that rank only their best: trimming, marks, refilling from the scores; refills: the tasks
//! verify/         sorted sets compared with scores, in steps; orphans: keys that belong to no board
//! registry/       kinds, creation, incarnations, what is due: one slot, so that each call is atomic
//! incarnations    a lease over the registry: does this incarnation exist, and where are its shards
//! shards          calls on all shards of an incarnation
//! sweep/          drops windows, empties idle boards, ends boards
//! shared/         merged boards, and which servers are active
//! library/        all Lua as one function library, named by its digest
//! standing, packed, keys, wire/   bytes of a standing, names of keys, arguments and replies
//! ```
//!
//! Which nodes there are, and how a call comes to an answer, is in `redis-nodes`.

mod apply;
mod call_error;
#[cfg(test)]
mod fixtures;
mod incarnations;
mod keys;
mod library;
mod lists;
mod packed;
mod read;
mod registry;
mod retention;
mod rules;
mod session;
mod settings;
mod shards;
mod shared;
mod spread;
mod standing;
mod store;
mod sweep;
mod verify;
mod wire;

pub use redis_link::{RedisUrl, RedisUrlError};
pub use redis_nodes::{OpenError as RedisOpenError, Writes as RedisWrites};
pub use settings::RedisSettings;
pub use store::RedisStore;
