//! What every store of sharded boards promises, and what all stores share.
//!
//! [`ShardStore`] is the contract; begin reading there. `store-local` keeps it in this process (`memory:`,
//! `embedded:DIR`), `store-redis` on Redis; the `conformance` suite holds all of them to it. [`Memory`] is the memory
//! that this process may have, [`Calls`] what every store counts of its calls, [`kind_text`] a kind as it is stored.

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
