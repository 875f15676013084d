//! The engine of the stores that live in this process: boards, shards, rankings.
//!
//! From the outside in: [`Registry`] knows kinds and boards; a [`cell`] is one life of a board and
//! its locks; a [`shard`] applies batches; a [`ranking`] is one window of it; a [`table`] and a
//! [`tree`] are what a large one is made of. What happens is told to a [`log`]. Nothing here knows a
//! disk, a clock or a runtime.

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
