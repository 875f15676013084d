//! Looking into what Redis answers to commands other than functions.

use bytes::Bytes;
use fred::types::Resp3Frame;

use super::connection::Reply;

/// The bytes of a string of any kind.
pub(super) fn bytes(reply: &Reply) -> Option<&Bytes> {
    match reply {
        Resp3Frame::BlobString { data, .. }
        | Resp3Frame::SimpleString { data, .. }
        | Resp3Frame::VerbatimString { data, .. } => Some(data),
        _ => None,
    }
}

/// A string of any kind as text.
pub(super) fn text(reply: &Reply) -> Option<&str> {
    std::str::from_utf8(bytes(reply)?).ok()
}

/// A number, or a string that is one.
pub(super) fn number(reply: &Reply) -> Option<u64> {
    match reply {
        Resp3Frame::Number { data, .. } => u64::try_from(*data).ok(),
        other => text(other)?.parse().ok(),
    }
}

/// The items of an array.
pub(super) fn items(reply: &Reply) -> Option<&[Reply]> {
    match reply {
        Resp3Frame::Array { data, .. } => Some(data),
        _ => None,
    }
}

/// Whether it is nothing.
pub(super) fn is_null(reply: &Reply) -> bool {
    matches!(reply, Resp3Frame::Null)
}

/// What a map says of a name.
pub(super) fn of_map<'a>(reply: &'a Reply, name: &str) -> Option<&'a str> {
    let Resp3Frame::Map { data, .. } = reply else {
        return None;
    };
    let (_, value) = data.iter().find(|(key, _)| text(key) == Some(name))?;
    text(value)
}
