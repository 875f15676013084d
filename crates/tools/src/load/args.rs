//! What `load` takes on its command line: [`LoadArgs`].

use std::time::Duration;

use clap::Args;

use crate::board_path::BoardPath;
use crate::server::ServerArgs;

/// Contributions that one request may hold; the server takes more, but a live stream has none such.
const BATCH_MAX: i64 = 10_000;
/// Requests under way at most, and streams.
const CONNECTIONS_MAX: i64 = 20_000;
/// Requests a second at most, of writes and of reads: beyond it this machine is what is measured.
const RATE_MAX: f64 = 1_000_000.0;

/// Plays a live stream to a server: rates, and percentiles of latency.
///
/// Requests come when they are due, not when the one before was answered, as viewers do. Latency counts
/// from when a request was due, so that a server that stalls is charged for all who had to wait.
///
/// Exit status: 0 when every request was answered and every contribution taken in, 1 when not, 130
/// after Ctrl-C. The table is shown in each case.
#[derive(Args, Debug)]
pub struct LoadArgs {
    #[command(flatten)]
    pub(super) server: ServerArgs,

    /// The board, as KIND/SUBJECT. Its kind needs the one field points, as gifts has it.
    #[arg(long, default_value = "gifts/load", value_parser = BoardPath::parse)]
    pub(super) board: BoardPath,

    /// How many members there are; some give often, most seldom.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) members: u32,

    /// Contributions a second; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 1_000.0, value_parser = rate)]
    pub(super) rate: f64,

    /// Contributions in a request.
    #[arg(long, value_name = "N", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=BATCH_MAX))]
    pub(super) batch: u32,

    /// Sends contributions without ids: nothing to remember for the server, and nothing is sent again
    /// whose outcome is unknown.
    #[arg(long)]
    pub(super) without_ids: bool,

    /// Reads a second; 0 for none. Half are the top 100, the others members, neighbours and deep pages.
    #[arg(long, value_name = "N", default_value_t = 200.0, value_parser = rate)]
    pub(super) reads: f64,

    /// Viewers who hold a stream of the top 10.
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=CONNECTIONS_MAX))]
    pub(super) streams: u32,

    /// Requests under way at most; what is due meanwhile waits, and its latency counts.
    #[arg(long, value_name = "N", default_value_t = 64)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=CONNECTIONS_MAX))]
    pub(super) concurrency: u32,

    /// How long.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    pub(super) duration: Duration,

    /// What all chance comes from: the same seed gives the same contributions.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.0..=RATE_MAX).contains(&rate) => Ok(rate),
        _ => Err(format!("a rate is a number from 0 to {RATE_MAX}")),
    }
}
