//! Copying one sorted set to one board: [`Adoption`] reads all entries, sends them, and compares the result.

use std::fmt::Display;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use board::{Member, NameOrder, Timestamp};
use encodings::{Encoding, ReadDirection};
use futures::FutureExt as _;
use indicatif::ProgressBar;
use megaboard_client::{Client, Format, RetryPolicy};

use super::args::AdoptArgs;
use super::check::{BEST_COUNT, Differences, compare, order_names, order_ties};
use super::fit;
use super::page::SetEntry;
use super::report::{Examples, Report};
use super::sending::{BATCH_LINES_MAX, Batch, Sender, Sent};
use super::source::Source;
use super::standing::{Reader, Standing, Tally};
use super::target::Target;
use crate::board_path::BoardPath;
use crate::delivery::{Halt, Stop};
use crate::reads::Reads;
use crate::runtime::Runtime;

/// The number of requests in flight. There are several, since each waits until its batch is durable.
const SENDERS: usize = 4;

/// The number of batches that are filled concurrently. Members are distributed by the bits that select their shard, so
/// that with 16 shards each batch goes to one shard, and no two senders write to the same one.
const LOTS: usize = 16;

/// The number of batches that wait for each sender.
const BATCHES_AHEAD_MAX: usize = 1;

/// The maximum number of passes over the source. There is another pass if members were added meanwhile.
const PASSES_MAX: usize = 3;

/// The maximum number of comparisons of the best entries.
const ROUNDS_MAX: usize = 5;

/// The pause between two comparisons.
const ROUND_PAUSE: Duration = Duration::from_millis(250);

fn failed(reason: impl Display) -> Halt {
    Halt::Failed(reason.to_string())
}

/// One sorted set that is copied to one board.
pub(super) struct Adoption<'a> {
    runtime: &'a Runtime,
    client: &'a Client,
    source: Source,
    encoding: Encoding,
    read_direction: ReadDirection,
    /// The board's order of members with equal values and times.
    names: NameOrder,
    reader: Reader,
    fields: Vec<String>,
    /// The maximum number of members that the board ranks.
    keep: u64,
    target: Target<'a>,
    window: String,
    stop: &'a Stop,
    progress: &'a ProgressBar,
    say: &'a (dyn Fn(String) + Sync),
    left_out: Examples,
    rejected: Examples,
}

impl<'a> Adoption<'a> {
    /// Connects to the source, and reads the settings of the board's kind.
    pub(super) fn prepare(
        args: &AdoptArgs,
        runtime: &'a Runtime,
        client: &'a Client,
        stop: &'a Stop,
        progress: &'a ProgressBar,
        say: &'a (dyn Fn(String) + Sync),
    ) -> Result<Self, Halt> {
        let encoding = args.encoding.clone().unwrap_or(Encoding::Plain);
        let time_key = match &encoding {
            Encoding::TwoSets(two_sets) => Some(two_sets.time_key()),
            _ => None,
        };
        let source = Source::open(&args.from, &args.sorted_set, time_key);
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
                let selected = args.window.as_deref().unwrap_or("all");
                failed(format!(
                    "kind {name} has no window `{selected}`; choose one of {windows} with --window"
                ))
            })?;
        let count = best_count(kind.keep());
        let read_direction = kind.read_direction(encoding.read_direction());
        let best = runtime.block_on(source.first(read_direction, count));
        let best = best.map_err(failed)?;
        fit::check(&encoding, &best, now()).map_err(failed)?;
        if args.encoding.is_none() {
            fit::check_not_packed(&best, now()).map_err(failed)?;
        }
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
            read_direction,
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
            left_out: Examples::new("members that are left out"),
            rejected: Examples::new("rejected contributions"),
        })
    }

    /// Makes passes over the source until the board has all its members, and compares the best entries.
    pub(super) fn run(&self) -> Result<Report, Halt> {
        let mut report = Report::default();
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
        report.warnings = self.reader.warnings(&report.tally);
        Ok(report)
    }

    /// Reads all entries of the source, and sends them.
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
                report.sent.rejected += sent.rejected;
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
            rejected: &self.rejected,
        }
    }

    /// Reads all entries, and distributes them to the queues of the senders. If a sender has ended, this returns
    /// without an error, since the sender returns its own.
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
                        self.left_out.show(reason, self.say);
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
            if !batch.is_empty() && queue_of(lot).send(batch).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Compares the number of members and the best entries with the source. The source may change meanwhile, so entries
    /// that differ are set again and compared again before they are reported.
    fn check(&self, report: &mut Report) -> Result<(), Halt> {
        for round in 1.. {
            report.in_source = self.count()?;
            let source = self.best_of_source()?;
            let best = self.target.best(&self.window, self.best_count())?;
            report.on_board = best.members;
            let differences = compare(&source, &best.entries, &self.fields);
            if differences.positions == 0 || round == ROUNDS_MAX {
                report.differences = self.describe(report, &differences);
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

    fn describe(&self, report: &Report, differences: &Differences) -> Vec<String> {
        let mut sentences = Vec::new();
        let expected = report.expected(self.keep);
        if report.on_board != expected {
            sentences.push(format!(
                "{} of the source's {} members should be on the board, but window {} has {}",
                expected, report.in_source, self.window, report.on_board
            ));
        }
        if let Some((position, source, board)) = &differences.first {
            let board = match board {
                Some(member) => format!("{member:?}"),
                None => "no member".to_owned(),
            };
            sentences.push(format!(
                "{} of the best {} positions differ; at {position} the source has {source:?}, the board {board}",
                differences.positions,
                self.best_count()
            ));
        }
        sentences
    }

    /// Sets the members that differ to their current standings in the source.
    fn set_again(&self, source: &[Standing], differences: &Differences) -> Result<(), Halt> {
        let again = differences
            .indices
            .iter()
            .map(|index| source[*index].clone());
        let mut again: Vec<Standing> = again.collect();
        // In this encoding the time is part of the member's name in the source, so members cannot be looked up.
        if !matches!(self.encoding, Encoding::TimeMember(_)) {
            let found = self.source.find(&differences.only_on_board);
            let found = self.runtime.block_on(found).map_err(failed)?;
            let mut tally = Tally::default();
            let found = found
                .iter()
                .map(|entry| self.reader.read(entry, &mut tally));
            again.extend(found.filter_map(Result::ok));
        }
        // These lines were counted and reported when they were sent first.
        let sender = Sender {
            rejected: &Examples::none(),
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

    fn best_count(&self) -> usize {
        best_count(self.keep)
    }

    /// Reads the best entries of the source, in the order of the board.
    fn best_of_source(&self) -> Result<Vec<Standing>, Halt> {
        let count = self.best_count();
        let first = self.source.first(self.read_direction, count);
        let entries: Vec<SetEntry> = self.runtime.block_on(first).map_err(failed)?;
        let mut tally = Tally::default();
        let read = entries
            .iter()
            .filter_map(|entry| self.reader.read(entry, &mut tally).ok());
        let mut standings: Vec<Standing> = read.collect();
        let is_truncated = entries.len() == count;
        if matches!(self.encoding, Encoding::TwoSets(_)) {
            order_ties(&mut standings, is_truncated);
        }
        let names = match self.read_direction {
            ReadDirection::Reverse => NameOrder::Higher,
            ReadDirection::Forward => NameOrder::Lower,
        };
        if names != self.names {
            order_names(&mut standings, is_truncated, self.names);
        }
        Ok(standings)
    }

    fn count(&self) -> Result<u64, Halt> {
        self.runtime.block_on(self.source.count()).map_err(failed)
    }
}

/// Returns the number of positions to compare: no more than the board ranks.
fn best_count(keep: u64) -> usize {
    usize::try_from(keep).map_or(BEST_COUNT, |keep| keep.min(BEST_COUNT))
}

/// Returns the batch of a member. It is the same in all passes.
fn lot_of(member: &Member) -> usize {
    const LOT_BITS: u32 = LOTS.ilog2();
    usize::try_from(member.placement_hash() >> (u64::BITS - LOT_BITS)).unwrap_or_default()
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
}
