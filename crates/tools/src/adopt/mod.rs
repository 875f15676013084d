//! `megaboard adopt`: a sorted set of a Redis, read into a board while it is live.
//!
//! ```text
//! Redis ─► source ─► page ─╫─► standing ─► batch ─╫─► sending ─► server
//!          (by cursor)     ╫   (decoded)          ╫   (retries)
//! ```
//!
//! The next page is on its way while one is decoded, and some batches while others are made; memory
//! holds no more than those. At the end `check` holds the board's best against the source's. What an
//! encoding means is the crate `encodings`'s to know, what a contribution may be the server's.

mod args;
mod check;
mod page;
mod sending;
mod source;
mod standing;
mod target;

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use board::{Member, NameOrder, Timestamp};
use encodings::{Encoding, ReadDirection};
use futures::FutureExt as _;
use indicatif::ProgressBar;
use indicatif::style::{ProgressStyle, TemplateError};
use megaboard_client::{Client, Format, RetryPolicy};

pub use self::args::AdoptArgs;

use self::check::{BEST_COUNT, Differences, compare, order_names, order_ties};
use self::page::SetEntry;
use self::sending::{BATCH_LINES_MAX, Batch, Sender, Sent};
use self::source::Source;
use self::standing::{Reader, Standing, Tally};
use self::target::Target;
use crate::board_path::BoardPath;
use crate::delivery::{Halt, INTERRUPTED, Stop};
use crate::reads::Reads;
use crate::runtime::Runtime;
use crate::terminal;

/// Requests under way at a time. Several, since each waits for its batch to be durable.
const SENDERS: usize = 4;

/// Batches that are filled at a time, each with a share of the members. By the bits that place a member,
/// so that with 16 shards a batch goes to one of them, and no two senders are at one.
const LOTS: usize = 16;

/// Batches that wait for a sender.
const BATCHES_AHEAD_MAX: usize = 1;

/// How often the source is read from the beginning when members were added meanwhile.
const PASSES_MAX: usize = 3;

/// How often the best are looked at again where they differ.
const ROUNDS_MAX: usize = 5;

/// Between two looks.
const ROUND_PAUSE: Duration = Duration::from_millis(250);

/// Messages about single members that are shown; all are counted.
const SHOWN_MAX: u64 = 100;

const PROGRESS_SHOWN_EVERY: Duration = Duration::from_millis(200);

fn failed(reason: impl Display) -> Halt {
    Halt::Failed(reason.to_string())
}

/// Runs the command.
pub fn run(args: &AdoptArgs) -> Result<ExitCode, Box<dyn Error>> {
    let started = Instant::now();
    let stop = Stop::on_signals()?;
    let progress = ProgressBar::no_length();
    progress.set_style(style()?);
    progress.enable_steady_tick(PROGRESS_SHOWN_EVERY);
    let shown = AtomicU64::new(0);
    let say = |message: String| progress.suspend(|| terminal::complain(&message));
    let show = |message: String| {
        let before = shown.fetch_add(1, Ordering::Relaxed);
        if before < SHOWN_MAX {
            say(message);
        } else if before == SHOWN_MAX {
            say(format!(
                "more than {SHOWN_MAX} messages; further ones are only counted"
            ));
        }
    };
    let runtime = Runtime::start()?;
    let client = args.server().client()?;
    let adoption = Adoption::prepare(args, &runtime, &client, &stop, &progress, &show);
    let outcome = adoption.and_then(|it| it.run());
    progress.finish_and_clear();
    let report = match outcome {
        Ok(report) => report,
        Err(Halt::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(Halt::Failed(reason)) => return Err(reason.into()),
    };
    for line in report.tally.doubts().iter().chain(&report.wrong) {
        say(line.clone());
    }
    terminal::print(&report.summary(started.elapsed()))?;
    io::stdout().flush()?;
    let is_clean = report.wrong.is_empty() && report.tally.skipped + report.sent.refused == 0;
    Ok(if is_clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What an adoption came to.
struct Report {
    tally: Tally,
    sent: Sent,
    in_source: u64,
    on_board: u64,
    /// What does not agree, a sentence each.
    wrong: Vec<String>,
}

impl Report {
    /// How many are to be on a board that ranks so many at most.
    fn expected(&self, keep: u64) -> u64 {
        let left_out = self.tally.skipped + self.sent.refused;
        self.in_source.saturating_sub(left_out).min(keep)
    }

    fn summary(&self, took: Duration) -> String {
        let Self {
            tally,
            sent,
            in_source,
            on_board,
            ..
        } = self;
        let seconds = took.as_secs_f64();
        format!(
            "set {}, left out {}, rejected {}; members in the source {in_source}, on the board \
             {on_board}; took {seconds:.2} s",
            sent.applied, tally.skipped, sent.refused
        )
    }
}

/// One sorted set on its way to one board.
struct Adoption<'a> {
    runtime: &'a Runtime,
    client: &'a Client,
    source: Source,
    encoding: Encoding,
    read_direction: ReadDirection,
    /// How the board orders members that are equal in all else.
    names: NameOrder,
    reader: Reader,
    fields: Vec<String>,
    /// How many the board ranks at most.
    keep: u64,
    target: Target<'a>,
    window: String,
    stop: &'a Stop,
    progress: &'a ProgressBar,
    say: &'a (dyn Fn(String) + Sync),
}

impl<'a> Adoption<'a> {
    /// Asks source and server what is to be known of them.
    fn prepare(
        args: &AdoptArgs,
        runtime: &'a Runtime,
        client: &'a Client,
        stop: &'a Stop,
        progress: &'a ProgressBar,
        say: &'a (dyn Fn(String) + Sync),
    ) -> Result<Self, Halt> {
        let encoding = args.encoding.clone();
        let time_key = match &encoding {
            Encoding::TwoSets(two_sets) => Some(two_sets.time_key()),
            _ => None,
        };
        let source = Source::open(&args.from, &args.source_key, time_key);
        let source = runtime.block_on(source).map_err(failed)?;
        let target = Target {
            reads: Reads {
                runtime,
                client,
                stop,
                retry: RetryPolicy::default(),
                say,
            },
            path: BoardPath::parse(&args.board).map_err(failed)?,
        };
        let kind = target.kind()?;
        let fields = kind.fields();
        if fields.len() != encoding.fields() {
            let (name, fields, packed) = (target.path.kind(), fields.join(", "), encoding.fields());
            return Err(Halt::Failed(format!(
                "the encoding packs {packed} values, but kind {name} has the fields {fields}"
            )));
        }
        let window = kind
            .window_to_check(args.window.as_deref())
            .ok_or_else(|| {
                let (name, windows) = (target.path.kind(), kind.windows());
                let asked = args.window.as_deref().unwrap_or("all");
                failed(format!(
                    "kind {name} has no window `{asked}`; choose one of {windows} with --window"
                ))
            })?;
        let at = args.at.unwrap_or_else(now);
        if !encoding.has_time() {
            say(format!(
                "the encoding has no times: the time of all standings is {at}"
            ));
        }
        let reader = Reader::new(
            encoding.clone(),
            at,
            fields.clone(),
            &args.board,
            args.window.as_deref(),
        );
        Ok(Self {
            read_direction: kind.read_direction(encoding.read_direction()),
            names: kind.names(),
            keep: kind.keep(),
            runtime,
            client,
            source,
            encoding,
            reader,
            fields,
            target,
            window,
            stop,
            progress,
            say,
        })
    }

    /// Reads all, as often as members are added meanwhile, and checks.
    fn run(&self) -> Result<Report, Halt> {
        let mut report = Report {
            tally: Tally::default(),
            sent: Sent::default(),
            in_source: 0,
            on_board: 0,
            wrong: Vec::new(),
        };
        for _ in 0..PASSES_MAX {
            report.tally = Tally::default();
            report.sent = Sent::default();
            self.progress.set_position(0);
            self.pass(&mut report)?;
            self.check(&mut report)?;
            if report.on_board >= report.expected(self.keep) {
                break;
            }
        }
        Ok(report)
    }

    /// Reads the source from its beginning to its end, and sends what it says.
    fn pass(&self, report: &mut Report) -> Result<(), Halt> {
        self.progress.set_length(self.count()?);
        thread::scope(|scope| {
            let (queues, senders): (Vec<_>, Vec<_>) = (0..SENDERS)
                .map(|_| {
                    let (queue, batches) = mpsc::sync_channel(BATCHES_AHEAD_MAX);
                    (queue, scope.spawn(move || self.send_all(&batches)))
                })
                .unzip();
            let read = self.read_all(&queues, &mut report.tally);
            drop(queues);
            for sender in senders {
                let sent = sender
                    .join()
                    .map_err(|_| failed("sending failed; see above"))?;
                let (sent, outcome) = sent;
                report.sent.applied += sent.applied;
                report.sent.refused += sent.refused;
                outcome?;
            }
            read
        })
    }

    fn send_all(&self, batches: &Receiver<Batch>) -> (Sent, Result<(), Halt>) {
        let sender = self.sender();
        let mut sent = Sent::default();
        for batch in batches {
            if let Err(halt) = sender.deliver(&batch, &mut sent) {
                return (sent, Err(halt));
            }
        }
        (sent, Ok(()))
    }

    fn sender(&self) -> Sender<'_> {
        Sender {
            runtime: self.runtime,
            http: megaboard_client::Sender::new(self.client, Format::Ndjson),
            stop: self.stop,
            say: self.say,
        }
    }

    /// Ends early, and well, when a sender has hung up: it says why.
    fn read_all(&self, queues: &[SyncSender<Batch>], tally: &mut Tally) -> Result<(), Halt> {
        let scan = |cursor: String| {
            let source = self.source.clone();
            self.runtime
                .spawn(async move { source.scan(&cursor).await }.boxed())
        };
        let mut batches: Vec<Batch> = (0..LOTS).map(|_| Batch::default()).collect();
        let queue_of = |lot: usize| &queues[lot * queues.len() / LOTS];
        let mut next = Some(scan("0".to_owned()));
        while let Some(page) = next.take() {
            if self.stop.requested() {
                return Err(Halt::Interrupted);
            }
            let page = self
                .runtime
                .block_on(page)
                .map_err(failed)?
                .map_err(failed)?;
            if page.cursor != "0" {
                next = Some(scan(page.cursor));
            }
            for entry in &page.entries {
                let standing = match self.reader.read(entry, tally) {
                    Ok(standing) => standing,
                    Err(reason) => {
                        (self.say)(reason);
                        continue;
                    }
                };
                let lot = lot_of(&standing.member);
                let batch = &mut batches[lot];
                self.reader.write(&standing, &mut batch.body);
                batch.end_line();
                if batch.is_full() && queue_of(lot).send(std::mem::take(batch)).is_err() {
                    return Ok(());
                }
            }
            self.progress.inc(page.entries.len() as u64);
        }
        for (lot, batch) in batches.into_iter().enumerate() {
            // Who has hung up says why.
            if !batch.is_empty() && queue_of(lot).send(batch).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Holds the counts and the best against the source. Since it may be live, what differs is set again
    /// and compared again before it is reported.
    fn check(&self, report: &mut Report) -> Result<(), Halt> {
        for round in 1.. {
            report.in_source = self.count()?;
            let source = self.best_of_source()?;
            let best = self.target.best(&self.window, self.best_count())?;
            report.on_board = best.members;
            let differences = compare(&source, &best.entries, &self.fields);
            if differences.positions == 0 || round == ROUNDS_MAX {
                report.wrong = self.wrong(report, &differences);
                return Ok(());
            }
            self.set_again(&source, &differences)?;
            self.stop.sleep(ROUND_PAUSE);
            if self.stop.requested() {
                return Err(Halt::Interrupted);
            }
        }
        Ok(())
    }

    fn wrong(&self, report: &Report, differences: &Differences) -> Vec<String> {
        let mut wrong = Vec::new();
        let expected = report.expected(self.keep);
        if report.on_board != expected {
            wrong.push(format!(
                "{} of the source's {} members should be on the board, but window {} has {}",
                expected, report.in_source, self.window, report.on_board
            ));
        }
        if let Some((position, source, board)) = &differences.first {
            wrong.push(format!(
                "{} of the best {} positions differ; at {position} the source has \
                 {source:?}, the board {board:?}",
                differences.positions,
                self.best_count()
            ));
        }
        wrong
    }

    /// Sets those who differ to what the source says now.
    fn set_again(&self, source: &[Standing], differences: &Differences) -> Result<(), Halt> {
        let again = differences
            .indices
            .iter()
            .map(|index| source[*index].clone());
        let mut again: Vec<Standing> = again.collect();
        // With a time before them, members cannot be looked up.
        if !matches!(self.encoding, Encoding::TimeMember(_)) {
            let found = self.source.find(&differences.strangers);
            let found = self.runtime.block_on(found).map_err(failed)?;
            let mut tally = Tally::default();
            let found = found
                .iter()
                .map(|entry| self.reader.read(entry, &mut tally));
            again.extend(found.filter_map(Result::ok));
        }
        // All of this was counted, and reported where it was refused, when it was first sent.
        let sender = Sender {
            say: &|_| {},
            ..self.sender()
        };
        let mut sent = Sent::default();
        for standings in again.chunks(BATCH_LINES_MAX) {
            let mut batch = Batch::default();
            for standing in standings {
                self.reader.write(standing, &mut batch.body);
                batch.end_line();
            }
            sender.deliver(&batch, &mut sent)?;
        }
        Ok(())
    }

    /// Positions that are held against the source: no more than the board ranks.
    fn best_count(&self) -> usize {
        usize::try_from(self.keep).map_or(BEST_COUNT, |keep| keep.min(BEST_COUNT))
    }

    fn best_of_source(&self) -> Result<Vec<Standing>, Halt> {
        let count = self.best_count();
        let first = self.source.first(self.read_direction, count);
        let entries: Vec<SetEntry> = self.runtime.block_on(first).map_err(failed)?;
        let mut tally = Tally::default();
        let read = entries
            .iter()
            .filter_map(|entry| self.reader.read(entry, &mut tally).ok());
        let mut standings: Vec<Standing> = read.collect();
        let is_cut = entries.len() == count;
        if matches!(self.encoding, Encoding::TwoSets(_)) {
            order_ties(&mut standings, is_cut);
        }
        let read = match self.read_direction {
            ReadDirection::Reverse => NameOrder::Higher,
            ReadDirection::Forward => NameOrder::Lower,
        };
        if read != self.names {
            order_names(&mut standings, is_cut, self.names);
        }
        Ok(standings)
    }

    fn count(&self) -> Result<u64, Halt> {
        self.runtime.block_on(self.source.count()).map_err(failed)
    }
}

/// Which batch a member is in, the same in every run of the cursor.
fn lot_of(member: &Member) -> usize {
    const LOT_BITS: u32 = LOTS.ilog2();
    usize::try_from(member.placement_hash() >> (u64::BITS - LOT_BITS)).unwrap_or_default()
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
}

/// Members read of those that were there; hidden where standard error is no terminal.
fn style() -> Result<ProgressStyle, TemplateError> {
    ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len}, {per_sec}, {eta} left")
}
