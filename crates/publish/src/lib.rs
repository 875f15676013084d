//! Merged boards written out to another server, for readers that look there.
//!
//! [`Publisher`] hears which boards of published kinds change, merges them through the merger's
//! cache, and writes each as a sorted set and as one JSON string. A server that is written to has a
//! `lane` of its own, so that one that is away holds up no other; `marks` is what waits there,
//! `publication` one board's window on its way, `target` how it is written so that no reader sees half of
//! it or an older one behind a newer. `walk` goes through all boards of a kind.
//!
//! The service never waits for any of this, and takes nothing from what it has written.

mod content;
mod credentials;
mod ends;
mod lane;
mod marks;
mod metrics;
mod names;
mod outage;
mod publication;
mod publisher;
mod spread;
mod target;
mod walk;

pub use credentials::{Credentials, CredentialsError, Login};
pub use publisher::{Publisher, Settings};
