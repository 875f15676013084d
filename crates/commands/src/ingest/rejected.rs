//! Reporting rejected entries, and adding them to a stream: [`Rejected`].

use std::collections::BTreeMap;

use redis_nodes::redis_link::Value;

use super::connection::{Connection, Fault, words};
use super::entry::StreamEntry;
use super::url::StreamsUrl;

/// The approximate maximum length of the stream of rejected entries.
const KEPT: &str = "1000000";
/// The maximum number of rejected entries of a batch that are reported.
const REPORTED_MAX: usize = 10;

/// Reports rejected entries, and stores them in a stream if there is one.
pub(super) struct Rejected {
    /// The name of the stream.
    pub(super) stream: Option<String>,
}

impl Rejected {
    /// Reports and stores the rejected ones of these entries: by index, the type and the detail of the problem.
    pub(super) async fn put(
        &self,
        connection: &Connection,
        url: &StreamsUrl,
        entries: &[StreamEntry],
        rejected: &BTreeMap<usize, (String, String)>,
        say: &(dyn Fn(String) + Sync),
    ) -> Result<(), Fault> {
        for (number, (index, (kind, detail))) in rejected.iter().enumerate() {
            let entry = &entries[*index];
            let stream = url.stream(entry.partition);
            if number < REPORTED_MAX {
                say(format!("{stream} {}: {kind}: {detail}", entry.id));
            } else if number == REPORTED_MAX {
                let more = rejected.len() - REPORTED_MAX;
                say(format!("{more} more were rejected"));
            }
            let Some(to) = &self.stream else {
                continue;
            };
            let mut add = words(&[to, "MAXLEN", "~", KEPT, "*"]);
            add.extend(words(&[
                "rejected-stream",
                &stream,
                "rejected-entry",
                &entry.id,
            ]));
            add.extend(words(&["rejected-type", kind, "rejected-detail", detail]));
            add.extend(entry.fields.iter().cloned().map(Value::Bytes));
            connection.send("XADD", add).await?;
        }
        Ok(())
    }
}
