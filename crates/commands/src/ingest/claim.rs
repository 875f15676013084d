//! Claiming pending entries of a stream: [`claim`].
//!
//! Some pending entries may have been trimmed from the stream. Redis 7 removes these from the group, and returns their
//! ids. Redis 6.2 returns nil for each and leaves it pending; `claim` finds their ids and acknowledges them, since
//! their contents are lost.

use std::collections::HashSet;

use redis_nodes::redis_link::{Reply, reply};

use super::connection::{CommandError, Connection, items, text, unparsable, words};
use super::entry::StreamEntry;
use super::share::Keys;

/// The cursor at the beginning and at the end.
pub(super) const END: &str = "0-0";

/// The result of [`claim`].
pub(super) struct Claimed {
    /// The next cursor.
    pub(super) next: String,
    pub(super) entries: Vec<StreamEntry>,
    /// The number of entries that were trimmed. They are no longer pending.
    pub(super) trimmed: usize,
}

/// Claims up to `count` pending entries of a partition, beginning at the cursor.
pub(super) async fn claim(
    connection: &Connection,
    keys: &Keys,
    partition: u64,
    cursor: &str,
    count: usize,
) -> Result<Claimed, CommandError> {
    let (stream, count) = (keys.url.stream(partition), count.to_string());
    let (group, me) = (&keys.group, &keys.me);
    let claim = words(&[&stream, group, me, "0", cursor, "COUNT", &count]);
    let claimed = connection.send("XAUTOCLAIM", claim).await?;
    let (next, read, deleted) = match items(&claimed) {
        [next, read, deleted, ..] => (next, items(read), items(deleted).len()),
        [next, read] => (next, items(read), 0),
        _ => return Err(unparsable("XAUTOCLAIM")),
    };
    let next = text(next).unwrap_or(END).to_owned();
    let entries = read
        .iter()
        .filter_map(|entry| StreamEntry::read(partition, entry, true));
    let mut claimed = Claimed {
        entries: entries.collect(),
        trimmed: deleted,
        next,
    };
    if read.iter().any(reply::is_null) {
        // All pending entries of this range were just claimed by this process.
        let last = match claimed.next.as_str() {
            END => "+".to_owned(),
            next => format!("({next}"),
        };
        let count = read.len().to_string();
        let pending = words(&[&stream, group, cursor, &last, &count, me]);
        let pending = connection.send("XPENDING", pending).await?;
        let trimmed = not_read(items(&pending), read);
        if !trimmed.is_empty() {
            let ack = [&[stream.as_str(), group.as_str()][..], trimmed.as_slice()].concat();
            connection.send("XACK", words(&ack)).await?;
        }
        claimed.trimmed += trimmed.len();
    }
    Ok(claimed)
}

/// Returns the ids of pending entries that were not read.
fn not_read<'a>(pending: &'a [Reply], read: &[Reply]) -> Vec<&'a str> {
    let read: HashSet<&str> = read.iter().filter_map(id).collect();
    let pending = pending.iter().filter_map(id);
    pending.filter(|id| !read.contains(*id)).collect()
}

/// Returns the id, the first item of an entry and of a pending entry.
fn id(entry: &Reply) -> Option<&str> {
    text(items(entry).first()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(data: Vec<Reply>) -> Reply {
        Reply::Array {
            data,
            attributes: None,
        }
    }

    fn bulk(text: &'static str) -> Reply {
        Reply::BlobString {
            data: bytes::Bytes::from_static(text.as_bytes()),
            attributes: None,
        }
    }

    #[test]
    fn pending_entries_that_were_not_read_are_trimmed() {
        let entry = |id| array(vec![bulk(id), array(vec![bulk("json"), bulk("{}")])]);
        let read = [entry("1-0"), Reply::Null, entry("3-0"), Reply::Null];
        let pending = ["1-0", "2-0", "3-0", "4-0"].map(|id| array(vec![bulk(id), bulk("me")]));
        assert_eq!(not_read(&pending, &read), ["2-0", "4-0"]);
        assert_eq!(not_read(&pending[..1], &read), [""; 0]);
    }
}
