//! What Redis answers: [`Reply`], and its parts.

use bytes::Bytes;

/// What Redis answered, errors excepted.
pub type Reply = fred::types::Resp3Frame;

/// The bytes of a string of any kind.
#[must_use]
pub fn bytes(reply: &Reply) -> Option<&Bytes> {
    match reply {
        Reply::BlobString { data, .. }
        | Reply::SimpleString { data, .. }
        | Reply::VerbatimString { data, .. } => Some(data),
        _ => None,
    }
}

/// A string of any kind as text.
#[must_use]
pub fn text(reply: &Reply) -> Option<&str> {
    std::str::from_utf8(bytes(reply)?).ok()
}

/// A number, or a string that is one.
#[must_use]
pub fn number(reply: &Reply) -> Option<u64> {
    match reply {
        Reply::Number { data, .. } => u64::try_from(*data).ok(),
        other => text(other)?.parse().ok(),
    }
}

/// The items of an array.
#[must_use]
pub fn items(reply: &Reply) -> Option<&[Reply]> {
    match reply {
        Reply::Array { data, .. } => Some(data),
        _ => None,
    }
}

/// Whether it is nothing.
#[must_use]
pub fn is_null(reply: &Reply) -> bool {
    matches!(reply, Reply::Null)
}

/// What a map says of a name.
#[must_use]
pub fn of_map<'a>(reply: &'a Reply, name: &str) -> Option<&'a str> {
    let Reply::Map { data, .. } = reply else {
        return None;
    };
    let (_, value) = data.iter().find(|(key, _)| text(key) == Some(name))?;
    text(value)
}
