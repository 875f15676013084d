//! Cached global boards: the merged top of a window, as bytes.
//!
//! A [`Snapshot`] is made once and served unchanged: its first n entries are a slice of its bytes.
//! The responses made from it, and their compressed forms, are kept with it (`kept`). What was served can be served
//! again without lookups (`served`).
//! A board that is read is merged again when the last merge is older than the kind allows, one
//! merge at a time for each board (`single_flight`). If no shard has changed, the old bytes are kept. The
//! absence of boards that are not yet created is cached in the same way (`state`). Where several
//! servers share a store, one of them merges under a lease and publishes the result (`publish`,
//! `wire`), and the others use it (`share`). A `fresh` read always merges. Boards that are not read
//! cost nothing, and the bytes of all boards together have a limit.
//!
//! A window that has closed, or a board that has ended, is served only from a merge that began
//! after its end, plus [`ShardStore::clock_tolerance`](shard_store::ShardStore::clock_tolerance):
//! older snapshots are not used.

mod boards;
mod kept;
mod merge;
mod publish;
mod served;
mod share;
mod shown_times;
mod single_flight;
mod snapshot;
mod state;
mod top;
mod wire;

pub use kept::{TopForm, TopResponse};
pub use served::ServedTop;
pub use snapshot::{Rendered, Snapshot};
pub use top::TopView;

pub(crate) use boards::GlobalBoards;
pub(crate) use snapshot::Key;
