//! What the embedded store writes into its folder. How it uses that is in crate `store-local`, formats and guarantees
//! are in `docs/durability.md`.
//!
//! ```text
//! record     events as records of the journal and back
//! snapshot   the file that replaces old records
//! bytes      encodings that both share
//! ```

mod bytes;
pub mod record;
pub mod snapshot;

pub use bytes::Malformed;
