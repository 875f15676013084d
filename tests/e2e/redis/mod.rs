//! Redis as a store, and what may befall it under servers at work.
//!
//! `stage` starts a server on a store and finds where its shards lie; the writers and their ledger are
//! those of [`crate::audit`].

mod flights;
mod lost_functions;
mod lost_replies;
mod merges;
mod migrations;
mod one_service;
mod one_version;
mod spread;
mod stage;
mod verify;
