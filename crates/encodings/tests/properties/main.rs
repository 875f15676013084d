//! Properties of the encodings: exact within their ranges, refused beyond, and where each stops telling members apart.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod field;
mod order;
mod table;
mod texts;
