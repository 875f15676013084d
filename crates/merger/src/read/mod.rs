//! The reads, each an exact answer from one look at every shard, after rounds that only steer.
//!
//! `member` takes two rounds, `lookup` too, however many members are asked for; a deep `page` takes a round of
//! samples, a round of counts (`pivot`) and the page itself. All stretches of entries come from
//! [`gather`](crate::gather).

mod between;
mod info;
mod lookup;
mod member;
mod page;
mod pivot;
mod place;
mod samples;

pub use info::{BoardInfo, WindowMembers};
pub use member::{MemberView, UnlistedView};
pub use place::PlaceView;
