//! Copying one sorted set to one board: [`Adoption`] reads all entries and sends them; `comparing` compares the result.

mod comparing;

use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use board::{Member, Timestamp};
use encodings::{Encoding, ReadDirection};
use futures::FutureExt as _;
use indicatif::ProgressBar;

use super::args::AdoptArgs;
use super::fit;
use super::report::{Examples, Report};
use super::sending::{BATCH_LINES_MAX, BatchSender, Sent};
use super::source::Source;
use super::standing::{Reader, Tally};
use super::suspects;
use super::target::Target;
use crate::delivery::{Halt, LineSender, Lines, Resend};
use crate::reads::Reads;

/// The number of requests in flight. There are several, since each waits until its batch is durable.
const SENDERS: usize = 4;

/// The number of batches that are filled concurrently. Members are distributed by the bits that select their shard, so
/// that with 16 shards each batch goes to one shard, and no two senders write to the same one.
const LOTS: usize = 16;

/// The number of batches that wait for each sender.
const BATCHES_AHEAD_MAX: usize = 1;

/// The maximum number of passes over the source. There is another pass if members were added meanwhile.
const PASSES_MAX: usize = 3;

/// One sorted set that is copied to one board.
pub(super) struct Adoption<'a> {
    reads: Reads<'a>,
    source: Source,
    encoding: Encoding,
    read_direction: ReadDirection,
    reader: Reader,
    target: Target<'a>,
    window: String,
    progress: &'a ProgressBar,
    left_out: Examples,
    rejected: Examples,
}

impl<'a> Adoption<'a> {
    /// Connects to the source, and reads the settings of the board's kind.
    pub(super) fn prepare(
        args: &AdoptArgs,
        reads: Reads<'a>,
        progress: &'a ProgressBar,
    ) -> Result<Self, Halt> {
        let encoding = args.encoding.clone().unwrap_or(Encoding::Plain);
        let time_key = match &encoding {
            Encoding::TwoSets(two_sets) => Some(two_sets.time_key()),
            _ => None,
        };
        let has_score_alone = matches!(
            encoding,
            Encoding::Plain | Encoding::TimeMember(_) | Encoding::TwoSets(_)
        );
        if args.scale.is_some() && !has_score_alone {
            return Err(Halt::Failed(format!(
                "--scale: the encoding {encoding} packs integers; plain, time-member and two-sets have a score to scale"
            )));
        }
        let source = Source::open(&args.from, &args.sorted_set, time_key, args.scale);
        let source = reads.until_stopped(source)??;
        let target = Target::open(reads, &args.board)?;
        let kind = args.board.kind();
        if target.fields.len() != encoding.fields() {
            let (fields, packed) = (target.fields.join(", "), encoding.fields());
            return Err(Halt::Failed(format!(
                "the encoding packs {packed} values, but kind {kind} has the fields {fields}"
            )));
        }
        let window = target.window_to_check(args.window.as_deref())?;
        let read_direction = target.read_direction(encoding.read_direction());
        let best = source.first(read_direction, target.best_count());
        let best = reads.until_stopped(best)??;
        fit::check(&encoding, &best, now())?;
        if args.encoding.is_none() {
            suspects::check_scores(&best, now())?;
            suspects::check_members(&best)?;
        }
        let at = args.at.unwrap_or_else(now);
        if args.window.is_none() && target.has_calendar_windows() {
            let windows = target.windows();
            (reads.say)(format!(
                "without --window each score goes into every window of kind {kind} ({windows}) that contains its time, \
                 so that the windows of today have totals of all time, too; --window all sets that of all time alone"
            ));
        }
        if !encoding.has_time() {
            (reads.say)(format!(
                "the encoding has no times: the time of all standings is {at}"
            ));
        }
        let reader = Reader::new(
            encoding.clone(),
            at,
            target.fields.clone(),
            &args.board.to_string(),
            args.window.as_deref(),
        );
        Ok(Self {
            read_direction,
            reads,
            source,
            encoding,
            reader,
            target,
            window,
            progress,
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
            if report.on_board >= report.expected(self.target.keep()) {
                break;
            }
        }
        if !report.differences.is_empty() {
            self.list_only_on_board(&mut report)?;
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
                    .map_err(|_| Halt::Failed("sending failed; see above".to_owned()))?;
                let (sent, outcome) = sent;
                report.sent.applied += sent.applied;
                report.sent.rejected += sent.rejected;
                outcome?;
            }
            read
        })
    }

    fn send_all(&self, batches: &Receiver<Lines>) -> (Sent, Result<(), Halt>) {
        let mut sender = self.sender();
        let mut sent = Sent::default();
        for batch in batches {
            if let Err(halt) = sender.deliver(&batch, &mut sent) {
                return (sent, Err(halt));
            }
        }
        (sent, Ok(()))
    }

    fn sender(&self) -> BatchSender<'_> {
        BatchSender {
            reads: self.reads,
            sender: LineSender::new(self.reads.client, self.reads.stop),
            rejected: Some(&self.rejected),
        }
    }

    /// Reads all entries, and distributes them to the queues of the senders. If a sender has ended, this returns
    /// without an error, since the sender returns its own.
    fn read_all(&self, queues: &[SyncSender<Lines>], tally: &mut Tally) -> Result<(), Halt> {
        let scan = |cursor: String| {
            let source = self.source.clone();
            self.reads
                .runtime
                .spawn(async move { source.scan(&cursor).await }.boxed())
        };
        let mut batches: Vec<Lines> = (0..LOTS).map(|_| Lines::default()).collect();
        let queue_of = |lot: usize| &queues[lot * queues.len() / LOTS];
        let mut next = Some(scan("0".to_owned()));
        while let Some(page) = next.take() {
            let page = self.reads.until_stopped(page)?;
            let page = page.map_err(|error| error.to_string())??;
            if page.cursor != "0" {
                next = Some(scan(page.cursor));
            }
            for entry in &page.entries {
                let standing = match self.reader.read(entry, tally) {
                    Ok(standing) => standing,
                    Err(reason) => {
                        self.left_out.show(reason, self.reads.say);
                        continue;
                    }
                };
                let lot = lot_of(&standing.member);
                let batch = &mut batches[lot];
                self.reader.write(&standing, &mut batch.body);
                batch.end_line(Resend::AmongSets);
                if batch.len() >= BATCH_LINES_MAX
                    && queue_of(lot).send(std::mem::take(batch)).is_err()
                {
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

    fn count(&self) -> Result<u64, Halt> {
        self.reads.until_stopped(self.source.count())?
    }
}

/// Returns the batch of a member. It is the same in all passes.
fn lot_of(member: &Member) -> usize {
    const LOT_BITS: u32 = LOTS.ilog2();
    usize::try_from(member.placement_hash() >> (u64::BITS - LOT_BITS)).unwrap_or_default()
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let us = since.unwrap_or_default().as_micros();
    Timestamp::from_micros(i64::try_from(us).unwrap_or(i64::MAX))
}
