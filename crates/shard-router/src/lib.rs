//! Routes contributions to their shards, and returns outcomes in the order of the request.
//!
//! [`Router`] takes [`BoardBatches`]: contributions, grouped by board as they are read. `plan`
//! admits each to its windows by its time (rejected: in the future, in a closed window, in a window
//! that is no longer kept); `send` finds or creates the board (`target_board`), splits its batch by
//! shard (`shard_batch`), sends the parts to the store, and retries when the board was deleted in
//! the meantime. A [`Watcher`] is notified of boards that have changed. `arrivals` gives times to
//! contributions that bring none. [`Lifetimes`] removes members that have not contributed for long.
//! [`Catalogue`] is the server's copy of the kinds, [`Boards`] a cache of the boards' records.

mod arrivals;
mod batch;
mod boards;
mod catalogue;
mod changes;
mod concurrently;
mod empty_board;
mod lifetimes;
mod metrics;
mod moment;
mod outcomes;
mod pending;
mod plan;
mod router;
mod send;
mod shard_batch;
mod target_board;
mod trace_target;
mod watch;
mod write;
mod write_rate;

pub use batch::{BoardBatches, BoardSlot, Contribution};
pub use boards::{Boards, BusyBoard, KNOWN_BOARDS_MAX, KnownBoard};
pub use catalogue::{Catalogue, CatalogueError, KnownKind};
pub use changes::{Changes, ChangesSeen};
pub use lifetimes::Lifetimes;
pub use moment::Moment;
pub use router::{FoundBoard, Router};
pub use trace_target::TRACE_TARGET;
pub use watch::{BoardChange, Watcher};
pub use write::{Write, WriteOutcome, WriteRejected};
