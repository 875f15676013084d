//! `megaboard export`: writes the standings of boards as NDJSON, for backups and for moving them to another store.
//!
//! ```text
//! boards ─► windows ─► passes over pages ─► new members ─► lines ─► output
//!  (here)    (here)      (window, pass)        (seen)      (page)
//! ```
//!
//! Memory is bounded by one page, and a hash of each member of one window. Each line is a contribution that sets one
//! standing, which any server accepts. The settings of boards and kinds are not exported.

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
use serde_json::json;

pub use self::args::ExportArgs;

use self::output::Output;
use self::page::{Board, BoardVersion, HiddenMembers, Line, Listing, Page};
use self::ranges::Ranges;
use self::seen::{SEEN_MEMBERS_MAX, SeenMembers};
use self::window::PASSES_MAX;
use crate::board_path::{BoardPath, encoded};
use crate::delivery::{Halt, INTERRUPTED, Stop};
use crate::reads::{Reads, refused, unparsable};
use crate::runtime::Runtime;
use crate::terminal;

/// The server's limit for a page of boards.
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
    let say = |message: String| progress.suspend(|| terminal::report(&message));
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
    // The export is complete, whether this can be read or not.
    let hidden = outcome
        .as_ref()
        .map_or(None, |()| export.hidden_members(args).ok().flatten());
    let counts = export.counts;
    progress.finish_and_clear();
    match outcome {
        Ok(()) => {
            if let Some(warning) = export.output.finish()? {
                terminal::report(&warning);
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
        terminal::report(&format!(
            "{lists} windows rank only their best members (`retain`); members below them are not exported"
        ));
    }
    match hidden {
        Some(0) => {}
        Some(hidden) => terminal::report(&format!(
            "hidden members are not exported, and the kind hides {hidden}: `megaboard member show` each, and export \
             again, to include them"
        )),
        None => terminal::report(
            "hidden members are not exported, and it is unknown whether there are any: that takes one kind, and a key \
             that may read its hidden members",
        ),
    }
    let seconds = started.elapsed().as_secs_f64();
    if args.json {
        let result = json!({
            "standings": standings, "windows": windows, "boards": boards, "lists": lists, "hidden": hidden,
            "seconds": seconds,
        });
        terminal::print(&terminal::json(&result)?)?;
    } else {
        terminal::report(&format!(
            "exported {standings} standings, {windows} windows, {boards} boards; took {seconds:.2} s"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts of what was written.
#[derive(Clone, Copy, Default)]
struct Counts {
    boards: u64,
    windows: u64,
    standings: u64,
    /// Windows with a full list of the best members (`retain`), so that other members are missing.
    lists: u64,
}

/// A running export.
struct Export<'a> {
    reads: Reads<'a>,
    output: Output,
    progress: &'a ProgressBar,
    counts: Counts,
}

impl Export<'_> {
    fn all(&mut self, args: &ExportArgs) -> Result<(), Halt> {
        match (&args.board, &args.kind) {
            (Some(board), _) => {
                self.check_exists(board)?;
                self.board(board, &args.windows)
            }
            (None, Some(kind)) => self.kind(kind, &args.windows),
            // clap requires one of the two.
            (None, None) => Ok(()),
        }
    }

    /// Returns the number of members that the kind hides, `None` if the key may not read it.
    fn hidden_members(&self, args: &ExportArgs) -> Result<Option<usize>, Halt> {
        let board = args.board.as_ref().map(BoardPath::kind);
        let Some(kind) = board.or(args.kind.as_deref()) else {
            return Ok(None);
        };
        let path = format!("/v1/hidden?kind={}", encoded(kind));
        let response = self.reads.get(&path)?;
        if matches!(response.status, 401 | 403) {
            return Ok(None);
        }
        if response.status != 200 {
            return Err(refused(&path, &response));
        }
        let read: Result<HiddenMembers, _> = serde_json::from_slice(&response.body);
        let read = read.map_err(|error| unparsable(&path, &error))?;
        Ok(Some(read.hidden.len()))
    }

    /// A read of a board that does not exist is empty: it must not replace a file.
    fn check_exists(&self, board: &BoardPath) -> Result<(), Halt> {
        let top: BoardVersion = self.reads.read(&format!("{board}/top?n=1&fresh=true"))?;
        if top.exists() {
            return Ok(());
        }
        let (name, kind) = (board.name(), board.kind());
        Err(Halt::Failed(format!(
            "board {name} does not exist; megaboard boards {kind} lists the boards"
        )))
    }

    fn kind(&mut self, kind: &str, windows: &[String]) -> Result<(), Halt> {
        let mut path = format!("/v1/boards?kind={}&limit={LISTED_MAX}", encoded(kind));
        loop {
            let listing: Listing = self.reads.read(&path)?;
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
                self.window(board, window, NamedBy::User)?;
            }
            return Ok(());
        }
        let Board { windows } = self.reads.read(&board.to_string())?;
        for held in windows {
            self.window(board, &held.window, NamedBy::Server)?;
        }
        Ok(())
    }

    fn window(&mut self, board: &BoardPath, window: &str, named_by: NamedBy) -> Result<(), Halt> {
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
            let line = Line::new(page, &page.entries[index]);
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
            Ok(exported) if exported.is_complete() => Ok(()),
            Ok(exported) => {
                (self.reads.say)(format!(
                    "{board} {window}: the board changed during the export: {} members were only found in pass \
                    {PASSES_MAX}. Members that were ranked throughout are exported, except those that \
                    both climbed and fell meanwhile",
                    exported.found_last
                ));
                Ok(())
            }
            Err(_) if is_gone && matches!(named_by, NamedBy::Server) => {
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

/// The source of a window's name. A window that the user has named must exist.
#[derive(Clone, Copy)]
enum NamedBy {
    User,
    Server,
}
