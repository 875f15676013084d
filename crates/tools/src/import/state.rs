//! [`StateFile`]: what an import leaves beside its file, so that it goes on where it ended, and does not count a file
//! twice.
//!
//! A state is of one file, one server and one set of options, which its name contains as a digest. It is written after
//! each batch, and also before one that must not be sent twice. A file with other contents begins anew, and so does one
//! whose board is not on the server any more.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use megaboard_client::{BoardName, Client, Problem, ProblemType};
use serde::{Deserialize, Serialize};
use twox_hash::{XxHash3_64, XxHash3_128};

use super::args::ImportArgs;
use super::batch::Batch;
use super::report::{Report, Resumption};
use crate::runtime::Runtime;

/// The file is read in pieces of this length.
const READ_BYTES: usize = 1 << 20;

/// How far the last import of a file came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    server: String,
    /// XXH3 of the file as it is, 128 bits.
    digest: String,
    /// The lines up to this one are decided.
    line: u64,
    /// The lines that were being sent: unless the import went on, it is unknown whether they are applied.
    sending: Option<(u64, u64)>,
    /// Whether all lines are decided.
    complete: bool,
    /// The board of the first line, and its incarnation.
    board: Option<(String, String)>,
}

/// The state of an import, and its file.
#[derive(Debug)]
pub(super) struct StateFile {
    /// `None` once it could not be written.
    path: Option<PathBuf>,
    state: State,
    /// Whether it was said that ids are missing.
    has_warned: bool,
}

impl StateFile {
    /// Creates the state of an import that has not begun. `None`: the input is not a file, or no state is to be kept.
    pub(super) fn of(args: &ImportArgs) -> io::Result<Option<Self>> {
        let is_file = args.file.as_os_str() != "-" && fs::metadata(&args.file)?.is_file();
        if !is_file || args.no_state {
            return Ok(None);
        }
        let options = format!("{}\0{}", args.server.server, args.columns.text());
        let name = args.file.file_name().unwrap_or_default().to_string_lossy();
        let name = format!(
            "{name}.import-{:016x}",
            XxHash3_64::oneshot(options.as_bytes())
        );
        Ok(Some(Self {
            path: Some(args.file.with_file_name(name)),
            state: State {
                server: args.server.server.clone(),
                digest: digest_of(&args.file)?,
                line: 0,
                sending: None,
                complete: false,
                board: None,
            },
            has_warned: false,
        }))
    }

    /// Returns the line to begin with. An error says why the file must not be imported.
    pub(super) fn begin(
        &mut self,
        args: &ImportArgs,
        runtime: &Runtime,
        client: &Client,
        say: &mut (dyn FnMut(String) + Send),
    ) -> Result<u64, String> {
        // An import that has applied nothing is as if it had not been.
        let before = self
            .read()?
            .filter(|it| it.line > 0 || it.sending.is_some());
        let Some(before) = before else {
            return Ok(args.from_line);
        };
        let (file, line) = (args.file.display(), before.line);
        if args.from_line > 1 {
            self.state.board = before.board;
            return Ok(args.from_line);
        }
        if before.digest != self.state.digest {
            say(format!(
                "{file} has changed since its last import: all of it is imported"
            ));
            return Ok(1);
        }
        if let Some((board, incarnation)) = &before.board
            && runtime
                .block_on(incarnation_of(client, board))
                .is_some_and(|it| it != *incarnation)
        {
            say(format!(
                "board {board}, into which {file} was imported, is no longer on the server: all of it is imported"
            ));
            return Ok(1);
        }
        if args.again {
            say(format!(
                "{file} was imported up to line {line}: its lines count again if they have no id, or if the kind's \
                 dedupe span (1 h by default) is over"
            ));
            return Ok(1);
        }
        if before.complete {
            return Err(format!(
                "{file} was imported into {} already, up to line {line}; --again imports it once more",
                before.server
            ));
        }
        if let Some((first, last)) = before.sending {
            return Err(format!(
                "the last import of {file} ended while it sent lines {first} to {last}, which might count twice if \
                 they are sent again. Check their boards, then continue with --from-line {first} if they are not \
                 applied, or with --from-line {} if they are",
                last + 1
            ));
        }
        say(format!(
            "continuing after line {line}, where the last import of {file} ended"
        ));
        self.state.line = line;
        self.state.board = before.board;
        Ok(line + 1)
    }

    /// Reads the state of the import before.
    fn read(&self) -> Result<Option<State>, String> {
        let Some(path) = &self.path else {
            return Ok(None);
        };
        let wrong = |error: &dyn std::fmt::Display| {
            let path = path.display();
            format!(
                "{path}: the state of the last import cannot be read: {error}; remove it to import anew"
            )
        };
        match fs::read(path) {
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|error| wrong(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(wrong(&error)),
        }
    }

    /// Records that a batch is about to be sent, if it must not be sent twice.
    pub(super) fn sending(&mut self, batch: &Batch, report: &mut Report<'_>) {
        let all: Vec<usize> = (0..batch.outgoing.len()).collect();
        if let (Some(first), Some(last)) = (batch.outgoing.first(), batch.outgoing.last())
            && !batch.are_resendable(&all)
        {
            if !self.has_warned {
                self.has_warned = true;
                (report.say)(format!(
                    "lines {} to {} do not all have ids: if the import is interrupted while it sends such lines, \
                     their boards have to be checked before it continues",
                    first.line, last.line
                ));
            }
            self.state.sending = Some((first.line, last.line));
            self.write(report);
        }
    }

    /// Records that a batch is decided.
    pub(super) fn sent(
        &mut self,
        batch: &Batch,
        runtime: &Runtime,
        client: &Client,
        report: &mut Report<'_>,
    ) {
        if self.state.board.is_none()
            && let Some(board) = board_of(batch)
            && let Some(incarnation) = runtime.block_on(incarnation_of(client, &board))
        {
            self.state.board = Some((board, incarnation));
        }
        self.state.sending = None;
        self.state.line = if report.summary.has_applied() {
            batch.last_line
        } else {
            0
        };
        self.write(report);
    }

    /// Records where the import ended early.
    pub(super) fn ended(&mut self, at: Resumption, report: &mut Report<'_>) {
        (self.state.line, self.state.sending) = match at {
            Resumption::At(_) if !report.summary.has_applied() => (0, None),
            Resumption::At(line) => (line - 1, None),
            Resumption::Unknown(first, last) => (first - 1, Some((first, last))),
        };
        self.write(report);
    }

    /// Records that the whole file is decided.
    pub(super) fn completed(&mut self, report: &mut Report<'_>) {
        self.state.complete = report.summary.has_applied();
        self.write(report);
    }

    /// Replaces the file. If that fails, the import goes on without it.
    fn write(&mut self, report: &mut Report<'_>) {
        let Some(path) = &self.path else { return };
        let text = serde_json::to_vec(&self.state).expect("a state is JSON");
        let unfinished = path.with_extension("unfinished");
        let written = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, path));
        if let Err(error) = written {
            (report.say)(format!(
                "{}: {error}: the state of the import is not kept, so it cannot be continued by itself",
                path.display()
            ));
            self.path = None;
        }
    }
}

fn digest_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = XxHash3_128::new();
    let mut piece = vec![0; READ_BYTES];
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            return Ok(format!("{:032x}", hasher.finish_128()));
        }
        hasher.write(&piece[..count]);
    }
}

/// Returns the board of the first line.
fn board_of(batch: &Batch) -> Option<String> {
    #[derive(Deserialize)]
    struct Boards {
        board: Option<String>,
        #[serde(default)]
        boards: Vec<String>,
    }
    batch.outgoing.first()?;
    let line: Boards = serde_json::from_slice(batch.line(0)).ok()?;
    line.board.or_else(|| line.boards.into_iter().next())
}

/// Returns the incarnation of a board: the first part of its versions; empty if its kind does not exist. `None` if it
/// cannot be read.
async fn incarnation_of(client: &Client, board: &str) -> Option<String> {
    let name: BoardName = board.parse().ok()?;
    match client.board_named(name).info().await {
        Ok(info) => info.envelope.version.split('.').next().map(str::to_owned),
        Err(error) => {
            let is_unknown = |problem: &Problem| problem.kind == ProblemType::UnknownKind;
            error.problem().is_some_and(is_unknown).then(String::new)
        }
    }
}
