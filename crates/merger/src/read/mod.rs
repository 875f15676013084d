//! The reads. Each result is exact and from one query of every shard, after rounds that only narrow
//! the search.
//!
//! `member` takes two rounds, and so does `lookup`, for any number of members; a deep `page` takes
//! a round of samples, a round of counts (`pivot`) and the page itself. All ranges of entries come
//! from [`gather`](crate::gather).

mod between;
mod find;
mod info;
mod lookup;
mod member;
mod page;
mod pivot;
mod position;
mod samples;

pub use between::{End, Slice};
pub use info::{BoardInfo, WindowMembers};
pub use member::{MemberAsk, MemberView, UnlistedView};
pub use position::PositionView;
