//! The outcome of the contributions of a request: [`Receipt`]. Its lists, and the standings that a client asks for,
//! share the memory of all receipts and responses.

mod item_list;
mod receipt;

pub(crate) use item_list::{LISTED_MAX, may_list, text_bytes};
pub(crate) use receipt::{Ended, MemberStandingsShape, Receipt};
