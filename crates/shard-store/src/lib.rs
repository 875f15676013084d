//! The contract of a store of sharded boards, and the stores that keep it.
//!
//! [`ShardStore`] is the contract; begin reading there. [`LocalStore`] (`memory:`, `embedded:DIR`) keeps it in this
//! process, on the `engine`, and in a folder through `embedded`. [`RedisStore`] keeps it on Redis. One conformance
//! suite, `tests/conformance`, holds all of them to it.

mod contract;
#[cfg(test)]
#[path = "../tests/support/dice.rs"]
mod dice;
mod embedded;
mod engine;
mod kind_text;
mod local;
mod memory;
mod metrics;
mod redis;

pub use contract::{
    Anchor, Ask, Batch, BirthError, BoardRecord, BoardSettings, BuryError, Change, Disagreement,
    Entry, Failure, Item, KindRecord, KindWriteError, Lease, Merged, Orphan, Outcome, Overload,
    Part, Query, Reading, Refused, Revision, SettleError, ShardStore, ShardVersion, SharedBoards,
    SharedTop, StoreError, Taken, WindowCount, WindowStanding,
};
pub use embedded::{
    Disk, DiskFile, Durability, EmbeddedError, EmbeddedSettings, LocalDisk, OpenError,
};
pub use engine::REMEMBERED_ID_BYTES_MAX;
pub use local::LocalStore;
pub use memory::Memory;

pub use redis::{RedisOpenError, RedisSettings, RedisStore, RedisUrl, RedisUrlError, RedisWrites};
