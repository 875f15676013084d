//! `megaboard export`: writes the standings of boards as NDJSON, for backups and for moving them to another store.
//!
//! ```text
//! boards ─► windows ─► passes over pages ─► new members ─► lines ─► output
//!  (here)    (here)     (window, ranges)       (seen)      (page)
//! ```
//!
//! Memory is bounded by one page, and a hash of each member of one window. Each line is a contribution that sets one
//! standing, which any server accepts. The settings of boards and kinds are not exported.

mod args;
mod output;
mod page;
mod ranges;
mod seen;
mod window;

#[cfg(test)]
mod tests;

use std::error::Error as StdError;
use std::process::ExitCode;
use std::time::Instant;

use indicatif::ProgressBar;
use megaboard_client::{Board, BoardName, Error};
use serde_json::json;

pub use self::args::ExportArgs;

use self::output::Output;
use self::page::{Line, Page, PageEntry};
use self::ranges::Ranges;
use self::seen::{SEEN_MEMBERS_MAX, SeenMembers};
use self::window::PASSES_MAX;
use crate::delivery::{Halt, Stop};
use crate::reads::Reads;
use crate::runtime::Runtime;
use crate::terminal;

/// The server's limit for a page of boards.
const LISTED_MAX: u64 = 1_000;

/// Runs the command.
pub fn run(args: &ExportArgs) -> Result<ExitCode, Box<dyn StdError>> {
    let started = Instant::now();
    let output = Output::open(args.output.as_deref())?;
    let runtime = Runtime::start()?;
    let stop = runtime.block_on(async { Stop::on_signals() })?;
    let client = args.server.client()?;
    let progress = terminal::progress("{spinner} {human_pos} standings, {per_sec}, {wide_msg}");
    let say = |message: String| progress.suspend(|| terminal::report(&message));
    let mut export = Export {
        reads: Reads {
            runtime: &runtime,
            client: &client,
            stop: &stop,
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
    outcome.map_err(|halt| match halt {
        Halt::Failed(reason) => Halt::Failed(format!("{reason}; the export is not complete")),
        Halt::Interrupted => halt,
    })?;
    if let Some(warning) = export.output.finish()? {
        terminal::report(&warning);
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
        let board = args.board.as_ref().map(BoardName::kind);
        let Some(kind) = board.or(args.kind.as_deref()) else {
            return Ok(None);
        };
        match self.reads.wait(self.reads.client.hidden(kind))? {
            Ok(hidden) => Ok(Some(hidden.hidden.len())),
            Err(Error::Problem(problem)) if matches!(problem.status, 401 | 403) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A read of a board that does not exist is empty: it must not replace a file.
    fn check_exists(&self, board: &BoardName) -> Result<(), Halt> {
        let top = self.reads.client.board_named(board.clone()).top();
        let top = self.reads.wait(top.n(1).fresh(true))??;
        // The first contribution creates a board.
        if top.envelope.version != "0" {
            return Ok(());
        }
        let kind = board.kind();
        Err(Halt::Failed(format!(
            "board {board} does not exist; megaboard boards {kind} lists the boards"
        )))
    }

    fn kind(&mut self, kind: &str, windows: &[String]) -> Result<(), Halt> {
        let mut page = self.reads.client.boards(kind).limit(LISTED_MAX);
        loop {
            let listing = self.reads.wait(page)??;
            for listed in listing.boards {
                self.board(&BoardName::new(kind, listed.subject), windows)?;
            }
            let Some(next) = listing.next else {
                return Ok(());
            };
            page = self.reads.client.boards(kind).limit(LISTED_MAX).after(next);
        }
    }

    fn board(&mut self, board: &BoardName, windows: &[String]) -> Result<(), Halt> {
        let board = self.reads.client.board_named(board.clone());
        self.counts.boards += 1;
        for window in windows {
            self.window(&board, window, NamedBy::User)?;
        }
        if windows.is_empty() {
            for held in self.reads.wait(board.info())??.windows {
                self.window(&board, &held.window, NamedBy::Server)?;
            }
        }
        Ok(())
    }

    fn window(&mut self, board: &Board, window: &str, named_by: NamedBy) -> Result<(), Halt> {
        let shown = format!("{} {window}", board.name());
        self.progress
            .set_message(terminal::printable(&shown).into_owned());
        let before = self.counts.standings;
        let mut pages = Ranges::new(&self.reads, board, window);
        let output = &mut self.output;
        let counts = &mut self.counts;
        let progress = self.progress;
        let mut is_list = false;
        let mut write = |page: &Page<'_>, entry: &PageEntry<'_>| {
            is_list |= page.is_full_list();
            let line = Line::new(page, entry);
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
            Ok(0) => Ok(()),
            Ok(found) => {
                (self.reads.say)(format!(
                    "{shown}: the board changed during the export: {found} members were only found in pass \
                    {PASSES_MAX}. Members that were ranked throughout are exported, except those that \
                    both climbed and fell meanwhile"
                ));
                Ok(())
            }
            Err(_) if is_gone && matches!(named_by, NamedBy::Server) => {
                let standings = self.counts.standings - before;
                (self.reads.say)(format!(
                    "{shown}: reached the end of its retention while it was read, after {standings} \
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
