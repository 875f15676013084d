//! The contract of every store of sharded boards, and what all stores share.
//!
//! [`ShardStore`] is the contract; begin reading there. `store-local` implements it in this process
//! (`memory:`, `embedded:DIR`), `store-redis` on Redis; `testkit::conformance` tests all of
//! them. [`Memory`] limits the memory of this process, [`Calls`] has the metrics of a store's
//! calls, [`kind_text`] is the stored form of a kind.

mod calls;
mod contract;
mod high;
pub mod kind_text;
mod memory;

pub use calls::{Call, Calls, StoreFailure};
pub use contract::{
    Anchor, Batch, BoardReading, BoardRecord, BoardSettings, Capabilities, Change,
    ChangeActivityError, Clock, CreateBoardError, Deadline, DeleteBoardError, Group, Groups,
    IndexMismatch, Item, ItemFailure, ItemRejected, KindRecord, KindWriteError, Lease, Orphan,
    Outcome, Overload, PROFILE_CHANGES_MAX, ProfileChange, PutSettingsError, Query, RangeAsk,
    RangePart, Revision, ShardEntry, ShardQuery, ShardReading, ShardStore, ShardVersion,
    SharedBoards, SharedMergeResult, SharedTake, SharedTop, StoreError, StoreServers,
    UnsupportedKind, WindowCount, WindowStanding,
};
pub use high::is_limit_nearly_used;
pub use memory::{BOARD_WEIGHT, HeldWeight, Memory, PROFILE_WEIGHT, STANDING_WEIGHT};
