//! What `adopt` takes on its command line: [`AdoptArgs`].

use std::str::FromStr as _;

use board::Timestamp;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use encodings::Encoding;

use super::source::SourceUrl;
use crate::board_path::BoardPath;
use crate::secrets::SecretParser;
use crate::server::{self, ServerArgs};

/// Reads a sorted set of a Redis into a board
///
/// Each member's standing is set to what the sorted set says, with its time where the encoding has
/// one. The sorted set is only read, by cursor, and may be written to meanwhile; what changes behind
/// the cursor is taken by another run. A run can be repeated: it sets the same again.
///
/// At the end the number of members and the best 1,000 are held against the source.
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
/// Exit status: 0 when all is on the board as in the source, 1 when not, 130 after Ctrl-C or
/// SIGTERM.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub struct AdoptArgs {
    /// The Redis: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]`, or `rediss://` for TLS. A password is better
    /// given in the environment, which `ps` does not show to others.
    #[arg(
        long,
        value_name = "URL",
        env = "MEGABOARD_ADOPT_FROM",
        hide_env_values = true,
        value_parser = SecretParser(SourceUrl::from_str)
    )]
    pub(super) from: SourceUrl,

    /// The sorted set.
    #[arg(long = "key", value_name = "KEY", value_parser = NonEmptyStringValueParser::new())]
    pub(super) source_key: String,

    /// How score and time are packed.
    #[arg(long, value_name = "ENCODING", default_value = "plain")]
    pub(super) encoding: Encoding,

    /// The board, as KIND/SUBJECT.
    #[arg(long, value_name = "BOARD", value_parser = board)]
    pub(super) board: String,

    /// Set this one window alone, such as day:2026-11-20; every time has to lie in it. Without it a
    /// standing is set in every window that its time falls into.
    #[arg(long, value_name = "WINDOW")]
    pub(super) window: Option<String>,

    /// The time of standings whose encoding has none: RFC 3339. [default: now]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_rfc3339)]
    pub(super) at: Option<Timestamp>,

    /// Where the server of the board listens.
    #[arg(
        long,
        value_name = "URL",
        env = "MEGABOARD_SERVER",
        hide_env_values = true,
        default_value = "http://127.0.0.1:8080",
        value_parser = SecretParser(server::server_url)
    )]
    server: String,

    /// API key, where the server asks for one; better given in the environment. White space at its end is
    /// ignored. The other commands call it --key.
    #[arg(
        long,
        value_name = "KEY",
        env = "MEGABOARD_KEY",
        hide_env_values = true,
        value_parser = SecretParser(server::api_key)
    )]
    api_key: Option<String>,
}

impl AdoptArgs {
    /// The server, as the other commands are told it.
    pub(super) fn server(&self) -> ServerArgs {
        ServerArgs {
            server: self.server.clone(),
            key: self.api_key.clone(),
        }
    }
}

/// The text of a board, if it is one.
fn board(text: &str) -> Result<String, String> {
    BoardPath::parse(text).map(|_| text.to_owned())
}
