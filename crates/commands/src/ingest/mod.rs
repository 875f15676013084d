//! `megaboard ingest`: sends contributions from Redis Streams, which are partitioned by member, to a server.
//!
//! ```text
//! PREFIX:0 ... PREFIX:N-1 ─► reader ─► entry ─► send ─► server
//!            ▲   (leases: share)  │    (line)    │ decided: applied, duplicate, rejected
//!            └────── XACK ────────┴──────────────┘
//! ```
//!
//! One loop reads, sends and acknowledges one batch at a time, so that memory is bounded and the contributions of a
//! member keep their order. Another task keeps the leases. `claim` claims pending entries, `group` creates the consumer
//! groups, `age` warns of old entries, and `rejected` reports and stores rejected ones. An entry may be sent several
//! times, but its id counts once.
//!
//! **Invariant:** an entry is acknowledged after it is decided, never before.

mod age;
mod args;
mod claim;
mod connection;
mod entry;
mod group;
mod reader;
mod rejected;
mod send;
mod share;
mod tally;
mod url;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

pub use self::args::IngestArgs;

use self::reader::Reader;
use self::send::{EntrySender, retry_policy};
use self::share::{Keys, Share};
use self::tally::Tally;
use crate::delivery::Stop;
use crate::runtime::Runtime;

/// Runs the command.
pub fn run(args: &IngestArgs) -> Result<ExitCode, Box<dyn Error>> {
    let tally = Runtime::with_threads(2)?.block_on(ingest(args))?;
    args.result.print(&tally, Tally::to_string)?;
    Ok(ExitCode::SUCCESS)
}

async fn ingest(args: &IngestArgs) -> Result<Tally, Box<dyn Error>> {
    let stop = Stop::on_signals()?;
    let keys = Arc::new(Keys {
        url: args.from.clone(),
        db: args.db,
        group: args.group.clone(),
        partitions: args.partitions,
        me: name()?,
    });
    let share = Arc::new(Share::default());
    let keeper = tokio::spawn({
        let (share, keys) = (share.clone(), keys.clone());
        async move { share.keep(&keys).await }
    });
    let client = args.server.client_with(retry_policy())?;
    let sender = EntrySender::new(client, stop.clone());
    let mut reader = Reader::new(keys, share, sender, args.rejected.clone(), stop);
    let outcome = reader.run().await;
    keeper.abort();
    // It must have ended before the leases are returned: otherwise it would take them again.
    let _ = keeper.await;
    reader.leave().await;
    outcome?;
    Ok(reader.into_tally())
}

/// Returns a consumer name that is unique to this run.
fn name() -> Result<String, String> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "ingest",
        host => host,
    };
    let random = getrandom::u32().map_err(|error| error.to_string())?;
    Ok(format!("{host}-{}-{random:08x}", std::process::id()))
}
