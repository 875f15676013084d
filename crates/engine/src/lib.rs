//! Boards in memory, for the stores that live in this process: kinds, boards, shards, rankings, remembered ids.
//!
//! ```text
//! Registry   kinds, boards by name, cells by incarnation
//!   Cell     one incarnation of a board: one Shard for all members while it is small, then one for each shard
//!     Shard  rankings by window, remembered ids, the windows that were dropped
//!       Ranking  Small: a sorted vector, up to 128 members
//!                Large: a member table (records in pages, an index of 32-bit handles) under a counted B+ tree
//! ```
//!
//! What happens is reported to a [`Log`]. Locks are taken in this order: kinds, a cell's body, names, cells, a shard.
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

pub use cell::{FrozenPart, Restored, Shared};
pub use ids::{IdBudget, IdUse, REMEMBERED_ID_BYTES_MAX};
pub use log::{Applied, Event, Log, Unlogged};
pub use registry::{Registry, is_same_to_boards};
pub use shard::{FrozenShard, Holding, Shard, ShardLoader, Terms};
