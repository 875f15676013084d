//! What the embedded store writes into its folder. How it uses that is in crate `store-local`, formats and guarantees
//! are in `docs/durability.md`.
//!
//! ```text
//! record     the records of the journal
//! snapshot   the file that replaces old records
//! ```
//!
//! Both are types of which serde derives the bytes, in the format of [`postcard`].

pub mod record;
pub mod snapshot;

/// Why bytes are not a valid record, or part of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

impl From<postcard::Error> for Malformed {
    fn from(error: postcard::Error) -> Self {
        Self(error.to_string())
    }
}
