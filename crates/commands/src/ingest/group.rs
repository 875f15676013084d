//! Creating the consumer group of a stream: [`create`], and [`recreate`] if it was lost.
//!
//! Acknowledged entries remain in the stream. If a lost group began at the first entry again, all of them would be
//! delivered again, and those older than the dedupe span would count twice. So it continues after the last decided
//! entry.

use super::connection::{CommandError, Connection, items, of_map, words};

/// Creates the group, and the stream, unless they exist. The group begins after the entry `after`.
pub(super) async fn create(
    connection: &Connection,
    stream: &str,
    group: &str,
    after: &str,
) -> Result<(), CommandError> {
    let create = words(&["CREATE", stream, group, after, "MKSTREAM"]);
    match connection.send("XGROUP", create).await {
        Err(CommandError::Redis(text)) if text.starts_with("BUSYGROUP") => Ok(()),
        Err(CommandError::Redis(text)) => Err(CommandError::Redis(format!("{text} ({stream})"))),
        reply => reply.map(drop),
    }
}

/// Creates a lost group again, after the last decided entry. Returns a message for the user.
pub(super) async fn recreate(
    connection: &Connection,
    stream: &str,
    group: &str,
    decided: &str,
) -> Result<String, CommandError> {
    let old = words(&[stream, "-", decided, "COUNT", "1"]);
    let old = connection.send("XRANGE", old).await?;
    // If there is no entry up to the last decided one, the stream was lost, too.
    if items(&old).is_empty() {
        create(connection, stream, group, "0").await?;
        return Ok(format!(
            "{stream}: group {group} was lost, and so were the entries read before; continuing with the first entry"
        ));
    }
    create(connection, stream, group, decided).await?;
    Ok(format!(
        "{stream}: group {group} was lost; continuing after {decided}, the last decided entry"
    ))
}

/// Returns the id of the last entry that the group has delivered to any consumer.
pub(super) async fn last_delivered(
    connection: &Connection,
    stream: &str,
    group: &str,
) -> Result<String, CommandError> {
    let groups = connection.send("XINFO", words(&["GROUPS", stream])).await?;
    let mut groups = items(&groups).iter();
    let about = groups.find(|about| of_map(about, "name") == Some(group));
    let last = about.and_then(|about| of_map(about, "last-delivered-id"));
    let missing = || CommandError::Redis(format!("NOGROUP {stream} has no group {group}"));
    last.map(str::to_owned).ok_or_else(missing)
}
