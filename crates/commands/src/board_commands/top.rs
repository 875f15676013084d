//! `megaboard top`: prints the best entries of a board as a table, once or whenever they change.

use std::error::Error;
use std::fmt::Write as _;
use std::io;
use std::pin::pin;
use std::process::ExitCode;

use crate::INTERRUPTED;
use crate::result_args::ResultArgs;
use crate::runtime::Runtime;
use crate::server::{ServerArgs, board_name};
use crate::terminal::{self, Cells, printable, table};
use clap::Args;
use megaboard_client::{Board, BoardName, Entry, Event, Top};
use tokio::signal::unix::{SignalKind, signal};

use crate::board_commands::client;
use crate::board_commands::screen::Screen;
use crate::board_commands::standings::Fields;

/// Shows the top of a board as a table.
///
/// With --watch it is shown again whenever it changes, until Ctrl-C: in place on a terminal, otherwise one table after
/// the other, or one line of JSON each.
///
/// Exit status: 0, 1 after an error, 130 after Ctrl-C.
#[derive(Args, Debug)]
pub struct TopArgs {
    /// The board, as KIND/SUBJECT.
    #[arg(value_parser = board_name)]
    board: BoardName,

    #[command(flatten)]
    server: ServerArgs,

    /// The window: a period such as day or 6h for the current one, all, or one by name, such as
    /// day:2026-11-20. [default: the first window of the kind]
    #[arg(long, value_name = "WINDOW")]
    window: Option<String>,

    /// Number of entries.
    #[arg(short, value_name = "N", default_value_t = 20)]
    n: u32,

    /// Show the top again whenever it changes, until Ctrl-C. A window such as day follows the calendar.
    #[arg(long)]
    watch: bool,

    #[command(flatten)]
    result: ResultArgs,
}

/// Runs the command.
pub fn run(args: &TopArgs) -> Result<ExitCode, Box<dyn Error>> {
    let runtime = Runtime::start()?;
    let client = client(&args.server)?;
    let board = client.board_named(args.board.clone());
    let mut request = board.top().n(args.n.into());
    if let Some(window) = &args.window {
        request = request.window(window);
    }
    let top = runtime.block_on(async { request.await })?;
    if args.watch {
        // Only reconnects are retried: an error of the first read is reported at once.
        let client = args.server.client()?;
        let board = client.board_named(args.board.clone());
        return runtime.block_on(watch(args, &board, top));
    }
    args.result.print(&top, render)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows a top, and then each other that the stream has, until Ctrl-C.
async fn watch(args: &TopArgs, board: &Board, first: Top) -> Result<ExitCode, Box<dyn Error>> {
    let mut resizes = signal(SignalKind::window_change())?;
    let mut display = Display::open(args.result);
    let mut is_read = display.show(&first)?;
    let mut stream = board.stream().n(args.n.into());
    if let Some(window) = &args.window {
        stream = stream.window(window);
    }
    let mut events = stream.events();
    let mut version = first.envelope.version.clone();
    let mut shown = first;
    while is_read {
        let mut next = pin!(events.next());
        let event = loop {
            tokio::select! {
                event = &mut next => break event,
                _ = resizes.recv() => display.resize(&shown)?,
                interrupted = tokio::signal::ctrl_c() => {
                    interrupted?;
                    return Ok(ExitCode::from(INTERRUPTED));
                }
            }
        };
        match event {
            // The first event is usually the top that is shown already.
            Some(Ok(Event::Board(top))) if top.envelope.version == version && !top.stale => {}
            Some(Ok(Event::Board(top))) => {
                is_read = display.show(&top)?;
                version.clone_from(&top.envelope.version);
                shown = top;
            }
            Some(Ok(Event::Interrupted(error))) => {
                terminal::report(&format!("{error}; trying again"));
                // It is shown again, also if nothing has changed: the message may be in its place.
                version.clear();
                display.end();
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(error.into()),
            None => break,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Where tops are shown that change.
struct Display {
    screen: Option<Screen>,
    result: ResultArgs,
}

impl Display {
    fn open(result: ResultArgs) -> Self {
        let screen = if result.json { None } else { Screen::open() };
        Self { screen, result }
    }

    /// Returns false if nobody reads the output any more.
    fn show(&mut self, top: &Top) -> io::Result<bool> {
        match &mut self.screen {
            Some(screen) => screen.draw(&render(top)).map(|()| true),
            None => self.result.print(top, |top| format!("{}\n", render(top))),
        }
    }

    /// Shows the last top again if the terminal has another size now.
    fn resize(&mut self, top: &Top) -> io::Result<()> {
        match &mut self.screen {
            Some(screen) if screen.is_resized() => screen.draw(&render(top)),
            _ => Ok(()),
        }
    }

    /// Leaves what is shown where it is.
    fn end(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.end();
        }
    }
}

/// Formats a heading, and a table unless the board is empty.
fn render(top: &Top) -> String {
    let board = &top.envelope;
    let mut text = format!(
        "{}  {}  {} {}  as of {}",
        printable(&board.board),
        printable(&board.window),
        board.members,
        if board.members == 1 {
            "member"
        } else {
            "members"
        },
        format_args!("{:.6}", board.as_of)
    );
    for (word, at) in [
        ("from", board.span.starts_at),
        ("until", board.span.ends_at),
    ] {
        if let Some(at) = at {
            let _ = write!(text, "  {word} {at}");
        }
    }
    if board.is_final {
        text.push_str("  final");
    }
    if top.stale {
        text.push_str("  stale: the store cannot be reached");
    }
    if !top.entries.is_empty() {
        text.push('\n');
        text.push_str(&entries_table(&top.entries));
    }
    text
}

fn entries_table(entries: &[Entry]) -> String {
    let fields = Fields::of(entries.iter().map(|entry| &entry.values));
    let mut columns = vec![("rank", Cells::Numbers), ("member", Cells::Names)];
    columns.extend(fields.columns());
    columns.push(("reached at", Cells::Text));
    let rows = entries.iter().map(|entry| {
        let mut row = vec![entry.rank.to_string(), entry.member.clone()];
        row.extend(fields.cells(&entry.values));
        row.push(format!("{:.6}", entry.reached_at));
        row
    });
    table(&columns, rows)
}

#[cfg(test)]
mod tests;
