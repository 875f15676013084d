//! The boards of a store on Redis or Valkey: which exist, where their shards are, how they are encoded, and how they
//! end. What is applied to a shard and read from it is in `store-redis`; the nodes are in `redis-nodes`.
//!
//! ```text
//! registry/       kinds, creation, incarnations, what is due: one slot, so that each call is atomic
//! incarnations    a lease over the registry: does this incarnation exist, and where are its shards
//! shards, spread  calls on all shards of an incarnation, and their locations
//! sweep/          drops windows, empties idle boards, ends boards
//! shared/         merged boards, and which servers are active
//! profiles/       profiles of members, once for each kind
//! library/        the Lua of these functions, and what all functions use
//! keys, wire/     names of keys; arguments and replies
//! standing, packed, rules         bytes of a standing, and how functions receive a kind's rules
//! session, retention
//! fixtures/       the same parts, opened for tests
//! ```
//!
//! Large asynchronous functions that other crates call return boxed futures: an `async fn` is compiled again in each
//! crate that polls it.

#[cfg(test)]
pub(crate) mod fixtures;
pub(crate) mod incarnations;
pub(crate) mod keys;
pub(crate) mod packed;
pub(crate) mod parts;
pub(crate) mod profiles;
pub(crate) mod registry;
pub(crate) mod retention;
pub(crate) mod rules;
pub(crate) mod session;
mod shards;
pub(crate) mod shared;
pub(crate) mod spread;
pub(crate) mod standing;
pub(crate) mod sweep;
pub(crate) mod wire;
