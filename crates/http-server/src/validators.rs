//! Entity tags and freshness of responses, and conditions of requests (RFC 9110, 9111).
//!
//! ```text
//! caching      tags, Cache-Control, Vary; whether the client has a response already
//! json         JSON responses
//! static_file  files that are part of the binary
//! if_match     whether the target of a write is still what the client saw
//! ```

mod caching;
mod if_match;
mod json;
mod static_file;

pub use caching::{BoardTag, CONTENT_GZIP, Caching, Freshness, accepts_gzip, digest, is_known};
pub use if_match::check_conditions;
pub use json::{json, json_text, validated_json};
pub use static_file::{HoldsNoMemory, StaticFile};
