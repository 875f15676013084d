//! The handlers, one endpoint or resource in each file. What they share is in the crate's root.

pub(crate) mod admin;
pub(crate) mod around;
pub(crate) mod board;
pub(crate) mod boards;
pub(crate) mod contributions;
pub(crate) mod count;
pub(crate) mod erase;
pub(crate) mod health;
pub(crate) mod kinds;
pub(crate) mod lookup;
pub(crate) mod member;
pub(crate) mod member_boards;
pub(crate) mod members;
pub(crate) mod metrics;
pub(crate) mod openapi;
pub(crate) mod page;
pub(crate) mod profiles;
pub(crate) mod range;
pub(crate) mod rank;
pub(crate) mod removal;
pub(crate) mod stream;
pub(crate) mod stream_tokens;
pub(crate) mod top;
pub(crate) mod tops;
