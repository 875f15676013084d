//! The command line of `ingest`: [`IngestArgs`].

use clap::Args;

use super::url::{StreamsUrl, stream_name};
use crate::result_args::ResultArgs;
use crate::secrets::SecretParser;
use crate::server::ServerArgs;

/// The maximum number of streams that one `XREADGROUP` reads.
const PARTITIONS_MAX: u64 = 1024;

/// Sends contributions from Redis Streams to a server.
///
/// The streams are partitioned by member, and read until the command is stopped.
///
/// An entry has either one field json, a contribution as POST /v1/contributions accepts it, or the
/// fields board, member, points (or values, as JSON), and optionally at and id. The id defaults to
/// stream and entry id, the time to that of the entry. An entry is acknowledged once the server has
/// stored it. Several processes share the partitions evenly; each partition is read by one of them
/// at a time.
///
/// Exit status: 0 after SIGTERM or Ctrl-C, 1 if it could not continue.
#[derive(Args, Debug)]
pub struct IngestArgs {
    /// The Redis server with the streams PREFIX:0, PREFIX:1 and so on:
    /// `redis://[USER:PASSWORD@]HOST[:PORT]/PREFIX`, or `rediss://` for TLS.
    #[arg(
        long,
        value_name = "URL",
        env = "MEGABOARD_FROM",
        hide_env_values = true
    )]
    #[arg(value_parser = SecretParser(StreamsUrl::parse))]
    pub(super) from: StreamsUrl,

    /// Redis database number.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) db: u8,

    /// Number of streams.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=PARTITIONS_MAX))]
    pub(super) partitions: u64,

    /// Consumer group. It is created at a stream's first entry if the stream has none, and after the last entry that
    /// was decided if it is lost meanwhile.
    #[arg(long, value_name = "G", value_parser = stream_name)]
    pub(super) group: String,

    /// Stream to which rejected entries are added before they are acknowledged.
    #[arg(long, value_name = "STREAM", value_parser = stream_name)]
    pub(super) rejected: Option<String>,

    #[command(flatten)]
    pub(super) server: ServerArgs,

    #[command(flatten)]
    pub(super) result: ResultArgs,
}
