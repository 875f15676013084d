//! Boards in memory, for the stores of this process: kinds, boards, shards, rankings, remembered
//! ids.
//!
//! ```text
//! Registry   kinds, boards by name, cells by incarnation
//!   Cell     one incarnation of a board: one Shard for all members while it is small, then one for each shard
//!     Shard  rankings by window, remembered ids, the windows that were dropped
//!       Ranking  Small: a sorted vector, up to 128 members
//!                Large: a member table (records in pages, an index of 32-bit handles) under a counted B+ tree
//!     Distinct   for dense ranks: the members of each distinct value, of all shards of a board
//! ```
//!
//! Each change is reported to a [`Log`]. Locks are taken in this order: kinds, a cell's body,
//! names, cells, shards, distinct values. A writer
//! that holds a shard never waits for another one. Only a reader of dense ranks does, in their order.
//!
//! **Invariant:** no lock is held over an `await`. The engine is synchronous and uses no disk and
//! no runtime. It reads the clock only to check whether a batch's deadline has passed, under the
//! shard's lock.

mod cell;
pub mod counted_tree;
mod distinct;
mod ids;
mod log;
mod logged_items;
mod pages;
pub mod profile_table;
mod ranking;
mod registry;
mod shard;
mod table;

pub use cell::{FrozenPart, SharedCell};
pub use distinct::ValueChanges;
pub use ids::{IdBudget, IdUse, REMEMBERED_ID_BYTES_MAX};
pub use log::{Applied, Event, Log, NoLog};
pub use registry::{Registry, is_equivalent_for_boards};
pub use shard::{ApplyContext, Dropped, FrozenShard, Holding, Shard, ShardLoader};
