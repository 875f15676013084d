//! [`StateFile`]: what an import leaves beside its file, so that it goes on where it ended, and does not count a file
//! twice.
//!
//! A state is of one file, one server and one set of options, which its name contains as a digest. It is written before
//! each batch that must not be sent twice, and after each batch: in place, padded, by one call, under a lock. So a kill
//! leaves the one or the other state, and a second import at the same time is an error.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use megaboard_client::{BoardName, Client, Problem, ProblemType};
use serde::{Deserialize, Serialize};
use twox_hash::{XxHash3_64, XxHash3_128};

use super::args::ImportArgs;
use super::batch::Batch;
use super::report::{Report, Resumption};
use crate::runtime::Runtime;

/// The file is read in pieces of this length.
const READ_BYTES: usize = 1 << 20;

/// The length of a state in its file is a multiple of this.
const STATE_BYTES: usize = 8 << 10;

/// Boards whose incarnations are kept: if none of them is left, the server has lost what was imported.
const BOARDS_MAX: usize = 16;

/// Attempts at reading incarnations that may fail: the key may only write.
const FAILURES_MAX: usize = 3;

/// Lines that were being sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Sending {
    first: u64,
    last: u64,
    /// Whether all of them have ids, or are sets with a time.
    are_resendable: bool,
}

/// How far the imports of a file came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    server: String,
    /// The length of the file, and its XXH3 of 128 bits.
    bytes: u64,
    digest: String,
    /// The lines up to this one are decided.
    line: u64,
    /// If the import did not go on after it, it is unknown whether these are applied.
    sending: Option<Sending>,
    /// Whether all lines are decided.
    complete: bool,
    /// Whether anything may have been applied.
    applied: bool,
    /// Lines that failed; they were reported.
    failed: u64,
    /// When this was written, in epoch milliseconds.
    at: u64,
    /// Boards of the lines, each with its incarnation.
    boards: Vec<(String, String)>,
}

/// The state of an import, and its file.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    /// Open and locked once the import begins.
    file: Option<File>,
    state: State,
    /// Lines that had failed before this import.
    failed_before: u64,
    /// Failed attempts at reading an incarnation.
    failures: usize,
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
        let digest = XxHash3_64::oneshot(options.as_bytes());
        let name = format!("{name}.import-{digest:016x}");
        Ok(Some(Self {
            path: args.file.with_file_name(name),
            file: None,
            state: State {
                server: args.server.server.clone(),
                bytes: 0,
                digest: String::new(),
                line: 0,
                sending: None,
                complete: false,
                applied: false,
                failed: 0,
                at: 0,
                boards: Vec::new(),
            },
            failed_before: 0,
            failures: 0,
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
        let file = args.file.display();
        let before = self.open(args, say)?;
        // An import that has applied nothing is as if it had not been.
        let before = before.filter(|it| it.applied || it.sending.is_some());
        let prefix = before.as_ref().map(|before| before.bytes);
        let digests = digests_of(&args.file, prefix).map_err(|error| format!("{file}: {error}"))?;
        (self.state.bytes, self.state.digest) = (digests.bytes, digests.whole);
        let Some(before) = before else {
            return Ok(args.from_line.unwrap_or(1));
        };
        let line = before.line;
        if let Some(from_line) = args.from_line {
            self.go_on(&before);
            return Ok(from_line);
        }
        if !before.boards.is_empty() && are_gone(&before, runtime, client) {
            say(format!(
                "the boards into which {file} was imported are no longer on the server: all of it is imported"
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
        if digests.prefix.as_deref() != Some(&*before.digest) {
            return Err(format!(
                "{file} has changed since it was imported up to line {line}: --from-line N imports the lines from N \
                 on, --again imports all of it"
            ));
        }
        let failed = match before.failed {
            0 => String::new(),
            failed => format!(" ({failed} lines had failed, which that import has reported)"),
        };
        if let Some(Sending { first, last, .. }) = before.sending.filter(|sending| {
            !(sending.are_resendable && is_within_dedupe(&before, runtime, client))
        }) {
            return Err(format!(
                "the last import of {file} ended while it sent lines {first} to {last}, which might count twice if \
                 they are sent again. Check their boards, then continue with --from-line {first} if they are not \
                 applied, or with --from-line {} if they are",
                last + 1
            ));
        }
        if before.complete && before.bytes == self.state.bytes {
            return Err(format!(
                "{file} was imported into {} already, up to line {line}{failed}; --again imports it once more",
                before.server
            ));
        }
        say(format!(
            "continuing after line {line}, where the last import of {file} ended{failed}"
        ));
        self.go_on(&before);
        self.state.line = line;
        Ok(line + 1)
    }

    /// Keeps what is true of this import, too, if it continues another.
    fn go_on(&mut self, before: &State) {
        self.state.applied = before.applied;
        self.failed_before = before.failed;
        self.state.boards.clone_from(&before.boards);
    }

    /// Opens and locks the file, and reads the state of the import before.
    fn open(
        &mut self,
        args: &ImportArgs,
        say: &mut (dyn FnMut(String) + Send),
    ) -> Result<Option<State>, String> {
        let (file, path) = (args.file.display(), self.path.display());
        let mut options = File::options();
        let opened = options.read(true).write(true).create(true).truncate(false);
        let mut opened = match opened.open(&self.path) {
            Ok(opened) => opened,
            // Without an earlier state, nothing can be out of date.
            Err(error) if !self.path.exists() => {
                say(format!(
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
        let read = opened.read_to_end(&mut text);
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
        let (Some(first), Some(last)) = (batch.outgoing.first(), batch.outgoing.last()) else {
            return Ok(());
        };
        if batch.is_all_sets() {
            return Ok(());
        }
        let all: Vec<usize> = (0..batch.outgoing.len()).collect();
        let are_resendable = batch.are_resendable(&all);
        if !are_resendable && !self.has_warned && self.file.is_some() {
            self.has_warned = true;
            (report.say)(format!(
                "lines {} to {} do not all have ids: if the import is interrupted while it sends such lines, their \
                 boards have to be checked before it continues",
                first.line, last.line
            ));
        }
        self.state.sending = Some(Sending {
            first: first.line,
            last: last.line,
            are_resendable,
        });
        self.write(report)
    }

    /// Records that a batch is decided.
    pub(super) fn sent(
        &mut self,
        batch: &Batch,
        runtime: &Runtime,
        client: &Client,
        report: &mut Report<'_>,
    ) -> Result<(), String> {
        self.see_board(batch, runtime, client);
        self.state.sending = None;
        self.state.line = batch.last_line;
        self.write(report)
    }

    /// Keeps the incarnation of the board of the first line.
    fn see_board(&mut self, batch: &Batch, runtime: &Runtime, client: &Client) {
        let State { boards, .. } = &mut self.state;
        if boards.len() >= BOARDS_MAX || self.failures >= FAILURES_MAX {
            return;
        }
        let Some(board) = board_of(batch) else { return };
        if boards.iter().any(|(other, _)| *other == board) {
            return;
        }
        match runtime.block_on(incarnation_of(client, &board)) {
            // Nothing was applied to it.
            Some(incarnation) if incarnation.is_empty() => {}
            Some(incarnation) => boards.push((board, incarnation)),
            None => self.failures += 1,
        }
    }

    /// Records where the import ended early.
    pub(super) fn ended(&mut self, at: Resumption, report: &mut Report<'_>) -> Result<(), String> {
        match at {
            Resumption::At(line) => {
                (self.state.line, self.state.sending) = (line - 1, None);
            }
            Resumption::Unknown(first, last) => {
                self.state.line = first - 1;
                self.state.sending = Some(Sending {
                    first,
                    last,
                    are_resendable: false,
                });
            }
        }
        self.write(report)
    }

    /// Records that the whole file is decided.
    pub(super) fn completed(&mut self, report: &mut Report<'_>) -> Result<(), String> {
        self.state.complete = true;
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
        state.at = now_ms();
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

/// The digest of a file, and of its beginning.
struct Digests {
    bytes: u64,
    whole: String,
    /// Of the first bytes, if the file has as many.
    prefix: Option<String>,
}

/// Computes the digests of a file, and of its first `prefix` bytes.
fn digests_of(path: &Path, prefix: Option<u64>) -> io::Result<Digests> {
    let mut file = File::open(path)?;
    let mut hasher = XxHash3_128::new();
    let text = |hasher: &XxHash3_128| format!("{:032x}", hasher.finish_128());
    let mut of_prefix = None;
    let mut bytes = 0;
    let mut piece = vec![0; READ_BYTES];
    loop {
        if prefix == Some(bytes) {
            of_prefix = Some(text(&hasher));
        }
        // A piece ends where the prefix does.
        let left = prefix.map_or(u64::MAX, |prefix| prefix.wrapping_sub(bytes));
        let most = match usize::try_from(left) {
            Ok(left) if left > 0 => left.min(READ_BYTES),
            _ => READ_BYTES,
        };
        let count = file.read(&mut piece[..most])?;
        if count == 0 {
            return Ok(Digests {
                bytes,
                whole: text(&hasher),
                prefix: of_prefix,
            });
        }
        hasher.write(&piece[..count]);
        bytes += count as u64;
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

/// Returns the incarnation of a board: the first part of its versions; empty if there is no such board, or no such kind.
/// `None` if it cannot be read.
async fn incarnation_of(client: &Client, board: &str) -> Option<String> {
    let name: BoardName = board.parse().ok()?;
    match client.board_named(name).info().await {
        Ok(info) => {
            let parts = info.envelope.version.split_once('.');
            Some(parts.map_or_else(String::new, |(incarnation, _)| incarnation.to_owned()))
        }
        Err(error) => {
            let is_unknown = |problem: &Problem| problem.kind == ProblemType::UnknownKind;
            error.problem().is_some_and(is_unknown).then(String::new)
        }
    }
}

/// Returns whether the server has none of the boards any more.
fn are_gone(before: &State, runtime: &Runtime, client: &Client) -> bool {
    let mut boards = before.boards.iter();
    boards.all(|(board, incarnation)| {
        let now = runtime.block_on(incarnation_of(client, board));
        now.is_some_and(|now| now != *incarnation)
    })
}

/// Returns whether the server still remembers the ids of the lines that were being sent. If that is unknown, it does
/// not.
fn is_within_dedupe(before: &State, runtime: &Runtime, client: &Client) -> bool {
    let kinds = before
        .boards
        .iter()
        .filter_map(|(board, _)| board.split('/').next());
    let spans = kinds.map(|kind| {
        let kind = runtime.block_on(client.kind(kind)).ok()?;
        humantime::parse_duration(kind.dedupe.as_deref()?).ok()
    });
    let Some(Some(shortest)) = spans.min() else {
        return false;
    };
    Duration::from_millis(now_ms().saturating_sub(before.at)) < shortest
}
