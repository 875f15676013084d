//! Replies of Redis: [`Reply`], and functions that read it.

use bytes::Bytes;

/// A reply that is not an error.
pub type Reply = fred::types::Resp3Frame;

/// Returns the bytes of a string of any type.
#[must_use]
pub fn bytes(reply: &Reply) -> Option<&Bytes> {
    match reply {
        Reply::BlobString { data, .. }
        | Reply::SimpleString { data, .. }
        | Reply::VerbatimString { data, .. } => Some(data),
        _ => None,
    }
}

/// Returns a string of any type as text.
#[must_use]
pub fn text(reply: &Reply) -> Option<&str> {
    std::str::from_utf8(bytes(reply)?).ok()
}

/// Returns a number, or a string that is one.
#[must_use]
pub fn number(reply: &Reply) -> Option<u64> {
    match reply {
        Reply::Number { data, .. } => u64::try_from(*data).ok(),
        other => text(other)?.parse().ok(),
    }
}

/// Returns the items of an array.
#[must_use]
pub fn items(reply: &Reply) -> Option<&[Reply]> {
    match reply {
        Reply::Array { data, .. } => Some(data),
        _ => None,
    }
}

/// Returns whether the reply is null.
#[must_use]
pub fn is_null(reply: &Reply) -> bool {
    matches!(reply, Reply::Null)
}

/// Returns the value of a name in a map.
#[must_use]
pub fn of_map<'a>(reply: &'a Reply, name: &str) -> Option<&'a str> {
    let Reply::Map { data, .. } = reply else {
        return None;
    };
    let (_, value) = data.iter().find(|(key, _)| text(key) == Some(name))?;
    text(value)
}
