//! Redis as a store: failures under load, and servers that share a store.
//!
//! `fixtures` starts a server on a store and finds the keys of its shards. The writers and their
//! ledger are those of [`crate::audit`].

mod away;
mod failovers;
mod fixtures;
mod flights;
mod hidden;
mod hostile;
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
mod stopped_nodes;
mod verify;
mod wrong_clock;

testkit::calls!(refusals);

pub(crate) use fixtures::{SCRIPT_FREE, launch, serve};
