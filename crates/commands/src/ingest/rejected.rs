//! Reporting rejected entries, and adding them to a stream: [`put`].

use std::collections::BTreeMap;

use redis_nodes::redis_link::Value;

use super::connection::{CommandError, Connection, words};
use super::entry::StreamEntry;
use super::reader::report;
use super::url::StreamsUrl;

/// The approximate maximum length of the stream of rejected entries.
const KEPT: &str = "1000000";
/// The maximum number of rejected entries of a batch that are reported.
const REPORTED_MAX: usize = 10;

/// Reports the rejected ones of these entries, by index with the type and the detail of the problem, and adds them to a
/// stream if there is one.
pub(super) async fn put(
    to: Option<&str>,
    connection: &Connection,
    url: &StreamsUrl,
    entries: &[StreamEntry],
    rejected: &BTreeMap<usize, (String, String)>,
) -> Result<(), CommandError> {
    for (number, (index, (kind, detail))) in rejected.iter().enumerate() {
        let entry = &entries[*index];
        let stream = url.stream(entry.partition);
        if number < REPORTED_MAX {
            report(format!("{stream} {}: {kind}: {detail}", entry.id));
        } else if number == REPORTED_MAX {
            let more = rejected.len() - REPORTED_MAX;
            report(format!("{more} more were rejected"));
        }
        let Some(to) = to else {
            continue;
        };
        let mut add = words(&[to, "MAXLEN", "~", KEPT, "*"]);
        let about = [
            ("rejected-stream", &stream),
            ("rejected-entry", &entry.id),
            ("rejected-type", kind),
            ("rejected-detail", detail),
        ];
        for (name, value) in about {
            add.extend(words(&[name, value]));
        }
        add.extend(entry.fields.iter().cloned().map(Value::Bytes));
        connection.send("XADD", add).await?;
    }
    Ok(())
}
