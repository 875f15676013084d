//! [`StateFile`]: what an import leaves beside its file, so that it goes on where it ended, and does not count a file
//! twice.
//!
//! A state is of one file, one server and one set of options, which its name contains as a digest. It is written before
//! each batch that must not be sent twice, and after each batch: in place, padded, by one call, under a lock. So a kill
//! leaves the one or the other state, and a second import at the same time is an error.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use disk::{Links, open_regular};
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::args::ImportArgs;
use super::batch::Batch;
use super::lines::{Compared, Extent};
use super::report::{Report, Resumption};
use super::server::Server;
use crate::delivery::{Certainty, Halt};

/// The length of a state in its file is a multiple of this.
const STATE_BYTES: usize = 8 << 10;

/// The maximum that is read of a state.
const STATE_BYTES_MAX: u64 = 1 << 20;

/// Boards whose incarnations are kept: if none of them is left, the server has lost what was imported.
const BOARDS_MAX: usize = 16;

/// Attempts at reading incarnations that may fail: the key may only write.
const FAILURES_MAX: usize = 3;

/// Whether lines may be sent again that may have been applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Again {
    /// All of them are sets with a time.
    Always,
    /// All of them have ids, which are remembered for the dedupe spans of these kinds.
    WithinDedupe(BTreeSet<String>),
    Never,
}

impl Again {
    /// Returns it of these lines of a batch.
    fn of(batch: &Batch, indices: &[usize]) -> Self {
        if batch.lines.is_all_sets() {
            Self::Always
        } else if batch.lines.are_resendable(indices) {
            let boards = indices.iter().filter_map(|index| boards_of(batch, *index));
            let kinds = boards
                .flatten()
                .filter_map(|board| kind_of(&board).map(str::to_owned));
            Self::WithinDedupe(kinds.collect())
        } else {
            Self::Never
        }
    }
}

/// Lines that were being sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Sending {
    first: u64,
    last: u64,
    again: Again,
    /// When they were sent first, in epoch milliseconds.
    at: u64,
}

/// How far the imports of a file came.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct State {
    server: String,
    /// The lines up to this one are decided.
    line: u64,
    /// What was read of the file when they were, with the lines that were being sent.
    extent: Extent,
    /// If the import did not go on after it, it is unknown whether these are applied.
    sending: Option<Sending>,
    /// Whether all lines are decided.
    complete: bool,
    /// Whether anything may have been applied.
    applied: bool,
    /// Lines that failed; they were reported.
    failed: u64,
    /// Boards of the lines, each with its incarnation.
    boards: Vec<(String, String)>,
}

/// The state of an import, and its file.
pub(super) struct StateFile<'a> {
    server: Server<'a>,
    path: PathBuf,
    /// Open and locked once the import begins.
    file: Option<File>,
    state: State,
    /// The extent of the file before the batch that is being sent.
    decided: Extent,
    /// Lines that an earlier import was sending.
    resumed: Option<Sending>,
    /// Lines that had failed before this import.
    failed_before: u64,
    /// Failed attempts at reading an incarnation.
    failures: usize,
    /// Whether it was said that ids are missing.
    has_warned: bool,
}

impl<'a> StateFile<'a> {
    /// Creates the state of an import that has not begun. `None`: the input is not a file, or no state is to be kept.
    pub(super) fn of(args: &ImportArgs, server: Server<'a>) -> io::Result<Option<Self>> {
        let is_file = args.file.as_os_str() != "-" && fs::metadata(&args.file)?.is_file();
        if !is_file || args.no_state {
            return Ok(None);
        }
        let options = format!("{}\0{}", args.server.server, args.columns.text());
        let name = args.file.file_name().unwrap_or_default().to_string_lossy();
        let digest = XxHash3_64::oneshot(options.as_bytes());
        let name = format!("{name}.import-{digest:016x}");
        Ok(Some(Self {
            server,
            path: args.file.with_file_name(name),
            file: None,
            state: State {
                server: args.server.server.clone(),
                ..State::default()
            },
            decided: Extent::default(),
            resumed: None,
            failed_before: 0,
            failures: 0,
            has_warned: false,
        }))
    }

    /// Returns the line to begin with. An error says why the file must not be imported.
    pub(super) fn begin(&mut self, args: &ImportArgs) -> Result<u64, Halt> {
        let before = self.open(args)?;
        // An import that has applied nothing is as if it had not been.
        let before = before.filter(|it| it.applied || it.sending.is_some());
        let line = match (before, args.from_line) {
            (None, from_line) => from_line.unwrap_or(1),
            (Some(before), Some(from_line)) => {
                self.go_on(&before);
                from_line
            }
            (Some(before), None) => self.line_after(&before, args)?,
        };
        self.state.line = line - 1;
        Ok(line)
    }

    /// Returns the line to continue with after another import.
    fn line_after(&mut self, before: &State, args: &ImportArgs) -> Result<u64, Halt> {
        let (file, line) = (args.file.display(), before.line);
        if !before.boards.is_empty() && self.server.are_gone(&before.boards)? {
            (self.server.0.say)(format!(
                "the boards into which {file} was imported are no longer on the server: all of it is imported"
            ));
            return Ok(1);
        }
        if args.again {
            (self.server.0.say)(format!(
                "{file} was imported up to line {line}: its lines count again if they have no id, or if the kind's \
                 dedupe span (1 h by default) is over"
            ));
            return Ok(1);
        }
        let compared = before.extent.compare(&args.file);
        let compared = compared.map_err(|error| Halt::Failed(format!("{file}: {error}")))?;
        if compared == Compared::Changed {
            return Err(Halt::Failed(format!(
                "{file} has changed since it was imported up to line {line}, in these lines: --from-line N imports \
                 the lines from N on, --again imports all of it"
            )));
        }
        let failed = match before.failed {
            0 => String::new(),
            failed => format!(" ({failed} lines had failed, which that import has reported)"),
        };
        if let Some(Sending {
            first,
            last,
            again,
            at,
        }) = &before.sending
            && !self.accepts_again(again, *at)?
        {
            return Err(Halt::Failed(format!(
                "the last import of {file} ended while it sent lines {first} to {last}, which might count twice if \
                 they are sent again. Check their boards, then continue with --from-line {first} if they are not \
                 applied, or with --from-line {} if they are",
                last + 1
            )));
        }
        if before.complete && compared == Compared::Same {
            return Err(Halt::Failed(format!(
                "{file} was imported into {} already, up to line {line}{failed}; --again imports it once more",
                before.server
            )));
        }
        (self.server.0.say)(format!(
            "continuing after line {line}, where the last import of {file} ended{failed}"
        ));
        self.go_on(before);
        self.resumed.clone_from(&before.sending);
        Ok(line + 1)
    }

    /// Returns whether lines that were sent at this time, in epoch milliseconds, count once if they are sent again.
    fn accepts_again(&self, again: &Again, at: u64) -> Result<bool, Halt> {
        match again {
            Again::Always => Ok(true),
            Again::Never => Ok(false),
            Again::WithinDedupe(kinds) => {
                let age = Duration::from_millis(now_ms().saturating_sub(at));
                self.server.remembers(kinds, age)
            }
        }
    }

    /// Keeps what is true of this import, too, if it continues another.
    fn go_on(&mut self, before: &State) {
        self.state.applied = before.applied;
        self.failed_before = before.failed;
        self.state.boards.clone_from(&before.boards);
        self.state.extent = before.extent.clone();
        self.decided = before.extent.clone();
    }

    /// Opens and locks the file, and reads the state of the import before.
    fn open(&mut self, args: &ImportArgs) -> Result<Option<State>, String> {
        let (file, path) = (args.file.display(), self.path.display());
        let mut options = File::options();
        let opened = options.read(true).write(true).create(true).truncate(false);
        let opened = match open_regular(opened, &self.path, Links::Rejected) {
            Ok(opened) => opened,
            // Without an earlier state, nothing can be out of date.
            Err(error) if !self.path.exists() => {
                (self.server.0.say)(format!(
                    "{path}: {error}: the state of the import is not kept, so it does not continue by itself"
                ));
                return Ok(None);
            }
            Err(error) => return Err(format!("{path}: {error}; --no-state imports without it")),
        };
        match opened.try_lock() {
            // A file system without locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!("{file} is being imported by another process"));
            }
        }
        let mut text = Vec::new();
        let read = (&opened).take(STATE_BYTES_MAX).read_to_end(&mut text);
        self.file = Some(opened);
        let before = match read {
            Ok(_) if text.is_empty() => Ok(None),
            Ok(_) => serde_json::from_slice(&text)
                .map(Some)
                .map_err(io::Error::from),
            Err(error) => Err(error),
        };
        before.map_err(|error| {
            format!("{path}: the state of the last import cannot be read: {error}; remove it to import anew")
        })
    }

    /// Records that a batch is about to be sent, if it may matter whether it is sent twice. An error says why that
    /// cannot be recorded.
    pub(super) fn sending(&mut self, batch: &Batch, report: &mut Report<'_>) -> Result<(), String> {
        let (Some(&first), Some(&last)) = (batch.outgoing.first(), batch.outgoing.last()) else {
            return Ok(());
        };
        self.state.extent = batch.extent.clone();
        let all: Vec<usize> = (0..batch.outgoing.len()).collect();
        let again = Again::of(batch, &all);
        if again == Again::Always {
            return Ok(());
        }
        if again == Again::Never && !self.has_warned && self.file.is_some() {
            self.has_warned = true;
            (report.say)(format!(
                "lines {first} to {last} do not all have ids: if the import is interrupted while it sends such lines, \
                 their boards have to be checked before it continues"
            ));
        }
        // The server has remembered ids since they were sent first.
        let resumed = self
            .resumed
            .as_ref()
            .filter(|resumed| first <= resumed.last);
        self.state.sending = Some(Sending {
            first,
            last,
            again,
            at: resumed.map_or_else(now_ms, |resumed| resumed.at),
        });
        self.write(report)
    }

    /// Records that a batch is decided.
    pub(super) fn sent(&mut self, batch: &Batch, report: &mut Report<'_>) -> Result<(), String> {
        self.see_board(batch);
        self.state.sending = None;
        self.state.line = batch.last_line;
        self.state.extent = batch.extent.clone();
        self.decided = batch.extent.clone();
        self.write(report)
    }

    /// Keeps the incarnation of the board of the first line.
    fn see_board(&mut self, batch: &Batch) {
        let State { boards, .. } = &mut self.state;
        if boards.len() >= BOARDS_MAX || self.failures >= FAILURES_MAX || batch.outgoing.is_empty()
        {
            return;
        }
        let board = boards_of(batch, 0).and_then(|boards| boards.into_iter().next());
        let Some(board) = board else { return };
        if boards.iter().any(|(other, _)| *other == board) {
            return;
        }
        match self.server.incarnation_of(&board) {
            // Nothing was applied to it.
            Ok(Some(incarnation)) if incarnation.is_empty() => {}
            Ok(Some(incarnation)) => boards.push((board, incarnation)),
            Ok(None) => self.failures += 1,
            // The next batch is not sent.
            Err(_) => {}
        }
    }

    /// Records where the import ended early, while this batch was being sent.
    pub(super) fn ended(
        &mut self,
        at: Resumption,
        batch: &Batch,
        report: &mut Report<'_>,
    ) -> Result<(), String> {
        let Resumption {
            first,
            last,
            certainty,
        } = at;
        let undone = |index: &usize| (first..=last).contains(&batch.outgoing[*index]);
        let again = match certainty {
            Certainty::NotApplied => None,
            Certainty::Resendable => {
                let undone: Vec<usize> = (0..batch.outgoing.len()).filter(undone).collect();
                Some(Again::of(batch, &undone))
            }
            Certainty::Unknown => Some(Again::Never),
        };
        self.state.line = first - 1;
        let at = self
            .state
            .sending
            .as_ref()
            .map_or_else(now_ms, |sending| sending.at);
        self.state.sending = again.map(|again| Sending {
            first,
            last,
            again,
            at,
        });
        let begin = batch.outgoing.first();
        if self.state.sending.is_none() && begin.is_some_and(|begin| first <= *begin) {
            self.state.extent = self.decided.clone();
        }
        self.write(report)
    }

    /// Records that the whole file is decided, or all but its last, unfinished row.
    pub(super) fn completed(&mut self, report: &mut Report<'_>) -> Result<(), String> {
        self.state.complete = report.summary.unfinished == 0;
        self.write(report)
    }

    /// Writes the state. If that fails, it is removed, so that it cannot be out of date.
    fn write(&mut self, report: &mut Report<'_>) -> Result<(), String> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let state = &mut self.state;
        state.applied |= report.summary.may_have_applied();
        state.failed = self.failed_before + report.summary.failed;
        let mut text = serde_json::to_vec(state).expect("a state is JSON");
        text.resize(text.len().next_multiple_of(STATE_BYTES), b' ');
        let written = file.rewind().and_then(|()| file.write_all(&text));
        let written = written.and_then(|()| file.set_len(text.len() as u64));
        let Err(error) = written else { return Ok(()) };
        let path = self.path.display();
        self.file = None;
        fs::remove_file(&self.path)
            .map_err(|_| format!("{path}: {error}: how far the import came cannot be kept"))?;
        (report.say)(format!(
            "{path}: {error}: the state of the import is not kept, so it does not continue by itself"
        ));
        Ok(())
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let ms = now.unwrap_or_default().as_millis();
    u64::try_from(ms).unwrap_or(u64::MAX)
}

/// Returns the boards of a line.
fn boards_of(batch: &Batch, index: usize) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Boards {
        board: Option<String>,
        #[serde(default)]
        boards: Vec<String>,
    }
    let line: Boards = serde_json::from_slice(batch.lines.line(index)).ok()?;
    Some(line.board.into_iter().chain(line.boards).collect())
}

fn kind_of(board: &str) -> Option<&str> {
    board.split_once('/').map(|(kind, _)| kind)
}
