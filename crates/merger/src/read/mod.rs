//! The reads, each an exact answer from one look at every shard, after rounds that only steer.

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
