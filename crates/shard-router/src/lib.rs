//! Contributions to their shards, and outcomes back in the order asked.
//!
//! [`Router`] takes [`Write`]s: `plan` admits each to its windows and gathers them by board and
//! shard, `send` brings the batches to the store and tries again when a board has died meanwhile.
//! A [`Watcher`] hears which boards have changed.
//! [`Catalogue`] is the server's view of the kinds, [`Boards`] of the boards' records.

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
