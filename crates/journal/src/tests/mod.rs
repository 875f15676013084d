//! The journal against a disk that cuts, flips, fails, fills and forgets.

mod crowd;
mod cuts;
mod ends;
mod faults;
mod flips;
mod format;
mod full;
mod platter;
mod ram;
mod reservations;
mod weave;

use std::convert::Infallible;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use self::ram::RamDisk;
use super::inbox::{Group, Inbox};
use super::log::Log;
use super::progress::block_on;
use super::{
    Durability, Journal, Lost, NotTaken, ReadError, Recovered, Sequence, Settings, read, room_of,
    tail,
};

/// Nothing that is waited for takes as long.
const DEADLINE: Duration = Duration::from_secs(20);

/// A retry that tests can wait for, and no mark that they do not.
fn quick() -> Settings {
    Settings {
        durability: Durability::Always,
        segment_bytes: 600,
        mark_after: Duration::from_hours(1),
        retry_after: Duration::from_millis(1),
    }
}

/// A record that tells its number, of any of several lengths.
fn record(number: u64) -> Vec<u8> {
    let text = format!("record {number} ");
    let length = usize::try_from(number * 7 % 50).unwrap();
    text.into_bytes().into_iter().cycle().take(length).collect()
}

/// All records from `from` on.
fn records_from(
    disk: &RamDisk,
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

/// All records that a folder holds, which must be the first of those that `record` makes.
fn prefix(disk: &RamDisk) -> Result<Recovered, ReadError<Infallible>> {
    let (records, recovered) = records_from(disk, 0)?;
    for (number, read) in (0..).zip(records) {
        assert_eq!(read, record(number));
    }
    Ok(recovered)
}

/// A journal at work on what the folder holds.
fn open(disk: &RamDisk, settings: Settings) -> Journal {
    let recovered = records_from(disk, 0).unwrap().1;
    Journal::start(Arc::new(disk.clone()), &recovered, settings).unwrap()
}

/// Appends one record.
fn append(journal: &Journal, record: &[u8]) -> Result<Sequence, NotTaken> {
    let mut room = journal.try_reserve(room_of(record.len()))?;
    Ok(journal.append(&mut room, record))
}

fn durable(journal: &Journal, until: Sequence) -> Result<(), Lost> {
    block_on(journal.durable(until))
}

/// Looks until it is so.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !is_so() {
        assert!(Instant::now() < deadline, "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// A log without a thread: groups lie where a test wants them.
struct Written {
    disk: RamDisk,
    log: Log,
    inbox: Inbox,
    /// The place of every group.
    groups: Vec<Place>,
}

/// Where a group lies.
#[derive(Debug, Clone)]
struct Place {
    file: String,
    from: usize,
    to: usize,
    first: Sequence,
    end: Sequence,
    synced: Sequence,
}

impl Written {
    fn new() -> Self {
        let disk = RamDisk::default();
        let log = tail::go_on(Arc::new(disk.clone()), &Recovered::default()).unwrap();
        Self {
            disk,
            log,
            inbox: Inbox::new(Sequence(0)),
            groups: Vec::new(),
        }
    }

    /// Writes a group of so many further records; none is a mark.
    fn group(&mut self, records: u64) -> &mut Self {
        let first = self.log.written;
        for number in first.0..first.0 + records {
            self.inbox.append(&record(number));
        }
        let group = self.inbox.take();
        let mut group = group.unwrap_or_else(|| Group::empty(Vec::new(), first));
        let from = usize::try_from(self.log.offset).unwrap();
        let bytes = self.log.write(&mut group).unwrap();
        self.groups.push(Place {
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

    /// The name of the current segment.
    fn file(&self) -> String {
        super::segment::name_of(self.log.header.first)
    }

    /// Two segments of groups, synced as `Always` does; the last group is not yet.
    fn two_segments() -> Self {
        let mut written = Self::new();
        for records in [2, 1, 0, 3] {
            written.group(records).sync();
        }
        written.roll();
        for records in [1, 4, 2, 0, 3] {
            written.group(records).sync();
        }
        written.group(2);
        written
    }

    /// A copy whose segments hold these bytes.
    fn with(&self, file: &str, bytes: &[u8]) -> RamDisk {
        let copy = RamDisk::default();
        for name in self.disk.names() {
            copy.put(&name, &self.used(&name));
        }
        copy.put(file, bytes);
        copy
    }

    /// What a segment holds, with some of the zeros behind.
    fn used(&self, file: &str) -> Vec<u8> {
        let mut bytes = self.disk.content(file);
        let ends = self.groups.iter().filter(|group| group.file == file);
        bytes.truncate(ends.map(|group| group.to).max().unwrap() + 50);
        bytes
    }
}

/// What goes on in a folder is whole: a further record is appended, and read again.
fn goes_on(disk: &RamDisk) {
    let journal = open(disk, quick());
    let next = journal.next();
    durable(&journal, append(&journal, &record(next.0)).unwrap()).unwrap();
    journal.stop().unwrap();
    assert_eq!(prefix(disk).unwrap().next, next.plus(1));
}
