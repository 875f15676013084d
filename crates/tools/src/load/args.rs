//! The command line of `load`: [`LoadArgs`].

use std::time::Duration;

use clap::Args;

use crate::board_path::BoardPath;
use crate::server::ServerArgs;

/// The maximum number of contributions of a request. The server accepts more, but live streams do not have them.
const BATCH_MAX: i64 = 10_000;
/// The maximum number of requests in flight, and of streams.
const CONNECTIONS_MAX: i64 = 20_000;
/// The maximum number of contributions per second, and of reads. Beyond it, this machine would be the limit.
const RATE_MAX: f64 = 1_000_000.0;

/// Simulates a live stream against a server, and reports rates and percentiles of latency.
///
/// Requests are sent when they are due, whether or not earlier ones have completed. Latency is measured
/// from the time at which a request was due, so it includes the wait for a server that stalls.
///
/// Exit status: 0 if every request succeeded and every contribution was accepted, 1 if not, 130 after
/// Ctrl-C. The table is printed in each case.
#[derive(Args, Debug)]
pub struct LoadArgs {
    #[command(flatten)]
    pub(super) server: ServerArgs,

    /// The board, as KIND/SUBJECT. Its kind must have points as its only field, as the kind gifts does.
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

    /// Send contributions without ids: the server does not remember them, and those with an unknown outcome are not
    /// sent again.
    #[arg(long)]
    pub(super) without_ids: bool,

    /// Reads per second; 0 for none. Half are of the top 100, the others of members, neighbours and deep pages.
    #[arg(long, value_name = "N", default_value_t = 200.0, value_parser = rate)]
    pub(super) reads: f64,

    /// Number of streams of the top 10.
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=CONNECTIONS_MAX))]
    pub(super) streams: u32,

    /// Maximum number of requests in flight. Further ones wait, and the wait is part of their latency.
    #[arg(long, value_name = "N", default_value_t = 64)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=CONNECTIONS_MAX))]
    pub(super) concurrency: u32,

    /// Duration.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    pub(super) duration: Duration,

    /// Random seed: the same seed results in the same contributions.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.0..=RATE_MAX).contains(&rate) => Ok(rate),
        _ => Err(format!("a rate is a number from 0 to {RATE_MAX}")),
    }
}
