//! Test support: real servers as child processes, clients that know the HTTP API from its contract
//! alone, and reproducible random choices ([`dice`]).
//!
//! [`Launch`] starts a `megaboard serve`; [`Server`] is a running one, which can be stopped, killed
//! and started again; [`Response`] is its response; [`Wire`] is a raw connection for requests that no
//! HTTP client would send; [`cli`] runs the other commands; [`redis`] has Redis servers; [`BadDisk`] is
//! full or slow. None of these depends on a crate of the service, so a field that is renamed there fails the tests.
//!
//! [`mod@calls`] runs tests that are written as calls. [`conformance`] is the test suite of all stores, and
//! [`HookedStore`] a store that fails, counts and changes calls.

#![expect(
    clippy::unwrap_used,
    clippy::must_use_candidate,
    reason = "this crate is for tests, which panic on failure"
)]

mod bad_disk;
mod binary;
pub mod calls;
pub mod cli;
pub mod clock;
pub mod conformance;
pub mod dice;
mod events;
mod eventually;
mod exposition;
mod files;
pub mod flights;
mod hooked_store;
mod hostile;
mod launch;
pub mod memcached;
mod process;
mod proxies;
pub mod redis;
mod response;
mod server;
mod wire;

pub use bad_disk::BadDisk;
pub use binary::megaboard;
pub use events::{Event, Events};
pub use eventually::{DEADLINE, eventually};
pub use exposition::{Exposition, Family, Labels, Sample};
pub use files::allow_files;
pub use hooked_store::HookedStore;
pub use hostile::{HostileBytes, HostilePeer};
pub use launch::Launch;
pub use proxies::ReverseProxy;
pub use response::Response;
pub use server::{Server, encoded, ndjson};
pub use wire::{RawResponse, Wire};
