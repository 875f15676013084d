//! What every store of sharded boards promises, in terms that a remote store can serve in one round
//! trip a call.
//!
//! [`ShardStore`] is the contract; `record` has what it keeps of boards and kinds, `write` what goes
//! into a shard, `read` what comes out, `shared` the merged boards that
//! servers share, `error` how a call can fail. One suite,
//! `store-conformance`, holds every store to it.

mod error;
mod read;
mod record;
mod shared;
mod store;
mod write;

pub use error::{
    CreateBoardError, DeleteBoardError, KindWriteError, Overload, PutSettingsError, StoreError,
};
pub use read::{Anchor, Ask, Entry, Part, Query, Reading, ShardVersion, WindowCount};
pub use record::{BoardRecord, BoardSettings, KindRecord, Revision};
pub use shared::{Lease, Merged, SharedBoards, SharedTop, Taken};
pub use store::{Disagreement, Orphan, ShardStore};
pub use write::{Batch, Change, Clock, Deadline, Failure, Item, Outcome, Refused, WindowStanding};
