//! Content codings of responses: which one a client accepts, and bodies in it. No HTTP.
//!
//! ```text
//! coding        a coding, and bytes in it
//! accepted      the coding that an `Accept-Encoding` selects
//! coded_bodies  the codings of one body, each made once
//! ```

mod accepted;
mod coded_bodies;
mod coding;

pub use accepted::accepted;
pub use coded_bodies::{CodedBodies, KeptBytes};
pub use coding::{CODED_BYTES_MIN, Coding};
