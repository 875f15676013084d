//! Redis as a store: what may befall it under servers at work, and what servers that share it are to
//! one another.
//!
//! `stage` starts a server on a store and finds where its shards lie; the writers and their ledger are
//! those of [`crate::audit`].

mod failovers;
mod flights;
mod hidden;
mod lost_functions;
mod lost_replies;
mod memory;
mod merges;
mod migrations;
mod names;
mod one_service;
mod one_version;
mod overload;
mod refusals;
mod restarts;
mod rights;
mod script_free;
mod spread;
mod stage;
mod stopped_nodes;
mod verify;
mod wrong_clock;

pub(crate) use stage::{SCRIPT_FREE, launch, serve};
