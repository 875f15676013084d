//! Routes contributions to their shards, and returns outcomes in the order of the request.
//!
//! [`Router`] takes [`Write`]s. `plan` admits each to its windows by its time (rejected: in the
//! future, in a closed window, in a window that is no longer kept) and groups them by board; `send`
//! groups them by shard, sends the batches to the store, and retries when a board was deleted in
//! the meantime. A [`Watcher`] is notified of boards that have changed. [`Catalogue`] is the
//! server's copy of the kinds, [`Boards`] a cache of the boards' records.

mod boards;
mod catalogue;
mod metrics;
mod moment;
mod plan;
mod router;
mod send;
mod spans;
mod watch;
mod write;

pub use boards::{Boards, KNOWN_BOARDS_MAX};
pub use catalogue::{Catalogue, CatalogueError, KnownKind};
pub use moment::Moment;
pub use router::Router;
pub use spans::SPANS;
pub use watch::{BoardChange, Watcher};
pub use write::{Reason, Write, Written};
