//! [`Inbox`]: the queue of the committer, with a growing group of records and requests to sync or end.
//!
//! Records get their numbers here. Appending is a copy under a short lock; nothing here uses the disk. No group grows
//! larger than a reader accepts: capacity for more is never granted, and if it were, another group would begin.
//!
//! A sync costs the same for one record as for many. So while there are several writers, the one whose record begins a
//! group has it wait ([`OpenGroup`]) until the tasks that are ready to run have appended theirs, and the committer is
//! woken once for all of them.

use std::collections::VecDeque;
use std::mem;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use crate::format::{GROUP_HEADER_BYTES, PAYLOAD_BYTES_MAX, RECORD_HEADER_BYTES, reserved_bytes};
use crate::sequence::Sequence;

/// Larger buffers are not reused for the next group.
const BUFFER_KEPT_BYTES_MAX: usize = 1 << 20;

/// Consecutive records, ready to be written.
#[derive(Debug)]
pub(super) struct Group {
    /// Space for the header, then each record with its length before it.
    pub(super) bytes: Vec<u8>,
    pub(super) first: Sequence,
    pub(super) records: u32,
    /// The capacity that was reserved for the records.
    pub(super) reserved_bytes: usize,
}

impl Group {
    pub(super) fn empty(mut buffer: Vec<u8>, first: Sequence) -> Self {
        buffer.clear();
        buffer.resize(GROUP_HEADER_BYTES, 0);
        Self {
            bytes: buffer,
            first,
            records: 0,
            reserved_bytes: 0,
        }
    }

    /// Returns the sequence after its last record.
    pub(super) const fn end(&self) -> Sequence {
        self.first.plus(self.records)
    }

    /// Returns whether the records fit into the group.
    fn fits<'a>(&self, records: impl Iterator<Item = &'a [u8]>) -> bool {
        let payload_bytes = self.bytes.len() - GROUP_HEADER_BYTES;
        let bytes: usize = records
            .map(|record| RECORD_HEADER_BYTES + record.len())
            .sum();
        self.records == 0 || payload_bytes + bytes <= PAYLOAD_BYTES_MAX
    }

    fn push(&mut self, record: &[u8]) {
        let length = u32::try_from(record.len()).expect("a record fits into its reservation");
        self.bytes.reserve(RECORD_HEADER_BYTES + record.len());
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(record);
        self.records += 1;
        self.reserved_bytes += reserved_bytes(record.len());
    }
}

/// Whether the committer has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    NotYet,
    /// After everything pending has been synced.
    Stop,
    /// Immediately: nothing more may be written.
    Kill,
}

/// Work of the committer.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) group: Option<Group>,
    /// A sync of everything before this was requested.
    pub(super) sync_until: Sequence,
    pub(super) end: End,
}

/// The queue of the committer.
#[derive(Debug)]
pub(super) struct Inbox {
    state: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Debug)]
struct Queue {
    /// Groups that accept no more records.
    full: VecDeque<Group>,
    group: Group,
    /// Whether the group may be taken: it waits for no further records.
    is_closed: bool,
    /// The number of records of the group that was taken last.
    last_records: u32,
    /// The buffer of the previous group, to be reused.
    spare: Vec<u8>,
    appended_bytes: u64,
    sync_until: Sequence,
    end: End,
}

/// A group that waits for further records until this is dropped.
#[derive(Debug)]
#[must_use = "a group that is closed at once has few records"]
pub(super) struct OpenGroup<'a> {
    inbox: &'a Inbox,
    first: Sequence,
}

impl Drop for OpenGroup<'_> {
    fn drop(&mut self) {
        let mut state = self.inbox.state.lock();
        // It may have been taken in the meantime.
        if state.group.first == self.first {
            state.is_closed = true;
            drop(state);
            self.inbox.wake.notify_one();
        }
    }
}

impl Inbox {
    pub(super) fn new(next: Sequence) -> Self {
        Self {
            state: Mutex::new(Queue {
                full: VecDeque::new(),
                group: Group::empty(Vec::new(), next),
                is_closed: false,
                last_records: 0,
                spare: Vec::new(),
                appended_bytes: 0,
                sync_until: next,
                end: End::NotYet,
            }),
            wake: Condvar::new(),
        }
    }

    /// Appends a record, and returns the sequence after it. Returns its group, too, if it is the first record of a
    /// group that others are likely to join.
    pub(super) fn append(&self, record: &[u8]) -> (Sequence, Option<OpenGroup<'_>>) {
        self.append_all([record])
    }

    /// Appends records to one group, like [`append`](Self::append).
    pub(super) fn append_together(&self, records: &[Vec<u8>]) -> (Sequence, Option<OpenGroup<'_>>) {
        self.append_all(records.iter().map(Vec::as_slice))
    }

    fn append_all<'a>(
        &self,
        records: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
    ) -> (Sequence, Option<OpenGroup<'_>>) {
        let records = records.into_iter();
        let mut state = self.state.lock();
        let mut is_due = false;
        if !state.group.fits(records.clone()) {
            let full = state.begin_group();
            state.full.push_back(full);
            is_due = true;
        }
        let first = (state.group.records == 0).then_some(state.group.first);
        for record in records {
            state.group.push(record);
            state.appended_bytes += record.len() as u64;
        }
        let until = state.group.end();
        let open = first.filter(|_| state.last_records > 1);
        if first.is_some() && open.is_none() {
            state.is_closed = true;
            is_due = true;
        }
        drop(state);
        if is_due {
            self.wake.notify_one();
        }
        (until, open.map(|first| OpenGroup { inbox: self, first }))
    }

    pub(super) fn next(&self) -> Sequence {
        self.state.lock().group.end()
    }

    pub(super) fn appended_bytes(&self) -> u64 {
        self.state.lock().appended_bytes
    }

    /// Requests a sync of everything before `until`.
    pub(super) fn request_sync(&self, until: Sequence) {
        let mut state = self.state.lock();
        let until = until.min(state.group.end());
        state.sync_until = state.sync_until.max(until);
        state.is_closed = true;
        drop(state);
        self.wake.notify_one();
    }

    /// Asks the committer to end. A second request has no effect.
    pub(super) fn end(&self, how: End) {
        let mut state = self.state.lock();
        if state.end == End::NotYet {
            state.end = how;
        }
        drop(state);
        self.wake.notify_one();
    }

    pub(super) fn is_killed(&self) -> bool {
        self.state.lock().end == End::Kill
    }

    /// Waits for work, or until the time `due`. If the committer `is_stuck` with a group, no other group is taken.
    pub(super) fn wait(&self, due: Option<Instant>, synced: Sequence, is_stuck: bool) -> Work {
        let mut state = self.state.lock();
        while state.end == End::NotYet
            && (is_stuck || (!state.has_due_group() && state.sync_until <= synced))
        {
            match due {
                None => self.wake.wait(&mut state),
                Some(due) => {
                    if self.wake.wait_until(&mut state, due).timed_out() {
                        break;
                    }
                }
            }
        }
        Work {
            group: if is_stuck { None } else { state.take() },
            sync_until: state.sync_until,
            end: state.end,
        }
    }

    /// Takes the next pending group.
    pub(super) fn take(&self) -> Option<Group> {
        self.state.lock().take()
    }

    /// Returns the buffer of a written group, to be reused.
    pub(super) fn reuse(&self, buffer: Vec<u8>) {
        if buffer.capacity() <= BUFFER_KEPT_BYTES_MAX {
            self.state.lock().spare = buffer;
        }
    }
}

impl Queue {
    fn has_due_group(&self) -> bool {
        !self.full.is_empty() || self.group.records > 0 && self.is_closed
    }

    fn take(&mut self) -> Option<Group> {
        let full = self.full.pop_front();
        let group = full.or_else(|| (self.group.records > 0).then(|| self.begin_group()));
        if let Some(group) = &group {
            self.last_records = group.records;
        }
        group
    }

    /// Begins a new group, and returns the previous one.
    fn begin_group(&mut self) -> Group {
        self.is_closed = false;
        let next = Group::empty(mem::take(&mut self.spare), self.group.end());
        mem::replace(&mut self.group, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_appended_together_are_in_one_group() {
        let inbox = Inbox::new(Sequence(0));
        let large = vec![0; PAYLOAD_BYTES_MAX - RECORD_HEADER_BYTES - 8];
        drop(inbox.append(&large));
        // The first of the two alone would fit into the group.
        let (until, _) = inbox.append_together(&[vec![], vec![1; 8]]);
        assert_eq!(until, Sequence(3));
        let state = inbox.state.lock();
        assert_eq!((state.full.len(), state.full[0].records), (1, 1));
        assert_eq!((state.group.records, state.group.first), (2, Sequence(1)));
    }
}
