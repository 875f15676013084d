//! Times as the server writes them: with microseconds.

use jiff::Timestamp;
use serde::Serializer;

/// Serializes a time, or none.
pub(crate) fn in_micros<T, S>(at: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<Option<Timestamp>>,
    S: Serializer,
{
    match (*at).into() {
        Some(at) => serializer.collect_str(&format_args!("{at:.6}")),
        None => serializer.serialize_none(),
    }
}
