//! One board out of many shards: tops, pages, positions, and the cached global board.
//!
//! [`Merger`] is what the service reads through. Every read is made of one call, `ShardStore::read`. `gather` is the
//! central module: it fetches little from every shard, merges it (`kway`), and proves that it was enough; every read
//! (`read`) is a use of it. `cache` keeps merged tops as bytes, one merge at a time for a board.
//!
//! Members that a kind hides are left out where shards are queried (`hidden`): no read and no store knows of them.
//! `listed` determines how many entries of a top list remain without them.
//!
//! Exact means here: true of each shard at one moment between request and answer. There is no moment common to all
//! shards, and nothing tries to make one.

mod cache;
mod error;
mod gather;
mod hidden;
mod kway;
mod listed;
mod merger;
mod metrics;
mod ranks;
mod read;
mod scope;
mod version;

pub use cache::{Rendered, Snapshot, TopAnswer, TopForm, TopView};
pub use error::ReadError;
pub use merger::{Answer, AnswerFuture, Merger, Renderer, Settings, final_from};
pub use metrics::Counters;
pub use ranks::{Found, RankedEntry};
pub use read::{BoardInfo, MemberView, PlaceView, UnlistedView, WindowMembers};
pub use version::Version;
