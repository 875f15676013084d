//! The contract of every store of sharded boards, which a remote store can serve in one round trip
//! for each call.
//!
//! [`ShardStore`] is the contract; `record` has the records of boards and kinds, `write` the input of a shard, `read`
//! its output, `shared` the merged boards that servers share, `profile` what is kept of members beside their standings,
//! `error` how a call can fail, `failure` how an item can. One suite, `testkit::conformance`, tests every store against
//! it.

mod capabilities;
mod error;
mod failure;
mod profile;
mod read;
mod record;
mod shared;
mod store;
mod write;

pub use capabilities::{Capabilities, StoreServers};
pub use error::{
    ChangeActivityError, CreateBoardError, DeleteBoardError, KindWriteError, PutSettingsError,
    StoreError, UnsupportedKind,
};
pub use failure::{ItemFailure, Overload};
pub use profile::{PROFILE_CHANGES_MAX, ProfileChange};
pub use read::{
    Anchor, BoardReading, Group, Groups, Query, RangeAsk, RangePart, ShardEntry, ShardQuery,
    ShardReading, ShardVersion, WindowCount,
};
pub use record::{BoardRecord, BoardSettings, KindRecord, Revision};
pub use shared::{Lease, SharedBoards, SharedMergeResult, SharedTake, SharedTop};
pub use store::{IndexMismatch, Orphan, ShardStore};
pub use write::{Batch, Change, Clock, Deadline, Item, ItemRejected, Outcome, WindowStanding};
