//! [`read()`]: recovery. Reads the records of a folder, and finds the end of the log.
//!
//! It follows the groups from segment to segment, and stops at the first that is not intact. That is the end of the
//! log, unless something shows that the log was once durable beyond it: then the log is damaged. Nothing is written.
//! [`Recovered`] has the number of bytes to truncate, and `tail` truncates them.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};

use disk::Disk;

use crate::end::{self, DurableEnd, MarkError};
use crate::format::{
    FORMAT_VERSION, GROUP_HEADER_BYTES, GroupHeader, HeaderError, SEGMENT_HEADER_BYTES,
    SegmentHeader, intact_checksum, records,
};
use crate::search;
use crate::segment::{self, Segment};
use crate::sequence::Sequence;
use crate::window::Window;

/// Receives a record and its number. An error ends the recovery.
type Each<'a, E> = dyn FnMut(Sequence, &[u8]) -> Result<(), E> + 'a;

/// A journal could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError<E> {
    /// The disk failed. The message has the path of the file.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Bytes that were durable have changed.
    #[error("{}: damaged at byte {offset}: {what}", file.display())]
    Damaged {
        file: PathBuf,
        offset: u64,
        what: String,
    },
    /// The file is of another format.
    #[error(
        "{}: is not of format {FORMAT_VERSION}, the only one that this server supports",
        file.display()
    )]
    Foreign { file: PathBuf },
    /// No segment contains the first requested record.
    #[error("{}: the journal is missing where record {from} should be", folder.display())]
    Missing { folder: PathBuf, from: Sequence },
    /// A file with durable records does not exist.
    #[error("{}: the file is missing; all records before {until} were durable", file.display())]
    Lost { file: PathBuf, until: Sequence },
    /// The caller rejected a record of the group that begins at this offset.
    #[error("{}: at byte {offset}: {error}", file.display())]
    Record {
        file: PathBuf,
        offset: u64,
        error: E,
    },
}

/// The result of a recovery, from which the journal continues.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// The number of the next record.
    pub next: Sequence,
    /// The number of bytes after the end of the log that have to be truncated.
    pub cut_bytes: u64,
    /// Whether the file is missing that records how far the log was durable, so that its end may be missing, too.
    pub is_unmarked: bool,
    /// The first sequence of each segment, including those that were not read.
    pub(super) segments: Vec<Sequence>,
    /// The end of the last segment; `None` before the folder's first start.
    pub(super) tail: Option<Tail>,
}

impl Recovered {
    /// Returns an error message if the log ends before a record that is known to be durable.
    #[must_use]
    pub fn missing_before(&self, durable: Sequence) -> Option<String> {
        let tail = self.tail.as_ref().filter(|_| durable > self.next)?;
        let end = self.next;
        let what =
            format!("the journal ends before record {end}; those before {durable} were durable");
        Some(tail.damaged::<Infallible>(what).to_string())
    }

    /// Returns whether there is no segment.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tail.is_none()
    }
}

/// The end of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) file: PathBuf,
    pub(super) offset: u64,
    /// The checksum of the last group.
    pub(super) chain: u32,
    pub(super) salt: u32,
    /// How far the groups record that the log was synced.
    pub(super) synced: Sequence,
    /// The corresponding offset in the last segment. Bytes after it may only be in the operating system's cache.
    pub(super) synced_offset: u64,
}

/// The result of reading a group.
enum NextGroup<'a> {
    Group(Group<'a>),
    /// Zeros, or the end of the file.
    End,
    Broken(&'static str),
}

/// A group that follows the previous one.
struct Group<'a> {
    header: GroupHeader,
    checksum: u32,
    payload: &'a [u8],
}

/// Reads the records of a folder, from record `from` on, and passes each to `each` in order.
pub fn read<E>(
    disk: &dyn Disk,
    from: Sequence,
    each: &mut Each<'_, E>,
) -> Result<Recovered, ReadError<E>> {
    let segments = segment::list(disk)?;
    // Before the mark is read, which is of that format, too.
    if let Some(&last) = segments.last()
        && let Err(foreign @ ReadError::Foreign { .. }) = SegmentReader::open(disk, last, None)
    {
        return Err(foreign);
    }
    let durable = durable_end(disk)?;
    // An earlier segment may have been removed.
    if let Some(end) = durable
        && segments.last().is_none_or(|&last| last < end.segment)
    {
        return Err(ReadError::Lost {
            file: disk.path().join(segment::name_of(end.segment)),
            until: end.next,
        });
    }
    if segments.is_empty() && from == Sequence(0) {
        return Ok(Recovered::default());
    }
    let missing = || ReadError::Missing {
        folder: disk.path().to_owned(),
        from,
    };
    // A crash while older segments are removed may leave any of them.
    let begin = segments
        .partition_point(|&first| first <= from)
        .checked_sub(1)
        .ok_or_else(missing)?;
    let mut log = SegmentReader::open(disk, segments[begin], durable)?;
    let mut broken = log.read_groups(from, each)?;
    for &first in &segments[begin + 1..] {
        let next = SegmentReader::open(disk, first, durable)?;
        if (next.next, next.tail.chain) != (log.next, log.tail.chain) {
            let what = broken.unwrap_or("the next segment does not continue from here");
            return Err(log.tail.damaged(what.to_owned()));
        }
        log = next;
        broken = log.read_groups(from, each)?;
    }
    log.check_end(broken)?;
    let end = log.next;
    let remains = search::past_the_end(&mut log.window, log.tail.offset, log.tail.salt, end)?;
    if let Some(evidence) = remains.evidence {
        let what = broken.unwrap_or("zeros replace a group");
        let what = format!("{what}, and the group at byte {evidence} shows that it was durable");
        return Err(log.tail.damaged(what));
    }
    if from > end {
        let what = format!("the journal ends with record {end}, and {from} were durable");
        return Err(log.tail.damaged(what));
    }
    Ok(Recovered {
        next: end,
        cut_bytes: remains.bytes,
        is_unmarked: durable.is_none(),
        segments,
        tail: Some(log.tail),
    })
}

/// Reads how far the log is known to be durable.
fn durable_end<E>(disk: &dyn Disk) -> Result<Option<DurableEnd>, ReadError<E>> {
    end::read(disk).map_err(|error| match error {
        MarkError::Io(error) => ReadError::Io(error),
        MarkError::Damaged(file) => damaged(
            &file,
            0,
            "it does not match its checksums; the journal can be read without it".to_owned(),
        ),
    })
}

impl Tail {
    fn damaged<E>(&self, what: String) -> ReadError<E> {
        damaged(&self.file, self.offset, what)
    }
}

fn damaged<E>(file: &Path, offset: u64, what: String) -> ReadError<E> {
    ReadError::Damaged {
        file: file.to_owned(),
        offset,
        what,
    }
}

/// Reads the groups of one segment.
struct SegmentReader {
    window: Window,
    next: Sequence,
    tail: Tail,
    /// Ends of groups that no later group has recorded as synced, and their offsets.
    unproven: VecDeque<(Sequence, u64)>,
    /// How far this segment is durable, until that has been read.
    durable: Option<DurableEnd>,
    /// The length that the segment had, at least.
    bytes_min: u64,
}

impl SegmentReader {
    /// Opens a segment and reads its header.
    fn open<E>(
        disk: &dyn Disk,
        first: Sequence,
        durable: Option<DurableEnd>,
    ) -> Result<Self, ReadError<E>> {
        let mut window = Window::new(Segment::open(disk, first)?)?;
        let file = window.segment().path().to_owned();
        let header = window
            .get(0, SEGMENT_HEADER_BYTES)?
            .first_chunk()
            .ok_or(HeaderError::Damaged("its header is cut off"))
            .and_then(SegmentHeader::decode);
        let header = match header {
            Ok(header) if header.first == first => header,
            Ok(_) => {
                return Err(damaged(
                    &file,
                    0,
                    "its name does not match its header".to_owned(),
                ));
            }
            Err(HeaderError::Foreign) => return Err(ReadError::Foreign { file }),
            Err(HeaderError::Damaged(what)) => return Err(damaged(&file, 0, what.to_owned())),
        };
        let tail = Tail {
            file,
            offset: SEGMENT_HEADER_BYTES as u64,
            chain: header.chain,
            salt: header.salt,
            // A segment is created only after everything before it has been synced.
            synced: first,
            synced_offset: SEGMENT_HEADER_BYTES as u64,
        };
        let durable = durable.filter(|durable| durable.segment == first);
        let mut reader = Self {
            window,
            next: first,
            tail,
            unproven: VecDeque::new(),
            durable,
            bytes_min: durable.map_or(0, |durable| durable.segment_bytes),
        };
        reader.pass_durable_end()?;
        Ok(reader)
    }

    /// Reads all groups of the segment. Returns why the last one is broken, if it is.
    fn read_groups<E>(
        &mut self,
        from: Sequence,
        each: &mut Each<'_, E>,
    ) -> Result<Option<&'static str>, ReadError<E>> {
        loop {
            let Group {
                header,
                checksum,
                payload,
            } = match next_group(&mut self.window, &self.tail, self.next)? {
                NextGroup::Group(group) => group,
                NextGroup::End => return Ok(None),
                NextGroup::Broken(what) => return Ok(Some(what)),
            };
            let Tail { file, offset, .. } = &self.tail;
            let wrong = || {
                damaged(
                    file,
                    *offset,
                    "the lengths of its records do not add up".to_owned(),
                )
            };
            let mut sequence = header.first;
            for record in records(payload) {
                let record = record.ok_or_else(wrong)?;
                if sequence >= from {
                    each(sequence, record).map_err(|error| ReadError::Record {
                        file: file.clone(),
                        offset: *offset,
                        error,
                    })?;
                }
                sequence = sequence.plus(1);
            }
            if sequence != header.end() {
                return Err(wrong());
            }
            self.advance_past(header, checksum);
            self.pass_durable_end()?;
        }
    }

    /// Notes that everything durable has been read. Fails if this is another log than the one that was durable.
    fn pass_durable_end<E>(&mut self) -> Result<(), ReadError<E>> {
        let Some(durable) = self.durable.filter(|end| end.offset <= self.tail.offset) else {
            return Ok(());
        };
        let end = (self.tail.offset, self.next, self.tail.chain);
        if end != (durable.offset, durable.next, durable.chain) {
            let what = format!(
                "another group than the durable one ends here ({})",
                end::NAME
            );
            return Err(self.tail.damaged(what));
        }
        (self.tail.synced, self.tail.synced_offset) = (self.next, self.tail.offset);
        self.unproven.clear();
        self.durable = None;
        Ok(())
    }

    /// Fails if the log ends here and was durable further on, or if the segment was longer.
    fn check_end<E>(&self, broken: Option<&str>) -> Result<(), ReadError<E>> {
        if let Some(durable) = self.durable {
            let what = format!(
                "{}, and {} shows that {} more bytes with {} records were durable",
                broken.unwrap_or("the journal ends"),
                end::NAME,
                durable.offset - self.tail.offset,
                durable.next.0.saturating_sub(self.next.0),
            );
            return Err(self.tail.damaged(what));
        }
        let bytes = self.window.size();
        if bytes < self.bytes_min {
            let what = format!(
                "the file ends, and {} shows that it had {} more bytes",
                end::NAME,
                self.bytes_min - bytes
            );
            return Err(damaged(&self.tail.file, bytes, what));
        }
        Ok(())
    }

    fn advance_past(&mut self, header: GroupHeader, checksum: u32) {
        self.unproven.push_back((self.next, self.tail.offset));
        while let Some(&(end, offset)) = self.unproven.front()
            && end <= header.synced
        {
            (self.tail.synced, self.tail.synced_offset) = (end, offset);
            self.unproven.pop_front();
        }
        self.tail.chain = checksum;
        self.tail.offset += header.group_bytes() as u64;
        self.next = header.end();
    }
}

/// Reads the group after `end`.
fn next_group<'a>(window: &'a mut Window, end: &Tail, next: Sequence) -> io::Result<NextGroup<'a>> {
    let head = window.get(end.offset, GROUP_HEADER_BYTES)?;
    if head.iter().all(|&byte| byte == 0) {
        return Ok(NextGroup::End);
    }
    let Some(head) = head.first_chunk() else {
        return Ok(NextGroup::Broken("a group is cut off"));
    };
    let Some(header) = GroupHeader::decode(head) else {
        return Ok(NextGroup::Broken("this is not a group"));
    };
    let Some(group) = window.whole(end.offset, header.group_bytes())? else {
        return Ok(NextGroup::Broken("a group is cut off"));
    };
    let Some(checksum) = intact_checksum(group, end.salt) else {
        return Ok(NextGroup::Broken("a group does not match its checksum"));
    };
    if (header.first, header.chain) != (next, end.chain) {
        return Ok(NextGroup::Broken(
            "a group does not follow the previous one",
        ));
    }
    Ok(NextGroup::Group(Group {
        header,
        checksum,
        payload: &group[GROUP_HEADER_BYTES..],
    }))
}
