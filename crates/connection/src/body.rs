//! Request bodies under limits: whole, or as a stream of lines in constant memory.

mod frames;
mod items;
mod json;
mod lines;
mod memory;
mod whole;

use axum::http::{HeaderMap, header};

pub use self::items::items_from_json;
pub use self::json::from_json;
pub use self::lines::{LINE_BYTES_MAX, LINES, Line, Lines};
pub use self::memory::{ARRAY_ITEMS_MAX, BodyMemory, Whole};
pub use self::whole::{BODY_BYTES_MAX, whole_up_to};

/// Returns the media type of a body, without parameters, in lower case.
#[must_use]
pub fn media_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    value
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}
