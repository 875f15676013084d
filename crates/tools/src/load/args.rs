//! What `load` takes on its command line: [`LoadArgs`].

use std::time::Duration;

use clap::Args;

use crate::board_path::BoardPath;
use crate::server::ServerArgs;

/// Contributions that one request may hold; the server takes more, but a live stream has none such.
const BATCH_MAX: i64 = 10_000;
/// Requests under way at most, and streams.
const CONNECTIONS_MAX: i64 = 20_000;
/// Requests per second at most, of writes and of reads: beyond it this machine is what is measured.
const RATE_MAX: f64 = 1_000_000.0;

/// Simulates a live stream against a server, and reports rates and percentiles of latency.
///
/// Requests are sent when they are due, whether or not earlier ones were answered. Latency is measured
/// from when a request was due: a wait for a server that stalls is part of it.
///
/// Exit status: 0 if every request was answered and every contribution accepted, 1 if not, 130 after
/// Ctrl-C. The table is shown in each case.
#[derive(Args, Debug)]
pub struct LoadArgs {
    #[command(flatten)]
    pub(super) server: ServerArgs,

    /// The board, as KIND/SUBJECT. Its kind needs the one field points, as gifts has it.
    #[arg(long, default_value = "gifts/load", value_parser = BoardPath::parse)]
    pub(super) board: BoardPath,

    /// Number of members. A few contribute often, most seldom.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) members: u32,

    /// Contributions per second; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 1_000.0, value_parser = rate)]
    pub(super) rate: f64,

    /// Contributions per request.
    #[arg(long, value_name = "N", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=BATCH_MAX))]
    pub(super) batch: u32,

    /// Send contributions without ids: the server remembers nothing, and what has an unknown outcome is not sent
    /// again.
    #[arg(long)]
    pub(super) without_ids: bool,

    /// Reads per second; 0 for none. Half are of the top 100, the others of members, neighbours and deep pages.
    #[arg(long, value_name = "N", default_value_t = 200.0, value_parser = rate)]
    pub(super) reads: f64,

    /// Number of streams of the top 10.
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=CONNECTIONS_MAX))]
    pub(super) streams: u32,

    /// Most requests in flight. One that is due meanwhile waits, and the wait is part of its latency.
    #[arg(long, value_name = "N", default_value_t = 64)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=CONNECTIONS_MAX))]
    pub(super) concurrency: u32,

    /// Duration.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    pub(super) duration: Duration,

    /// Random seed: the same seed gives the same contributions.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.0..=RATE_MAX).contains(&rate) => Ok(rate),
        _ => Err(format!("a rate is a number from 0 to {RATE_MAX}")),
    }
}
