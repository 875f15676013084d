//! `megaboard ingest`: contributions from Redis Streams, partitioned by member, to a server.
//!
//! ```text
//! PREFIX:0 ... PREFIX:N-1 ─► reader ─► entry ─► send ─► server
//!            ▲   (leases: share)  │    (line)    │ decided: applied, duplicate, rejected
//!            └────── XACK ────────┴──────────────┘
//! ```
//!
//! One loop reads, sends and acknowledges, one batch at a time, so that what is under way is bounded
//! and one member's contributions stay in their order. A task beside it keeps the leases. `claim` takes over what is
//! pending, `group` knows where a stream's group continues. An entry may be sent more than once; its id
//! makes it count once.
//!
//! **Invariant:** an entry is acknowledged after it is decided, never before.

mod args;
mod claim;
mod connection;
mod entry;
mod group;
mod reader;
mod send;
mod share;
mod tally;
mod url;

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

pub use self::args::IngestArgs;

use self::reader::Reader;
use self::send::{Sender, retry_policy};
use self::share::{Keys, Share};
use crate::runtime::Runtime;
use crate::terminal;

/// Runs the command.
pub fn run(args: &IngestArgs) -> Result<ExitCode, Box<dyn Error>> {
    let summary = Runtime::with_threads(2)?.block_on(ingest(args))?;
    terminal::print(&summary)?;
    std::io::stdout().flush()?;
    Ok(ExitCode::SUCCESS)
}

async fn ingest(args: &IngestArgs) -> Result<String, Box<dyn Error>> {
    let (asked, stop) = watch::channel(false);
    let (mut term, mut int) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    tokio::spawn(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        asked.send_replace(true);
        // Kept until the process ends: who waits for a change is not to see the sender gone.
        asked.closed().await;
    });
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
        async move { share.keep(&keys, &COMPLAIN).await }
    });
    let client = args.server.client_with(retry_policy())?;
    let sender = Sender::new(client, stop.clone());
    let mut reader = Reader::new(keys, share, sender, args.rejected.clone(), stop);
    let outcome = reader.run(&COMPLAIN).await;
    keeper.abort();
    // Ended before the leases are: it would take them again.
    let _ = keeper.await;
    reader.leave().await;
    outcome?;
    Ok(reader.summary())
}

/// Takes messages for people, one line each.
static COMPLAIN: fn(String) = |message| terminal::complain(&message);

/// A name that no other process has, and no other run of this one.
fn name() -> Result<String, String> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "ingest",
        host => host,
    };
    let drawn = getrandom::u32().map_err(|error| error.to_string())?;
    Ok(format!("{host}-{}-{drawn:08x}", std::process::id()))
}
