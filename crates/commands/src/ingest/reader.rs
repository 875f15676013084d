//! The loop that reads, sends and acknowledges: [`Reader`].
//!
//! After a partition was taken over, or a connection was lost, the pending entries of its group are claimed first, in
//! their order: entries that were delivered to this process or a dead one, and not acknowledged. New entries are read
//! after that. An entry is acknowledged once it is decided, so that it is delivered again after any failure.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use megaboard_client::{Backoff, RetryPolicy};
use redis_nodes::redis_link::{Reply, Value};
use tokio::time::sleep;

use super::age::AgeWarning;
use super::claim::{self, claim};
use super::connection::{
    CommandError, Connection, explained, is_no_group, is_permanent, items, number, open, text,
    words,
};
use super::entry::{Line, StreamEntry};
use super::group;
use super::rejected;
use super::send::{EntrySender, Refused};
use super::share::{Keys, Share};
use super::tally::Tally;
use crate::delivery::Stop;
use crate::terminal;

/// The maximum number of lines of a request: the server processes this many at once.
const BATCH_LINES_MAX: usize = 1_000;
/// The maximum number of entries that one command reads from all partitions.
const READ_MAX: usize = 8_000;
/// The maximum number of entries that one command reads from one partition.
const READ_OF_ONE_MAX: usize = 1_000;
/// The maximum number of bytes that one command reads, estimated from the length of earlier entries.
const READ_BYTES_MAX: usize = 64 << 20;
/// How long a read of new entries blocks. This delays changes of the partitions, and stopping.
const BLOCK: Duration = Duration::from_millis(500);
/// The interval at which partitions are searched for pending entries.
const RESCAN_EVERY: Duration = Duration::from_secs(5);

/// Writes a message for the user.
#[expect(clippy::needless_pass_by_value, reason = "messages are formatted")]
pub(super) fn report(message: String) {
    terminal::report(&message);
}

/// Reads the partitions of this process.
pub(super) struct Reader {
    keys: Arc<Keys>,
    share: Arc<Share>,
    sender: EntrySender,
    /// The stream for rejected entries.
    rejected: Option<String>,
    stop: Stop,
    connection: Option<Connection>,
    tally: Tally,
    rescanned: Instant,
    /// The last decided entry of each partition whose group exists. All entries before it are decided.
    decided: BTreeMap<u64, String>,
    age: AgeWarning,
    /// The average length of the entries that were read last.
    entry_bytes: usize,
}

/// Why a round ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Halt {
    /// An error of Redis. It is retried unless it is permanent.
    #[error("{}", explained(.0))]
    Redis(#[from] CommandError),
    /// The server refused a request.
    #[error("{0}")]
    Server(#[from] Refused),
}

impl Reader {
    pub(super) fn new(
        keys: Arc<Keys>,
        share: Arc<Share>,
        sender: EntrySender,
        rejected: Option<String>,
        stop: Stop,
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
            age: AgeWarning::default(),
            entry_bytes: 1,
        }
    }

    /// Returns the counts.
    pub(super) fn into_tally(self) -> Tally {
        self.tally
    }

    /// Reads until the process stops, or a permanent error occurs.
    pub(super) async fn run(&mut self) -> Result<(), Halt> {
        let mut backoff: Option<Backoff> = None;
        while !self.is_stopping() {
            match self.round().await {
                Ok(()) => backoff = None,
                Err(Halt::Redis(fault)) if !is_permanent(&fault) => {
                    self.connection = None;
                    self.share.claim_all();
                    if backoff.is_none() {
                        report(format!("{}; trying again", explained(&fault)));
                    }
                    let backoff =
                        backoff.get_or_insert_with(|| Backoff::new(RetryPolicy::default()));
                    let pause = backoff
                        .next(None)
                        .unwrap_or(RetryPolicy::default().longest_pause);
                    self.stop.wait(pause).await;
                }
                Err(halt) => return Err(halt),
            }
        }
        Ok(())
    }

    fn is_stopping(&self) -> bool {
        self.stop.is_requested()
    }

    /// Claims pending entries, then reads and processes new ones.
    async fn round(&mut self) -> Result<(), Halt> {
        if let Some(line) = self.tally.due() {
            report(line);
        }
        self.share.return_surplus();
        if self.connection.is_none() {
            self.connection = Some(open(&self.keys.url, self.keys.db).await?);
        }
        self.rescan().await?;
        for partition in self.share.to_claim() {
            if self.claim(partition).await? {
                self.share.set_needs_claim(&[partition], false);
            }
        }
        let to_claim = self.share.to_claim();
        let mut owned = self.share.owned();
        owned.retain(|partition| !to_claim.contains(partition));
        if owned.is_empty() {
            tokio::select! {
                () = self.share.changed() => {}
                () = sleep(BLOCK) => {}
                () = self.stop.requested() => {}
            }
            return Ok(());
        }
        let entries = self.read(&owned).await?;
        let last: BTreeMap<u64, String> = entries
            .iter()
            .map(|entry| (entry.partition, entry.id.clone()))
            .collect();
        if self.process(entries).await? {
            self.decided.extend(last);
        } else {
            let undecided: Vec<u64> = last.into_keys().collect();
            self.share.set_needs_claim(&undecided, true);
        }
        Ok(())
    }

    fn connected(&self) -> Result<&Connection, CommandError> {
        let lost = || CommandError::NotSent("not connected".to_owned());
        self.connection.as_ref().ok_or_else(lost)
    }

    async fn send(&self, command: &'static str, args: Vec<Value>) -> Result<Reply, CommandError> {
        self.connected()?.send(command, args).await
    }

    /// Searches the partitions for pending entries from time to time. No entry is in flight now, so these were
    /// delivered to a process that has lost its lease.
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
                Ok(_) => self.share.set_needs_claim(&[partition], true),
                // `claim` creates a lost group again.
                Err(fault) if is_no_group(&fault) => {
                    self.share.set_needs_claim(&[partition], true);
                }
                Err(fault) => return Err(fault.into()),
            }
        }
        Ok(())
    }

    /// Claims and processes all pending entries, in their order. Returns whether all of them are decided.
    async fn claim(&mut self, partition: u64) -> Result<bool, Halt> {
        let stream = self.keys.url.stream(partition);
        if !self.decided.contains_key(&partition) {
            group::create(self.connected()?, &stream, &self.keys.group, "0").await?;
        }
        let mut cursor = claim::END.to_owned();
        loop {
            if self.is_stopping() || !self.share.is_owned(partition) {
                return Ok(false);
            }
            let (connection, count) = (self.connected()?, self.count_per_partition(1));
            let claimed = match (
                claim(connection, &self.keys, partition, &cursor, count).await,
                self.decided.get(&partition),
            ) {
                (Err(fault), Some(decided)) if is_no_group(&fault) => {
                    let group = &self.keys.group;
                    report(group::recreate(connection, &stream, group, decided).await?);
                    return Ok(false);
                }
                (claimed, _) => claimed?,
            };
            if claimed.trimmed > 0 {
                self.tally.trimmed += claimed.trimmed as u64;
                report(format!(
                    "{stream}: {} entries were trimmed before they were acknowledged",
                    claimed.trimmed
                ));
            }
            cursor = claimed.next;
            if !self.process(claimed.entries).await? {
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

    /// Returns the number of entries to read from each of this many partitions.
    fn count_per_partition(&self, partitions: usize) -> usize {
        let all = READ_MAX.min(READ_BYTES_MAX / self.entry_bytes);
        (all / partitions).clamp(1, READ_OF_ONE_MAX)
    }

    /// Reads new entries of these partitions. Returns none if there are none for [`BLOCK`].
    async fn read(&mut self, partitions: &[u64]) -> Result<Vec<StreamEntry>, Halt> {
        let streams: HashMap<String, u64> = partitions
            .iter()
            .map(|partition| (self.keys.url.stream(*partition), *partition))
            .collect();
        let count = self.count_per_partition(partitions.len()).to_string();
        let block = BLOCK.as_millis().to_string();
        let (group, me) = (&self.keys.group, &self.keys.me);
        let mut read = words(&[
            "GROUP", group, me, "COUNT", &count, "BLOCK", &block, "STREAMS",
        ]);
        read.extend(streams.keys().map(|stream| Value::from(stream.as_str())));
        read.extend(streams.keys().map(|_| Value::from(">")));
        let Some(connection) = &self.connection else {
            return Ok(Vec::new());
        };
        let reply = match connection.send_blocking("XREADGROUP", read, BLOCK).await {
            Err(fault) if is_no_group(&fault) => {
                // The group was lost, or a stream was deleted. `claim` creates it again.
                self.share.set_needs_claim(partitions, true);
                return Ok(Vec::new());
            }
            reply => reply?,
        };
        let Reply::Map { data, .. } = &reply else {
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

    /// Sends entries, and acknowledges those that are decided. Returns whether all of them are.
    async fn process(&mut self, entries: Vec<StreamEntry>) -> Result<bool, Halt> {
        if !entries.is_empty() {
            let bytes: usize = entries.iter().map(StreamEntry::bytes).sum();
            self.entry_bytes = (bytes / entries.len()).max(1);
        }
        let mut are_all_decided = true;
        for entries in entries.chunks(BATCH_LINES_MAX) {
            if !are_all_decided && self.is_stopping() {
                return Ok(false);
            }
            are_all_decided &= self.process_batch(entries).await?;
        }
        Ok(are_all_decided)
    }

    async fn process_batch(&mut self, entries: &[StreamEntry]) -> Result<bool, Halt> {
        let converted = entries.iter().map(|entry| {
            let stream = self.keys.url.stream(entry.partition);
            entry.line(&stream)
        });
        let converted: Vec<Result<Line, String>> = converted.collect();
        let valid: Vec<(usize, &Line)> = converted
            .iter()
            .enumerate()
            .filter_map(|(index, line)| Some((index, line.as_ref().ok()?)))
            .collect();
        self.age.check(&mut self.sender, entries, &valid).await;
        let lines: Vec<&str> = valid.iter().map(|(_, line)| line.text.as_str()).collect();
        let share = self.share.clone();
        let is_owned = |line: usize| share.is_owned(entries[valid[line].0].partition);
        let sent = self.sender.send(&lines, &is_owned, &report).await;
        self.tally.applied += sent.applied;
        self.tally.duplicates += sent.duplicates;
        let invalid = converted.iter().enumerate().filter_map(|(index, line)| {
            let reason = line.as_ref().err()?.clone();
            Some((index, ("invalid".to_owned(), reason)))
        });
        let left: BTreeSet<usize> = sent.left.iter().map(|line| valid[*line].0).collect();
        let mut rejected: BTreeMap<usize, (String, String)> = invalid.collect();
        self.tally.rejected += rejected.len() as u64 + sent.rejected_count;
        let lines = sent.rejected.into_iter();
        rejected.extend(lines.map(|(line, why)| (valid[line].0, why)));
        let (to, url) = (self.rejected.as_deref(), &self.keys.url);
        rejected::put(to, self.connected()?, url, entries, &rejected).await?;
        self.acknowledge(entries, &left).await?;
        match sent.refused {
            Some(refused) => Err(refused.into()),
            None => Ok(left.is_empty()),
        }
    }

    /// Acknowledges all entries except those that are not decided.
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

    /// Leaves the group, so that other processes can take its partitions at once. Without a connection, its leases
    /// expire.
    pub(super) async fn leave(&mut self) {
        let Some(connection) = &self.connection else {
            return;
        };
        let (group, me) = (&self.keys.group, &self.keys.me);
        // The groups of all partitions that it has ever read have a consumer of its name.
        for partition in 0..self.keys.partitions {
            let stream = self.keys.url.stream(partition);
            let own = words(&[&stream, group, "-", "+", "1", me]);
            // Deleting a consumer would delete its pending entries.
            match connection.send("XPENDING", own).await {
                Ok(pending) if items(&pending).is_empty() => {
                    let delete = words(&["DELCONSUMER", &stream, group, me]);
                    let _ = connection.send("XGROUP", delete).await;
                }
                Ok(_) | Err(CommandError::Redis(_)) => {}
                Err(_) => return,
            }
        }
        let _ = self.share.end(connection, &self.keys).await;
    }
}
