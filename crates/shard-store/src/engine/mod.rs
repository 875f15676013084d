//! The engine of the stores that live in this process: boards, shards, rankings.
//!
//! ```text
//! Registry   kinds, boards by name, cells by incarnation
//!   Cell     one incarnation of a board: one Shard for all members while it is small, then one for each shard
//!     Shard  rankings by window, remembered ids, the windows that were dropped
//!       Ranking  Small: a sorted vector, up to 128 members
//!                Large: a member table (records in pages, an index of 32-bit handles) under a counted B+ tree
//! ```
//!
//! What happens is reported to a [`log`]. Locks are taken in this order: kinds, a cell's body, names, cells, a shard.
//!
//! **Invariant:** no lock is held over an `await`. The engine is synchronous and knows no disk and no runtime. Of time
//! it only knows whether a batch's deadline has passed, which it asks under the shard's lock.

mod cell;
mod ids;
mod log;
mod pages;
mod ranking;
mod registry;
mod shard;
mod table;
mod tree;

pub(crate) use cell::{FrozenPart, Restored, Shared};
#[cfg(test)]
pub(crate) use ids::IdBudget;
pub(crate) use ids::IdUse;
pub use ids::REMEMBERED_ID_BYTES_MAX;
#[cfg(test)]
pub(crate) use log::Unlogged;
pub(crate) use log::{Applied, Event, Log};
pub(crate) use registry::{Registry, is_same_to_boards};
#[cfg(test)]
pub(crate) use shard::Terms;
pub(crate) use shard::{FrozenShard, Holding, Shard, ShardLoader};
