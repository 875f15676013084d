//! [`SharedBoards`]: merged boards that several servers share. One merges and publishes, the others
//! take.
//!
//! An optional part of the contract, which a store for one server does not need. Shared boards are
//! opaque here: bytes, identified by the version of the board. All of it may be lost at any time,
//! boards and leases alike: then servers merge more often, with no other effect.
//!
//! The age of a board is measured only by the store's clock, from when the lease to merge was
//! granted, which is before the merge began. So the clocks of servers are not compared.

use std::sync::Arc;
use std::time::Duration;

use board::Window;
use bytes::Bytes;
use futures::future::BoxFuture;

use super::error::StoreError;
use super::record::BoardRecord;

/// The merged boards that servers share.
pub trait SharedBoards: Send + Sync {
    /// Returns the maximum bytes of a shared board.
    fn bytes_max(&self) -> usize;

    /// Returns the published board, if its merge began less than `age_max` ago, without its bytes
    /// if its version is `known`; otherwise a lease to merge it, granted to one caller at a time.
    fn acquire<'a>(
        &'a self,
        top: &'a SharedTop,
        known: Option<&'a str>,
        age_max: Duration,
    ) -> BoxFuture<'a, Result<SharedTake, StoreError>>;

    /// Ends a lease, and publishes the board that was merged under it for the time `kept`, unless a
    /// later merge is published already. It does not matter if the lease has expired.
    fn publish<'a>(
        &'a self,
        top: &'a SharedTop,
        lease: &'a Lease,
        merged: SharedMergeResult,
        kept: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// Identifies a merged board. Servers share only boards of the same shape.
#[derive(Debug, Clone)]
pub struct SharedTop {
    /// The board's incarnation.
    pub board: Arc<BoardRecord>,
    /// The window.
    pub window: Window,
    /// Everything else that determines the bytes: letters, digits, `.` and `-`.
    pub shape: String,
}

/// The result of a take. Ages are never less than the truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedTake {
    /// The board that was published.
    Board {
        /// What was published.
        bytes: Bytes,
        /// How long ago its merge began.
        age: Duration,
    },
    /// The caller's version is the published one.
    Unchanged {
        /// How long ago the last merge with this result began.
        age: Duration,
    },
    /// The caller has to merge, and to publish.
    Merge(Lease),
    /// Another server merges. Its lease ends after this time.
    Wait(Duration),
}

/// The exclusive permission to merge for all servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Identifies the lease.
    pub token: String,
    /// When it was granted, in milliseconds of the store's clock.
    pub began_ms: i64,
    /// The version of the published board, which is too old.
    pub published: Option<String>,
}

/// The result of a merge under a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedMergeResult {
    /// A board.
    Board {
        /// Its version: equal versions have equal bytes.
        version: String,
        /// The bytes to publish.
        bytes: Bytes,
    },
    /// The published board has not changed.
    Unchanged {
        /// Its version.
        version: String,
    },
    /// Nothing that can be shared: the next caller gets a lease.
    Nothing,
}
