//! Pending entries taken over: [`claim`], a step through those of a stream, and [`Claimed`], what it gave.
//!
//! Some may have been trimmed off the stream. Redis 7 takes those out of the group, and lists their ids.
//! Redis 6.2 gives nil for each and leaves it pending: which those are is asked for, and they are
//! acknowledged, since nobody can decide them any more.

use std::collections::HashSet;

use redis_link::{Reply, reply};

use super::connection::{Connection, Fault, items, text, words};
use super::entry::StreamEntry;
use super::share::Keys;

/// The cursor of the first step, and behind the last.
pub(super) const END: &str = "0-0";

/// A step through the pending entries of a stream.
pub(super) struct Claimed {
    /// The next cursor.
    pub(super) next: String,
    pub(super) entries: Vec<StreamEntry>,
    /// Those that were trimmed off; they are no longer pending.
    pub(super) trimmed: usize,
}

/// Takes over up to `count` pending entries of a partition, from the cursor on.
pub(super) async fn claim(
    connection: &Connection,
    keys: &Keys,
    partition: u64,
    cursor: &str,
    count: usize,
) -> Result<Claimed, Fault> {
    let (stream, count) = (keys.url.stream(partition), count.to_string());
    let (group, me) = (&keys.group, &keys.me);
    let claim = words(&[&stream, group, me, "0", cursor, "COUNT", &count]);
    let claimed = connection.send("XAUTOCLAIM", claim).await?;
    let (next, read, deleted) = match items(&claimed) {
        [next, read, deleted, ..] => (next, items(read), items(deleted).len()),
        [next, read] => (next, items(read), 0),
        _ => {
            return Err(Fault::Lost(
                "the reply to XAUTOCLAIM could not be parsed".to_owned(),
            ));
        }
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
        // All that is pending of this stretch was just claimed.
        let last = match claimed.next.as_str() {
            END => "+".to_owned(),
            next => format!("({next}"),
        };
        let most = read.len().to_string();
        let pending = words(&[&stream, group, cursor, &last, &most, me]);
        let pending = connection.send("XPENDING", pending).await?;
        let trimmed = without(items(&pending), read);
        if !trimmed.is_empty() {
            let ack = [&[stream.as_str(), group.as_str()][..], trimmed.as_slice()].concat();
            connection.send("XACK", words(&ack)).await?;
        }
        claimed.trimmed += trimmed.len();
    }
    Ok(claimed)
}

/// The ids of pending entries that are not among those read.
fn without<'a>(pending: &'a [Reply], read: &[Reply]) -> Vec<&'a str> {
    let read: HashSet<&str> = read.iter().filter_map(id).collect();
    let pending = pending.iter().filter_map(id);
    pending.filter(|id| !read.contains(*id)).collect()
}

/// What stands first of an entry, and of what is pending.
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
    fn of_what_is_pending_only_what_was_not_read_is_trimmed() {
        let entry = |id| array(vec![bulk(id), array(vec![bulk("json"), bulk("{}")])]);
        let read = [entry("1-0"), Reply::Null, entry("3-0"), Reply::Null];
        let pending = ["1-0", "2-0", "3-0", "4-0"].map(|id| array(vec![bulk(id), bulk("me")]));
        assert_eq!(without(&pending, &read), ["2-0", "4-0"]);
        assert_eq!(without(&pending[..1], &read), [""; 0]);
    }
}
