//! Request bodies under limits: whole, or as a stream of lines in constant memory.

mod frames;
mod items;
mod json;
mod lines;
mod memory;
mod whole;

use std::borrow::Cow;

use axum::http::{HeaderMap, header};

pub use self::items::items_from_json;
pub use self::json::from_json;
pub use self::lines::{BodyLine, LINE_BYTES_MAX, LINES, Lines};
pub(crate) use self::memory::memory_of_body;
pub use self::memory::{ARRAY_ITEMS_MAX, Whole};
pub use self::whole::whole_up_to;

/// The media type of most bodies.
const JSON: &str = "application/json";

/// Returns the media type of a body, without parameters, in lower case.
#[must_use]
pub fn media_type(headers: &HeaderMap) -> Cow<'_, str> {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let value = value.unwrap_or_default();
    if value == JSON || value == LINES {
        return Cow::Borrowed(value);
    }
    let media_type = value.split_once(';').map_or(value, |(first, _)| first);
    let media_type = media_type.trim();
    if media_type.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(media_type.to_ascii_lowercase())
    } else {
        Cow::Borrowed(media_type)
    }
}
