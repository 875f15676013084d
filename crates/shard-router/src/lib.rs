//! Contributions to their shards, and outcomes back in the order asked.
//!
//! [`Router`] takes [`Write`]s. `plan` admits each to its windows by its time (rejected: in the future, in a closed
//! window, in a window that is no longer kept) and gathers them by board; `send` gathers them by shard, sends the
//! batches to the store, and tries again when a board was deleted meanwhile. A [`Watcher`] is notified of boards
//! that have changed. [`Catalogue`] is the server's view of the kinds, [`Boards`] of the boards' records.

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
