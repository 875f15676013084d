//! Times as the server writes them: with milliseconds.

use jiff::Timestamp;
use serde::Serializer;

/// Serializes a time, or none.
pub(super) fn in_millis<T, S>(at: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<Option<Timestamp>>,
    S: Serializer,
{
    match (*at).into() {
        Some(at) => serializer.collect_str(&format_args!("{at:.3}")),
        None => serializer.serialize_none(),
    }
}
