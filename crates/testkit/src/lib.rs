//! What tests are built from: real servers as child processes, clients that know the wire from the contract alone,
//! random choices that can be made again ([`dice`]).
//!
//! [`Launch`] starts a `megaboard serve`, [`Server`] is a running one that can be stopped, killed and
//! started again where it was, [`Answer`] what it answered, [`Wire`] a bare
//! connection for what no client would send, [`Command`](cli) runs of the other commands, [`redis`]
//! what a store of the service may lie on. Nothing here depends on a crate of the service: a field that is renamed there fails here.

#![expect(
    clippy::unwrap_used,
    clippy::must_use_candidate,
    reason = "all of this crate is for tests: what fails is to panic, with where it happened"
)]

mod answer;
mod binary;
pub mod cli;
pub mod clock;
pub mod dice;
mod events;
mod eventually;
mod exposition;
mod files;
pub mod flights;
mod launch;
pub mod memcached;
mod process;
pub mod redis;
mod server;
mod wire;

pub use answer::Answer;
pub use binary::megaboard;
pub use events::{Event, Events};
pub use eventually::{DEADLINE, eventually};
pub use exposition::{Exposition, Family, Labels, Sample};
pub use files::allow_files;
pub use launch::Launch;
pub use server::{Server, encoded, ndjson};
pub use wire::{Wire, WireAnswer};
