//! Reads one board from many shards: tops, pages, positions, and the cached global board.
//!
//! The service reads through [`Merger`]. Every read uses one call, `ShardStore::read`. `gather` is
//! the central module: it fetches little from every shard, merges it (`kway`), and proves that it
//! was enough; every read (`read`) uses it. `cache` keeps merged tops as bytes, with one merge at a
//! time for each board.
//!
//! Members that a kind hides are left out where shards are queried (`hidden`): no read and no store
//! knows of them. `list_length` determines how many entries of a top list remain without them.
//!
//! Exact means here: true of each shard at one moment between request and response. There is no
//! moment common to all shards, and nothing tries to make one.

mod at_once;
mod cache;
mod consistent_read;
mod error;
mod gather;
pub mod gzip;
mod hidden;
mod kway;
mod list_length;
mod merger;
mod metrics;
mod ranks;
mod read;
mod read_context;
mod version;

pub use cache::{Rendered, ServedTop, Snapshot, TopForm, TopResponse, TopView};
pub use error::ReadError;
pub use merger::{Merger, ReadFuture, ReadResult, Renderer, Settings, final_from};
pub use metrics::Counters;
pub use ranks::{MemberStanding, RankedEntry};
pub use read::{
    BoardInfo, End, MemberAsk, MemberView, PositionView, Slice, UnlistedView, WindowMembers,
};
pub use version::Version;
