//! `megaboard export`: boards as NDJSON of standings, for backup and for moving between stores.
//!
//! ```text
//! boards ─► windows ─► passes of pages ─► members not met before ─► lines ─► output
//!  (here)    (here)   (window, pass)              (seen)            (page)
//! ```
//!
//! Memory holds a page and what is kept of the members of one window. Each line is a contribution that
//! sets one standing, so that any server takes it. What settings boards and kinds have is not in it.

mod args;
mod output;
mod page;
mod pass;
mod ranges;
mod seen;
mod window;

#[cfg(test)]
mod tests;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use megaboard_client::RetryPolicy;
use serde::de::DeserializeOwned;

pub use self::args::ExportArgs;

use self::output::Output;
use self::page::{Board, Line, Listing, Page};
use self::ranges::Ranges;
use self::seen::{SEEN_MEMBERS_MAX, SeenMembers};
use self::window::PASSES_MAX;
use crate::board_path::{BoardPath, encoded};
use crate::delivery::{Halt, INTERRUPTED, Stop};
use crate::reads::Reads;
use crate::runtime::Runtime;
use crate::terminal;

/// Boards of one listing: as many as the server gives.
const LISTED_MAX: u32 = 1_000;
const PROGRESS_SHOWN_EVERY: Duration = Duration::from_millis(200);

/// Runs the command.
pub fn run(args: &ExportArgs) -> Result<ExitCode, Box<dyn Error>> {
    let started = Instant::now();
    let output = Output::open(args.output.as_deref())?;
    let stop = Stop::on_signals()?;
    let client = args.server.client()?;
    let runtime = Runtime::start()?;
    let progress = ProgressBar::no_length();
    progress.enable_steady_tick(PROGRESS_SHOWN_EVERY);
    progress.set_style(ProgressStyle::with_template(
        "{spinner} {human_pos} standings, {per_sec}, {wide_msg}",
    )?);
    let say = |message: String| progress.suspend(|| terminal::complain(&message));
    let mut export = Export {
        reads: Reads {
            runtime: &runtime,
            client: &client,
            stop: &stop,
            retry: RetryPolicy::default(),
            say: &say,
        },
        output,
        progress: &progress,
        counts: Counts::default(),
    };
    let outcome = export.all(args);
    let counts = export.counts;
    progress.finish_and_clear();
    match outcome {
        Ok(()) => {
            if let Some(warning) = export.output.finish()? {
                terminal::complain(&warning);
            }
        }
        Err(Halt::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(Halt::Failed(reason)) => {
            return Err(format!("{reason}; the export is not complete").into());
        }
    }
    let Counts {
        boards,
        windows,
        standings,
        lists,
    } = counts;
    if lists > 0 {
        terminal::complain(&format!(
            "{lists} windows rank only their best members (`retain`); members below them are not exported"
        ));
    }
    let took = started.elapsed().as_secs_f64();
    terminal::complain(&format!(
        "exported {standings} standings, {windows} windows, {boards} boards; took {took:.2} s"
    ));
    Ok(ExitCode::SUCCESS)
}

/// How much was written.
#[derive(Clone, Copy, Default)]
struct Counts {
    boards: u64,
    windows: u64,
    standings: u64,
    /// Windows of which only a list was ranked that was full.
    lists: u64,
}

/// An export under way.
struct Export<'a> {
    reads: Reads<'a>,
    output: Output,
    progress: &'a ProgressBar,
    counts: Counts,
}

impl Export<'_> {
    fn all(&mut self, args: &ExportArgs) -> Result<(), Halt> {
        match (&args.board, &args.kind) {
            (Some(board), _) => self.board(board, &args.windows),
            (None, Some(kind)) => self.kind(kind, &args.windows),
            // The command line is refused without either.
            (None, None) => Ok(()),
        }
    }

    fn kind(&mut self, kind: &str, windows: &[String]) -> Result<(), Halt> {
        let mut path = format!("/v1/boards?kind={}&limit={LISTED_MAX}", encoded(kind));
        loop {
            let listing: Listing = parse(&path, &self.reads.read(&path)?)?;
            for listed in listing.boards {
                let board = BoardPath::parse(&listed.board).map_err(Halt::Failed)?;
                self.board(&board, windows)?;
            }
            let Some(next) = listing.next else {
                return Ok(());
            };
            path = format!(
                "/v1/boards?kind={}&limit={LISTED_MAX}&after={}",
                encoded(kind),
                encoded(&next)
            );
        }
    }

    fn board(&mut self, board: &BoardPath, windows: &[String]) -> Result<(), Halt> {
        self.counts.boards += 1;
        if !windows.is_empty() {
            for window in windows {
                self.window(board, window, Named::ByUser)?;
            }
            return Ok(());
        }
        let path = board.to_string();
        let held: Board = parse(&path, &self.reads.read(&path)?)?;
        for held in held.windows {
            self.window(board, &held.window, Named::ByServer)?;
        }
        Ok(())
    }

    fn window(&mut self, board: &BoardPath, window: &str, named: Named) -> Result<(), Halt> {
        self.progress.set_message(format!(
            "{} {}",
            terminal::printable(&board.to_string()),
            terminal::printable(window)
        ));
        let before = self.counts.standings;
        let mut pages = Ranges::new(&self.reads, board, window);
        let output = &mut self.output;
        let counts = &mut self.counts;
        let progress = self.progress;
        let mut is_list = false;
        let mut write = |page: &Page<'_>, index: usize| {
            is_list |= page.is_full_list();
            let line = Line::of(page, &page.entries[index]);
            output.line(&line).map_err(Halt::Failed)?;
            counts.standings += 1;
            progress.inc(1);
            Ok(())
        };
        let mut seen = SeenMembers::new(SEEN_MEMBERS_MAX);
        let exported = window::export(&mut pages, &mut seen, &mut write);
        let is_gone = pages.is_gone();
        self.counts.windows += u64::from(exported.is_ok());
        self.counts.lists += u64::from(is_list);
        match exported {
            Ok(exported) if exported.is_settled() => Ok(()),
            Ok(exported) => {
                (self.reads.say)(format!(
                    "{board} {window}: the board changed during the export: {} members were only found in pass \
                    {PASSES_MAX}. Members that were ranked throughout are exported, except those that \
                    both climbed and fell meanwhile",
                    exported.met_last
                ));
                Ok(())
            }
            Err(_) if is_gone && matches!(named, Named::ByServer) => {
                let standings = self.counts.standings - before;
                (self.reads.say)(format!(
                    "{board} {window}: reached the end of its retention while it was read, after {standings} \
                     of its standings"
                ));
                Ok(())
            }
            Err(halt) => Err(halt),
        }
    }
}

/// Who said that there is such a window.
#[derive(Clone, Copy)]
enum Named {
    ByUser,
    ByServer,
}

fn parse<T: DeserializeOwned>(path: &str, body: &[u8]) -> Result<T, Halt> {
    serde_json::from_slice(body).map_err(|error| not_read(path, &error))
}

fn not_read(path: &str, error: &serde_json::Error) -> Halt {
    Halt::Failed(format!(
        "the response to {path} could not be parsed: {error}"
    ))
}
