//! The contract of every store of sharded boards, and what all stores share.
//!
//! [`ShardStore`] is the contract; begin reading there. `store-local` implements it in this process
//! (`memory:`, `embedded:DIR`), `store-redis` on Redis; the crate `store-conformance` tests all of
//! them. [`Memory`] limits the memory of this process, [`Calls`] has the metrics of a store's
//! calls, [`kind_text`] is the stored form of a kind.

mod calls;
mod contract;
mod high;
pub mod kind_text;
mod memory;

pub use calls::{Call, Calls, Failing};
pub use contract::{
    Anchor, Ask, Batch, BoardRecord, BoardSettings, Change, Clock, CreateBoardError, Deadline,
    DeleteBoardError, Disagreement, Entry, Failure, Item, KindRecord, KindWriteError, Lease,
    Merged, Orphan, Outcome, Overload, Part, PutSettingsError, Query, Reading, Refused, Revision,
    ShardStore, ShardVersion, SharedBoards, SharedTop, StoreError, Taken, WindowCount,
    WindowStanding,
};
pub use high::is_high;
pub use memory::{BOARD_WEIGHT, Held, Memory, STANDING_WEIGHT};
