//! The loop that reads, sends and acknowledges: [`Reader`].
//!
//! A partition that has come to this process, or whose connection was lost, is first asked for what is
//! pending in its group: entries that this process or a dead one took and did not acknowledge. They are
//! claimed in their order and sent before anything new. An entry is acknowledged once it is decided,
//! so that whatever happens in between, somebody takes it again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use megaboard_client::{Backoff, RetryPolicy};
use redis_link::{Reply, Value};
use tokio::sync::watch;
use tokio::time::sleep;

use super::claim::{self, claim};
use super::connection::{Connection, Fault, items, number, text, words};
use super::entry::{Line, StreamEntry};
use super::group;
use super::send::{Refused, Sender};
use super::share::{Keys, Share};
use super::tally::Tally;

/// Lines of one request: as many as the server decides at once.
const BATCH_LINES_MAX: usize = 1_000;
/// Entries of all partitions together that are taken at once.
const TAKEN_MAX: usize = 8_000;
/// Entries of one partition that are taken at once.
const TAKEN_OF_ONE_MAX: usize = 1_000;
/// Bytes of all partitions together that are taken at once, going by how long entries were before.
const TAKEN_BYTES_MAX: usize = 64 << 20;
/// How long Redis holds a read that finds nothing: so long may pass until a change of the partitions,
/// or the wish to stop, is noticed.
const HELD: Duration = Duration::from_millis(500);
/// How often partitions are looked through for entries that nobody is at any more.
const RESCAN_EVERY: Duration = Duration::from_secs(5);
/// Entries kept in the stream of rejected ones, about.
const REJECTED_KEPT: &str = "1000000";
/// Rejected entries of one batch that are reported one by one.
const REPORTED_MAX: usize = 10;
/// How often old entries are reported.
const AGE_REPORTED_EVERY: Duration = Duration::from_mins(1);

/// Reads the partitions of one process.
pub(super) struct Reader {
    keys: Arc<Keys>,
    share: Arc<Share>,
    sender: Sender,
    rejected: Option<String>,
    stop: watch::Receiver<bool>,
    connection: Option<Connection>,
    tally: Tally,
    rescanned: Instant,
    /// By partition whose group was met: the last entry up to which all are decided.
    decided: BTreeMap<u64, String>,
    age_reported: Option<Instant>,
    /// How long entries were, those taken last, on average.
    entry_bytes: usize,
}

/// Why a round ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Halt {
    /// Redis: worth another try, unless it is lasting.
    #[error(transparent)]
    Redis(#[from] Fault),
    /// The server does not want what is sent.
    #[error("{0}")]
    Server(#[from] Refused),
}

type Say<'a> = &'a (dyn Fn(String) + Sync);

impl Reader {
    pub(super) fn new(
        keys: Arc<Keys>,
        share: Arc<Share>,
        sender: Sender,
        rejected: Option<String>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        Self {
            keys,
            share,
            sender,
            rejected,
            stop,
            connection: None,
            tally: Tally::new(),
            rescanned: Instant::now(),
            decided: BTreeMap::new(),
            age_reported: None,
            entry_bytes: 1,
        }
    }

    /// What was done.
    pub(super) fn summary(&self) -> String {
        self.tally.to_string()
    }

    /// Until it is asked to stop, or cannot go on.
    pub(super) async fn run(&mut self, say: Say<'_>) -> Result<(), Halt> {
        let mut stall: Option<Backoff> = None;
        while !self.is_stopping() {
            match self.round(say).await {
                Ok(()) => stall = None,
                Err(Halt::Redis(fault)) if !fault.is_lasting() => {
                    self.connection = None;
                    self.share.set_all_fresh();
                    if stall.is_none() {
                        say(format!("{fault}; trying again"));
                    }
                    let pauses = stall.get_or_insert_with(|| Backoff::new(RetryPolicy::default()));
                    let pause = pauses
                        .next(None)
                        .unwrap_or(RetryPolicy::default().longest_pause);
                    tokio::select! {
                        () = sleep(pause) => {}
                        _ = self.stop.changed() => {}
                    }
                }
                Err(halt) => return Err(halt),
            }
        }
        Ok(())
    }

    fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    async fn round(&mut self, say: Say<'_>) -> Result<(), Halt> {
        if let Some(line) = self.tally.due() {
            say(line);
        }
        self.share.let_go();
        if self.connection.is_none() {
            self.connection = Some(Connection::open(&self.keys.url, self.keys.db).await?);
        }
        self.rescan().await?;
        for partition in self.share.fresh() {
            if self.claim(partition, say).await? {
                self.share.set_fresh(&[partition], false);
            }
        }
        let fresh = self.share.fresh();
        let mut owned = self.share.owned();
        owned.retain(|partition| !fresh.contains(partition));
        if owned.is_empty() {
            tokio::select! {
                () = self.share.changed() => {}
                () = sleep(HELD) => {}
                _ = self.stop.changed() => {}
            }
            return Ok(());
        }
        let entries = self.read(&owned).await?;
        let last: BTreeMap<u64, String> = entries
            .iter()
            .map(|entry| (entry.partition, entry.id.clone()))
            .collect();
        if self.process(entries, say).await? {
            self.decided.extend(last);
        } else {
            let left: Vec<u64> = last.into_keys().collect();
            self.share.set_fresh(&left, true);
        }
        Ok(())
    }

    fn connected(&self) -> Result<&Connection, Fault> {
        let lost = || Fault::Lost("not connected".to_owned());
        self.connection.as_ref().ok_or_else(lost)
    }

    async fn send(&self, command: &'static str, args: Vec<Value>) -> Result<Reply, Fault> {
        self.connected()?.send(command, args).await
    }

    /// Nothing is under way now: what is pending all the same was taken by somebody who lost its lease
    /// over it.
    async fn rescan(&mut self) -> Result<(), Halt> {
        if self.rescanned.elapsed() < RESCAN_EVERY {
            return Ok(());
        }
        self.rescanned = Instant::now();
        for partition in self.share.owned() {
            let stream = self.keys.url.stream(partition);
            let pending = self.send("XPENDING", words(&[&stream, &self.keys.group]));
            match pending.await {
                Ok(pending) if items(&pending).first().and_then(number) == Some(0) => {}
                // Without a group there is none to be pending in: claiming makes it again.
                Ok(_) => self.share.set_fresh(&[partition], true),
                Err(fault) if fault.is_no_group() => self.share.set_fresh(&[partition], true),
                Err(fault) => return Err(fault.into()),
            }
        }
        Ok(())
    }

    /// Takes over and sends all that is pending, in its order; whether that came to its end.
    async fn claim(&mut self, partition: u64, say: Say<'_>) -> Result<bool, Halt> {
        let stream = self.keys.url.stream(partition);
        if !self.decided.contains_key(&partition) {
            group::make(self.connected()?, &stream, &self.keys.group, "0").await?;
        }
        let mut cursor = claim::END.to_owned();
        loop {
            if self.is_stopping() || !self.share.is_owned(partition) {
                return Ok(false);
            }
            let (connection, count) = (self.connected()?, self.count_of_one(1));
            let claimed = match (
                claim(connection, &self.keys, partition, &cursor, count).await,
                self.decided.get(&partition),
            ) {
                (Err(fault), Some(decided)) if fault.is_no_group() => {
                    let group = &self.keys.group;
                    say(group::make_again(connection, &stream, group, decided).await?);
                    return Ok(false);
                }
                (claimed, _) => claimed?,
            };
            if claimed.trimmed > 0 {
                self.tally.trimmed += claimed.trimmed as u64;
                say(format!(
                    "{stream}: {} entries were trimmed before they were acknowledged",
                    claimed.trimmed
                ));
            }
            cursor = claimed.next;
            if !self.process(claimed.entries, say).await? {
                return Ok(false);
            }
            if cursor == claim::END {
                let (connection, group) = (self.connected()?, &self.keys.group);
                let last = group::last_delivered(connection, &stream, group).await?;
                self.decided.insert(partition, last);
                return Ok(true);
            }
        }
    }

    /// How many entries to take of each of so many partitions.
    fn count_of_one(&self, partitions: usize) -> usize {
        let all = TAKEN_MAX.min(TAKEN_BYTES_MAX / self.entry_bytes);
        (all / partitions).clamp(1, TAKEN_OF_ONE_MAX)
    }

    /// The next entries of these partitions, or none after a while.
    async fn read(&mut self, partitions: &[u64]) -> Result<Vec<StreamEntry>, Halt> {
        let streams: HashMap<String, u64> = partitions
            .iter()
            .map(|partition| (self.keys.url.stream(*partition), *partition))
            .collect();
        let count = self.count_of_one(partitions.len()).to_string();
        let held = HELD.as_millis().to_string();
        let (group, me) = (&self.keys.group, &self.keys.me);
        let mut read = words(&[
            "GROUP", group, me, "COUNT", &count, "BLOCK", &held, "STREAMS",
        ]);
        read.extend(streams.keys().map(|stream| Value::from(stream.as_str())));
        read.extend(streams.keys().map(|_| Value::from(">")));
        let Some(connection) = &self.connection else {
            return Ok(Vec::new());
        };
        let answer = match connection.send_blocking("XREADGROUP", read, HELD).await {
            Err(fault) if fault.is_no_group() => {
                // Redis has lost it, or a stream was deleted: claiming makes it again.
                self.share.set_fresh(partitions, true);
                return Ok(Vec::new());
            }
            answer => answer?,
        };
        let Reply::Map { data, .. } = &answer else {
            return Ok(Vec::new());
        };
        let mut entries = Vec::new();
        for (stream, read) in data {
            let Some(&partition) = text(stream).and_then(|stream| streams.get(stream)) else {
                continue;
            };
            let read = items(read).iter();
            entries.extend(read.filter_map(|entry| StreamEntry::read(partition, entry, false)));
        }
        Ok(entries)
    }

    /// Sends entries and acknowledges what is decided; whether that is all of them.
    async fn process(&mut self, entries: Vec<StreamEntry>, say: Say<'_>) -> Result<bool, Halt> {
        if !entries.is_empty() {
            let bytes: usize = entries.iter().map(StreamEntry::bytes).sum();
            self.entry_bytes = (bytes / entries.len()).max(1);
        }
        let mut is_all = true;
        for entries in entries.chunks(BATCH_LINES_MAX) {
            if !is_all && self.is_stopping() {
                return Ok(false);
            }
            is_all &= self.process_batch(entries, say).await?;
        }
        Ok(is_all)
    }

    async fn process_batch(&mut self, entries: &[StreamEntry], say: Say<'_>) -> Result<bool, Halt> {
        let made = entries.iter().map(|entry| {
            let stream = self.keys.url.stream(entry.partition);
            entry.line(&stream)
        });
        let made: Vec<Result<Line, String>> = made.collect();
        let good: Vec<(usize, &Line)> = made
            .iter()
            .enumerate()
            .filter_map(|(index, line)| Some((index, line.as_ref().ok()?)))
            .collect();
        self.warn_of_age(entries, &good, say).await;
        let lines: Vec<&str> = good.iter().map(|(_, line)| line.text.as_str()).collect();
        let share = self.share.clone();
        let is_ours = |line: usize| share.is_owned(entries[good[line].0].partition);
        let sent = self.sender.send(&lines, &is_ours, say).await;
        self.tally.applied += sent.applied;
        self.tally.duplicates += sent.duplicates;
        let garbage = made.iter().enumerate().filter_map(|(index, line)| {
            let reason = line.as_ref().err()?.clone();
            Some((index, ("invalid".to_owned(), reason)))
        });
        let left: BTreeSet<usize> = sent.left.iter().map(|line| good[*line].0).collect();
        let mut rejected: BTreeMap<usize, (String, String)> = garbage.collect();
        self.tally.rejected += rejected.len() as u64 + sent.rejected_count;
        let lines = sent.rejected.into_iter();
        rejected.extend(lines.map(|(line, why)| (good[line].0, why)));
        self.put_aside(entries, &rejected, say).await?;
        self.acknowledge(entries, &left).await?;
        match sent.refused {
            Some(refused) => Err(refused.into()),
            None => Ok(left.is_empty()),
        }
    }

    /// What was sent before counts once as long as its id is remembered. Of entries that come as new
    /// nobody knows, either, whether another group, or this one before it was lost, had them.
    async fn warn_of_age(
        &mut self,
        entries: &[StreamEntry],
        good: &[(usize, &Line)],
        say: Say<'_>,
    ) {
        let is_recent = |reported: Instant| reported.elapsed() < AGE_REPORTED_EVERY;
        if self.age_reported.is_some_and(is_recent) {
            return;
        }
        let (mut kinds, mut oldest) = (BTreeSet::new(), u64::MAX);
        for (index, line) in good {
            kinds.extend(line.kind.as_deref());
            oldest = oldest.min(entries[*index].added_ms().unwrap_or(u64::MAX));
        }
        if kinds.is_empty() || oldest == u64::MAX {
            return;
        }
        let is_again = good.iter().any(|(index, _)| entries[*index].is_redelivered);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default();
        let age = now.saturating_sub(Duration::from_millis(oldest));
        let Some(span) = self.sender.span(&kinds).await else {
            return;
        };
        let age = Duration::from_secs(age.as_secs());
        let (shown_age, shown_span) = (
            humantime::format_duration(age),
            humantime::format_duration(span),
        );
        if age >= span {
            self.age_reported = Some(Instant::now());
            say(format!(
                "entries are up to {shown_age} old, and ids are remembered for {shown_span} \
                 (dedupe): entries that were applied longer ago count twice"
            ));
        } else if is_again && age >= span / 2 {
            self.age_reported = Some(Instant::now());
            say(format!(
                "redelivered entries are up to {shown_age} old; ids are remembered for \
                 {shown_span} (dedupe), after which they would count twice"
            ));
        }
    }

    /// Tells of rejected entries, and keeps them where that is wanted.
    async fn put_aside(
        &self,
        entries: &[StreamEntry],
        rejected: &BTreeMap<usize, (String, String)>,
        say: Say<'_>,
    ) -> Result<(), Halt> {
        for (number, (index, (kind, detail))) in rejected.iter().enumerate() {
            let entry = &entries[*index];
            let stream = self.keys.url.stream(entry.partition);
            if number < REPORTED_MAX {
                say(format!("{stream} {}: {kind}: {detail}", entry.id));
            } else if number == REPORTED_MAX {
                let more = rejected.len() - REPORTED_MAX;
                say(format!("{more} more were rejected"));
            }
            let Some(to) = &self.rejected else {
                continue;
            };
            let mut add = words(&[to, "MAXLEN", "~", REJECTED_KEPT, "*"]);
            add.extend(words(&[
                "rejected-stream",
                &stream,
                "rejected-entry",
                &entry.id,
            ]));
            add.extend(words(&["rejected-type", kind, "rejected-detail", detail]));
            add.extend(entry.fields.iter().cloned().map(Value::Bytes));
            self.send("XADD", add).await?;
        }
        Ok(())
    }

    async fn acknowledge(
        &self,
        entries: &[StreamEntry],
        left: &BTreeSet<usize>,
    ) -> Result<(), Halt> {
        let mut decided: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate() {
            if !left.contains(&index) {
                decided.entry(entry.partition).or_default().push(&entry.id);
            }
        }
        for (partition, ids) in decided {
            let stream = self.keys.url.stream(partition);
            let mut ack = words(&[&stream, &self.keys.group]);
            ack.extend(words(&ids));
            self.send("XACK", ack).await?;
        }
        Ok(())
    }

    /// Leaves the group, so that the others need not wait. Without a connection, they find out.
    pub(super) async fn leave(&mut self) {
        let Some(connection) = &self.connection else {
            return;
        };
        let (group, me) = (&self.keys.group, &self.keys.me);
        // Of those that were given back, too: they have its name.
        for partition in 0..self.keys.partitions {
            let stream = self.keys.url.stream(partition);
            let own = words(&[&stream, group, "-", "+", "1", me]);
            // A consumer that is deleted takes what is pending with it.
            match connection.send("XPENDING", own).await {
                Ok(pending) if items(&pending).is_empty() => {
                    let gone = words(&["DELCONSUMER", &stream, group, me]);
                    let _ = connection.send("XGROUP", gone).await;
                }
                Ok(_) | Err(Fault::Refused(_)) => {}
                Err(Fault::Lost(_)) => return,
            }
        }
        let _ = self.share.end(connection, &self.keys).await;
    }
}
