//! What `ingest` takes on its command line: [`IngestArgs`].

use clap::Args;

use super::url::{StreamsUrl, stream_name};
use crate::secrets::SecretParser;
use crate::server::ServerArgs;

/// As many as one process reads in one call.
const PARTITIONS_MAX: u64 = 1024;

/// Feeds a server with contributions from Redis Streams.
///
/// The streams are partitioned by member, and read until this is stopped.
///
/// An entry holds either one field json, a contribution as POST /v1/contributions takes it, or the
/// fields board, member, points (or values, as JSON), and if need be at and id. The id of one
/// without is stream and entry id, its time that of the entry. An entry is acknowledged when the
/// server has it durably. Run as many as are needed: they share the partitions evenly, each read by
/// one at a time.
///
/// Exit status: 0 after SIGTERM or Ctrl-C, 1 when it could not go on.
#[derive(Args, Debug)]
pub struct IngestArgs {
    /// Where the streams are: `redis://[USER:PASSWORD@]HOST[:PORT]/PREFIX` (`rediss://` over TLS). They
    /// are called PREFIX:0, PREFIX:1 and so on.
    #[arg(
        long,
        value_name = "URL",
        env = "MEGABOARD_FROM",
        hide_env_values = true
    )]
    #[arg(value_parser = SecretParser(StreamsUrl::parse))]
    pub(super) from: StreamsUrl,

    /// The number of Redis's database.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) db: u8,

    /// How many streams there are.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=PARTITIONS_MAX))]
    pub(super) partitions: u64,

    /// The consumer group; made where a stream has none, from its first entry on, or again behind what
    /// was decided where it is lost meanwhile.
    #[arg(long, value_name = "G", value_parser = stream_name)]
    pub(super) group: String,

    /// A stream that refused entries are added to before they are acknowledged.
    #[arg(long, value_name = "STREAM", value_parser = stream_name)]
    pub(super) rejected: Option<String>,

    #[command(flatten)]
    pub(super) server: ServerArgs,
}
