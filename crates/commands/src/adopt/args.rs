//! The command line of `adopt`: [`AdoptArgs`].

use std::str::FromStr as _;

use board::Timestamp;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use encodings::Encoding;
use megaboard_client::BoardName;

use super::source::SourceUrl;
use crate::result_args::ResultArgs;
use crate::secrets::SecretParser;
use crate::server::{ServerArgs, board_name};

/// The greatest scale.
const SCALE_MAX: i64 = 1_000_000_000;

/// Copies a sorted set of a Redis server to a board
///
/// Each member's standing is set to its score in the sorted set, with its time if the encoding has
/// one. The sorted set is only read, by cursor, and may change meanwhile; another run applies the
/// changes that the cursor missed. A run can be repeated: it sets the same standings again.
///
/// At the end the number of members and the best 1,000 are compared with the source, and members of
/// the board that the source does not have are listed. If the encoding does not fit the best, nothing
/// is copied, and the error has the encodings that do. So it is without --encoding, if the scores look
/// like those of an encoding with times, or the members like serialised ones.
///
/// Encodings:
///   plain                                     the score alone
///   decimal                                   score * 10^10 + (10^10 - 1 - seconds)
///   binary                                    21 bits of score, 32 of (2^32 - 1 - seconds)
///   bits(22/22/20)                            fields of a whole number, the highest first
///   fraction(base=317242022400)               score + (base - seconds)/base
///   time-left(ends=2026-11-30T00:00:00Z, digits=6)   `score.seconds`, padded: what was left
///   time-member(offset=+08:00)                member `2022-12-15 13:30:30_user1`
///   two-sets(time-key=KEY)                    times in another sorted set
///
/// Exit status: 0 if the board agrees with the source, 1 if not, 130 after Ctrl-C or SIGTERM.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub struct AdoptArgs {
    /// The Redis server: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]`, or `rediss://` for TLS. Prefer the environment for
    /// a password: `ps` shows the command line to others.
    #[arg(
        long,
        value_name = "URL",
        env = "MEGABOARD_ADOPT_FROM",
        hide_env_values = true,
        value_parser = SecretParser(SourceUrl::from_str)
    )]
    pub(super) from: SourceUrl,

    /// The sorted set: its key in Redis.
    #[arg(long, value_name = "KEY", value_parser = NonEmptyStringValueParser::new())]
    pub(super) sorted_set: String,

    /// Encoding of score and time. [default: plain]
    #[arg(long, value_name = "ENCODING")]
    pub(super) encoding: Option<Encoding>,

    /// Multiply the scores by this number, such as 100 for scores with two decimals: values are integers. For
    /// encodings that have the score alone: plain, time-member and two-sets.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=SCALE_MAX))]
    pub(super) scale: Option<u32>,

    /// The board, as KIND/SUBJECT.
    #[arg(long, value_name = "BOARD", value_parser = board_name)]
    pub(super) board: BoardName,

    /// Set only this window, such as day:2026-11-20, which must contain all times. [default: all windows that contain
    /// the time of a standing]
    #[arg(long, value_name = "WINDOW")]
    pub(super) window: Option<String>,

    /// The time of standings without one in the source: RFC 3339. [default: now]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_rfc3339)]
    pub(super) at: Option<Timestamp>,

    #[command(flatten)]
    pub(super) server: ServerArgs,

    #[command(flatten)]
    pub(super) result: ResultArgs,
}
