//! The journal on a disk that truncates, flips bits, fails, fills up and loses what was not synced.

mod concurrent_writers;
mod cuts;
mod ends;
mod faults;
mod flips;
mod format;
mod full;
mod lost_ends;
mod random_runs;
mod reservations;

use std::convert::Infallible;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use disk::fixtures::SimDisk;

use super::inbox::{Group, Inbox};
use super::log::Log;
use super::progress::block_on;
use super::{
    Durability, Journal, OutcomeUnknown, ReadError, Recovered, Rejected, Sequence, Settings, read,
    reserved_bytes, tail,
};

/// Maximum time that a test waits for anything.
const DEADLINE: Duration = Duration::from_secs(20);

/// Settings with a short retry interval, and without marks.
fn quick() -> Settings {
    Settings {
        durability: Durability::Always,
        segment_bytes: 600,
        mark_after: Duration::from_hours(1),
        retry_after: Duration::from_millis(1),
    }
}

/// Returns a record with its number, of one of several lengths.
fn record(number: u64) -> Vec<u8> {
    let text = format!("record {number} ");
    let length = usize::try_from(number * 7 % 50).unwrap();
    text.into_bytes().into_iter().cycle().take(length).collect()
}

/// Returns all records from `from` on.
fn records_from(
    disk: &SimDisk,
    from: u64,
) -> Result<(Vec<Vec<u8>>, Recovered), ReadError<Infallible>> {
    let mut records = Vec::new();
    let recovered = read(disk, Sequence(from), &mut |sequence, record| {
        assert_eq!(sequence.0, from + records.len() as u64);
        records.push(record.to_vec());
        Ok(())
    })?;
    assert_eq!(recovered.next.0, from + records.len() as u64);
    Ok((records, recovered))
}

/// Recovers a folder, and checks that its records are the first ones of `record`.
fn prefix(disk: &SimDisk) -> Result<Recovered, ReadError<Infallible>> {
    let (records, recovered) = records_from(disk, 0)?;
    for (number, read) in (0..).zip(records) {
        assert_eq!(read, record(number));
    }
    Ok(recovered)
}

/// Starts a journal on the folder.
fn open(disk: &SimDisk, settings: Settings) -> Journal {
    let recovered = records_from(disk, 0).unwrap().1;
    Journal::start(Arc::new(disk.clone()), &recovered, settings).unwrap()
}

/// Appends one record.
fn append(journal: &Journal, record: &[u8]) -> Result<Sequence, Rejected> {
    let mut capacity = journal.try_reserve(reserved_bytes(record.len()))?;
    Ok(journal.append(&mut capacity, record))
}

fn durable(journal: &Journal, until: Sequence) -> Result<(), OutcomeUnknown> {
    block_on(journal.durable(until))
}

/// Polls until a condition holds.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !is_so() {
        assert!(Instant::now() < deadline, "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the names of all files but the mark.
fn segments(disk: &SimDisk) -> Vec<String> {
    let mut names = disk.names();
    names.retain(|name| name != crate::end::NAME);
    names
}

/// A log without a thread, for tests that control the positions of groups.
struct TestLog {
    disk: SimDisk,
    log: Log,
    inbox: Inbox,
    /// The position of every group.
    groups: Vec<Position>,
}

/// The position of a group.
#[derive(Debug, Clone)]
struct Position {
    file: String,
    from: usize,
    to: usize,
    first: Sequence,
    end: Sequence,
    synced: Sequence,
}

impl TestLog {
    fn new() -> Self {
        let disk = SimDisk::default();
        let log = tail::resume_log(Arc::new(disk.clone()), &Recovered::default()).unwrap();
        Self {
            disk,
            log,
            inbox: Inbox::new(Sequence(0)),
            groups: Vec::new(),
        }
    }

    /// Writes a group of this many further records.
    fn group(&mut self, records: u64) -> &mut Self {
        let first = self.log.written;
        for number in first.0..first.0 + records {
            drop(self.inbox.append(&record(number)));
        }
        let group = self.inbox.take();
        let mut group = group.unwrap_or_else(|| Group::empty(Vec::new(), first));
        let from = usize::try_from(self.log.offset).unwrap();
        let bytes = self.log.write(&mut group).unwrap();
        self.groups.push(Position {
            file: self.file(),
            from,
            to: from + bytes,
            first,
            end: group.end(),
            synced: self.log.synced,
        });
        self
    }

    fn sync(&mut self) -> &mut Self {
        self.log.sync().unwrap();
        self
    }

    fn roll(&mut self) -> &mut Self {
        self.log.roll(200).ok().unwrap();
        self
    }

    /// Returns the name of the current segment.
    fn file(&self) -> String {
        super::segment::name_of(self.log.header.first)
    }

    /// Creates two segments of groups, synced like `Always` does, except for the last group.
    fn two_segments() -> Self {
        let mut written = Self::new();
        for records in [2, 1, 3] {
            written.group(records).sync();
        }
        written.roll();
        for records in [1, 4, 2, 3] {
            written.group(records).sync();
        }
        written.group(2);
        written
    }

    /// Returns a copy in which `file` contains these bytes, and whose end is not marked.
    fn with(&self, file: &str, bytes: &[u8]) -> SimDisk {
        let copy = SimDisk::default();
        for name in segments(&self.disk) {
            copy.put(&name, &self.used(&name));
        }
        copy.put(file, bytes);
        copy
    }

    /// Returns the bytes of a segment, with some of the zeros after them.
    fn used(&self, file: &str) -> Vec<u8> {
        let mut bytes = self.disk.bytes_of(file);
        let ends = self.groups.iter().filter(|group| group.file == file);
        bytes.truncate(ends.map(|group| group.to).max().unwrap() + 50);
        bytes
    }
}

/// Checks that the log of a folder can be continued: appends a record and reads it again.
fn check_continues(disk: &SimDisk) {
    let journal = open(disk, quick());
    let next = journal.next();
    durable(&journal, append(&journal, &record(next.0)).unwrap()).unwrap();
    journal.stop().unwrap();
    assert_eq!(prefix(disk).unwrap().next, next.plus(1));
}
