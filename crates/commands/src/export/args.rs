//! The command line of `export`: [`ExportArgs`].

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use megaboard_client::BoardName;

use crate::server::{ServerArgs, board_name};

/// Writes the standings of a board, or of all boards of a kind, as NDJSON.
///
/// Each line is a contribution that sets one standing in one window, as accepted by `import` and POST
/// /v1/contributions.
///
/// Exit status: 0 if the export is complete, 1 if something could not be read or written, 130 after Ctrl-C or SIGTERM.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// The board, as KIND/SUBJECT.
    #[arg(value_parser = board_name, required_unless_present = "kind")]
    pub(super) board: Option<BoardName>,

    /// All boards of this kind.
    #[arg(long, value_name = "K", conflicts_with = "board")]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub(super) kind: Option<String>,

    /// A window to export, such as all or day:2026-11-20; may be repeated. [default: every
    /// window with standings]
    #[arg(long = "window", value_name = "W", value_parser = NonEmptyStringValueParser::new())]
    pub(super) windows: Vec<String>,

    /// The file to write. It is replaced only once the export is complete. [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Print the result as JSON, on one line, to standard output. Messages and errors remain text, on standard error.
    #[arg(long, requires = "output")]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) server: ServerArgs,
}
