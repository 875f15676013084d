//! Redis as a store, and what may befall it under servers at work.
//!
//! `stage` starts a server on a store and finds where its shards lie; the writers and their ledger are
//! those of [`crate::audit`].

mod failovers;
mod lost_functions;
mod lost_replies;
mod migrations;
mod names;
mod refusals;
mod restarts;
mod stage;
mod stopped_nodes;
