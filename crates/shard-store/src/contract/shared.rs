//! Merged boards that several servers share: one merges and publishes, the others take.
//!
//! [`SharedBoards`] is a part of the contract that a store for one server has no need of. What is
//! shared is opaque here: bytes, named by the version of the board that they show. All of it may be
//! lost at any time, boards and leases alike: then servers merge more often, nothing else.
//!
//! How old a board is, is told by the store's clock alone: it is counted from when the lease to
//! merge was given, which is before the merge began. So the clocks of servers are not compared.

use std::sync::Arc;
use std::time::Duration;

use board::Window;
use bytes::Bytes;
use futures::future::BoxFuture;

use super::error::StoreError;
use super::record::BoardRecord;

/// The place that servers share merged boards in.
pub trait SharedBoards: Send + Sync {
    /// Bytes of the largest board that is shared.
    fn bytes_max(&self) -> usize;

    /// The board that is published, if its merge began less than `age_max` ago, without its bytes
    /// where it is of version `known`; otherwise a lease to merge it, one at a time.
    fn take<'a>(
        &'a self,
        top: &'a SharedTop,
        known: Option<&'a str>,
        age_max: Duration,
    ) -> BoxFuture<'a, Result<Taken, StoreError>>;

    /// Ends a lease, and publishes what was merged under it for so long, unless a later merge is
    /// published already. A lease that has ended meanwhile will do.
    fn publish<'a>(
        &'a self,
        top: &'a SharedTop,
        lease: &'a Lease,
        merged: Merged,
        kept: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// Which merged board: servers share only what is of one shape.
#[derive(Debug, Clone)]
pub struct SharedTop {
    /// The board's incarnation.
    pub board: Arc<BoardRecord>,
    /// The window.
    pub window: Window,
    /// All else that decides the bytes: letters, digits, `.` and `-`.
    pub shape: String,
}

/// What there is of a merged board. Ages are never less than the truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// The board that was published.
    Board {
        /// What was published.
        bytes: Bytes,
        /// How long ago its merge began.
        age: Duration,
    },
    /// What the caller knows is what is published.
    Unchanged {
        /// How long ago the last merge that came to it began.
        age: Duration,
    },
    /// The caller is to merge, and to publish.
    Merge(Lease),
    /// Another server merges: its lease ends after this.
    Wait(Duration),
}

/// The leave to merge for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Tells it from all others.
    pub token: String,
    /// When it was given, in milliseconds of the store's clock.
    pub began_ms: i64,
    /// The version of the board that is published, too old as it is.
    pub published: Option<String>,
}

/// What a merge under a lease came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// A board.
    Board {
        /// Its version: the same version is the same bytes.
        version: String,
        /// What others are to take.
        bytes: Bytes,
    },
    /// What is published has not changed.
    Same {
        /// Its version.
        version: String,
    },
    /// Nothing that could be shared: the next who asks is to merge.
    Nothing,
}
