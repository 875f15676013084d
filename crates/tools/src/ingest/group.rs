//! The consumer group of one stream: made where there is none, and made again where it was lost.
//!
//! Acknowledged entries stay in their stream. A group that is made again from the first entry on would
//! give all of them as new, and those past the dedupe span would count twice: so a group that was known
//! goes on behind the last entry that was decided.

use redis_link::Reply;

use super::connection::{Connection, Fault, items, text, words};

/// Makes the group where there is none, to begin behind this entry; and the stream.
pub(super) async fn make(
    connection: &Connection,
    stream: &str,
    group: &str,
    behind: &str,
) -> Result<(), Fault> {
    let make = words(&["CREATE", stream, group, behind, "MKSTREAM"]);
    match connection.send("XGROUP", make).await {
        Err(Fault::Refused(words)) if words.starts_with("BUSYGROUP") => Ok(()),
        answer => answer.map(drop).map_err(|fault| fault.at(stream)),
    }
}

/// Makes a group again that had come to this entry; tells how it goes on.
pub(super) async fn make_again(
    connection: &Connection,
    stream: &str,
    group: &str,
    decided: &str,
) -> Result<String, Fault> {
    let old = words(&[stream, "-", decided, "COUNT", "1"]);
    let old = connection.send("XRANGE", old).await?;
    // A stream that was begun anew, too, holds nothing that was read.
    if items(&old).is_empty() {
        make(connection, stream, group, "0").await?;
        return Ok(format!(
            "{stream}: group {group} was lost, and so were the entries read before; continuing with the first entry"
        ));
    }
    make(connection, stream, group, decided).await?;
    Ok(format!(
        "{stream}: group {group} was lost; continuing after {decided}, the last decided entry"
    ))
}

/// The last entry that the group has given to anybody.
pub(super) async fn last_delivered(
    connection: &Connection,
    stream: &str,
    group: &str,
) -> Result<String, Fault> {
    let groups = connection.send("XINFO", words(&["GROUPS", stream])).await?;
    let last = items(&groups).iter().find_map(|about| {
        let is_it = value(about, "name") == Some(group);
        value(about, "last-delivered-id").filter(|_| is_it)
    });
    last.map(str::to_owned)
        .ok_or_else(|| Fault::Refused(format!("NOGROUP {stream} has no group {group}")))
}

/// What stands under a name in a map.
fn value<'a>(map: &'a Reply, name: &str) -> Option<&'a str> {
    let Reply::Map { data, .. } = map else {
        return None;
    };
    let mut pairs = data.iter();
    let (_, value) = pairs.find(|(key, _)| text(key) == Some(name))?;
    text(value)
}
