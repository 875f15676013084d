//! Properties of the encodings: they are exact within their ranges and reject other values. Also finds the scores from
//! which on each encoding no longer distinguishes members.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod field;
mod order;
mod table;
mod texts;
