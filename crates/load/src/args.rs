//! The command line of `load`: [`LoadArgs`].

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use commands::result_args::ResultArgs;
use commands::server::ServerArgs;

use crate::mix::Mix;

/// The maximum number of rooms: each has a weight in memory.
const ROOMS_MAX: i64 = 1_000_000;
/// The maximum number of contributions of a request. The server accepts more, but live streams do not have them.
const BATCH_MAX: i64 = 10_000;
/// The maximum number of connections, and of streams.
const CONNECTIONS_MAX: i64 = 20_000;
/// The maximum number of requests that were due and have no response.
const OUTSTANDING_MAX: i64 = 1_000_000;
/// The maximum rate. Beyond it, this machine would be the limit.
const RATE_MAX: f64 = 1_000_000.0;

/// Sends requests to many rooms at a rate that does not depend on responses, and reports percentiles of latency.
///
/// Each request is due at a random time (Poisson arrivals), and is sent then, whether or not earlier ones have a
/// response. Latency is measured from the time at which a request was due: it includes the wait for a free
/// connection, so a server that stalls is not measured less often. Each request is sent once.
///
/// Rooms are chosen by Zipf's law: room N is 1/N as busy as room 1, and has 1/N as many members. Their boards are
/// KIND/load-1, KIND/load-2 and so on. They remain unless --clean is given.
///
/// Exit status: 0 if every request that was due was sent and succeeded, and every contribution was accepted, 1 if not,
/// 130 after Ctrl-C. The table is printed in each case.
#[derive(Args, Debug)]
pub struct LoadArgs {
    #[command(flatten)]
    pub(crate) server: ServerArgs,

    /// Kind of the boards, with points as its only field, as the kind gifts has.
    #[arg(long, default_value = "gifts")]
    pub(crate) kind: String,

    /// Number of rooms. Each is a board.
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=ROOMS_MAX))]
    pub(crate) rooms: u32,

    /// Number of members of all rooms together, at least one in each. In each room a few contribute often, most seldom.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) members: u32,

    /// First send one contribution of each member, so that all of them are ranked. Not part of the figures.
    #[arg(long)]
    pub(crate) fill: bool,

    /// Requests per second, of all kinds together.
    #[arg(long, value_name = "N", default_value_t = 1_000.0, value_parser = rate)]
    pub(crate) rate: f64,

    /// First measure the capacity, with a request in flight on each connection all the time, and use this percentage
    /// of it as the rate.
    #[arg(long, value_name = "PERCENT", conflicts_with = "rate", value_parser = percentage)]
    pub(crate) of_capacity: Option<f64>,

    /// Share of each kind of request. top: the best 100. rank: the standing of a member. around: a member and its
    /// neighbours. write: a request with contributions. A kind that is not named has no requests.
    #[arg(long, default_value_t = Mix::default())]
    pub(crate) mix: Mix,

    /// Contributions per request that writes, all to one room.
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=BATCH_MAX))]
    pub(crate) batch: u32,

    /// Send contributions without ids: the server does not remember them.
    #[arg(long)]
    pub(crate) without_ids: bool,

    /// Number of connections, each with at most one request in flight.
    #[arg(long, value_name = "N", default_value_t = 64)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=CONNECTIONS_MAX))]
    pub(crate) connections: u32,

    /// Maximum number of requests that were due and have no response. Further ones are not sent, and counted as missed.
    /// So are those that still wait for a connection after Ctrl-C, or a minute after the last one was due.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=OUTSTANDING_MAX))]
    pub(crate) outstanding: u32,

    /// Number of streams of the top 10, of rooms chosen in the same way.
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=CONNECTIONS_MAX))]
    pub(crate) streams: u32,

    /// Delete the boards afterwards, also after Ctrl-C: KIND/load-1 to the number of rooms, whether or not they existed
    /// before. Requires a key with the scope admin, if the server has keys.
    #[arg(long)]
    pub(crate) clean: bool,

    /// Duration.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    pub(crate) duration: Duration,

    /// Random seed: the same seed results in the same requests.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Write the results into this folder: load.json, and a percentile distribution of each kind of request
    /// (KIND.hgrm, as HDR plotters read it).
    #[arg(long, value_name = "FOLDER")]
    pub(crate) results: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) result: ResultArgs,
}

impl LoadArgs {
    /// Returns whether the load may create boards.
    pub(crate) const fn writes(&self) -> bool {
        self.fill || self.mix.has_writes()
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= RATE_MAX => Ok(rate),
        _ => Err(format!("a rate is a number above 0 and at most {RATE_MAX}")),
    }
}

fn percentage(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if percent > 0.0 && percent <= 200.0 => Ok(percent),
        _ => Err("a percentage is a number above 0 and at most 200".to_owned()),
    }
}
