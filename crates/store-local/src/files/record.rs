//! Records of the journal: the events of the engine, and starts and stops of the store, as serde derives them.
//!
//! [`encode`] and [`decode`] are in the format of [`postcard`]: numbers are varints, names and texts come after their
//! length, a kind is JSON (see `kind_text`). How records are stored in files, and their checksums, is up to the
//! journal. A change of a type in [`Event`] changes the format, and requires another version of the journal's: unknown
//! records are not skipped.
//!
//! The maximum sizes of records are those by which calls reserve capacity before anything happens. Each covers all
//! records of one call to the engine, including the journal's header of each; the tests check them.

use std::sync::Arc;

use board::limits::{FIELDS_MAX, KIND_BYTES_MAX, NAME_BYTES_MAX};
use board::{Kind, KindName, Period, ShardCount, Windows};
use engine::Event;
use journal::reserved_bytes;
use serde::{Deserialize, Serialize};
use shard_store::{Item, KindRecord, ProfileChange, Revision, kind_text};

use super::Malformed;

/// A record of the journal.
///
/// A store that was stopped records that, and the epoch of its versions, in its last record. The
/// next start continues in that epoch and first records that it has started: after a crash the last
/// record is a different one, and the epoch a new one.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub enum Record<'a> {
    /// A server has opened the store.
    Started,
    /// The store was closed, and nothing is missing.
    Stopped {
        /// The epoch of the versions that were shown.
        epoch: u64,
    },
    /// A change of the registry or of a board.
    Event(Event<'a>),
}

/// Appends a record.
pub fn encode(record: &Record<'_>, out: &mut Vec<u8>) {
    postcard::to_io(record, out).expect("a vector takes everything");
}

/// Returns the bytes of a record.
#[must_use]
pub fn encoded(record: &Record<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(record, &mut bytes);
    bytes
}

/// Decodes a record, which takes all of the bytes. Any bytes are decoded or rejected; none panic, and the result is not
/// much larger than the bytes.
pub fn decode(bytes: &[u8]) -> Result<Record<'static>, Malformed> {
    match postcard::take_from_bytes(bytes)? {
        (record, []) => Ok(record),
        (_, rest) => Err(Malformed(format!("has {} bytes after its end", rest.len()))),
    }
}

/// Maximum bytes of a number.
const NUMBER_BYTES_MAX: usize = 10;

/// Maximum bytes of the length before a text.
const LENGTH_BYTES_MAX: usize = 3;

/// The tags of a record, and an incarnation.
const EVENT_BYTES_MAX: usize = reserved_bytes(2 + NUMBER_BYTES_MAX);

/// Two moments and two spans, if they are set.
const ACTIVITY_BYTES_MAX: usize = 4 * (1 + NUMBER_BYTES_MAX);

/// The records of creating, replacing or deleting a board: the end of one incarnation and the
/// beginning of the next, with its name, two more numbers, its shards, whether it is created, and its activity.
pub const BOARD_BYTES_MAX: usize = 2 * EVENT_BYTES_MAX
    + (LENGTH_BYTES_MAX + KIND_BYTES_MAX)
    + (LENGTH_BYTES_MAX + NAME_BYTES_MAX)
    + 2 * NUMBER_BYTES_MAX
    + 3
    + 1
    + ACTIVITY_BYTES_MAX;

/// Returns the size of the record of a kind, or of its deletion. Computed from the kind: with all
/// the members that it may hide it is a hundred times as long as without.
#[must_use]
pub fn kind_bytes_max(name: &KindName, kind: Option<&Arc<Kind>>) -> usize {
    let text = kind_text::encode_record(&KindRecord {
        name: name.clone(),
        revision: Revision(u64::MAX),
        kind: kind.cloned(),
    });
    EVENT_BYTES_MAX + LENGTH_BYTES_MAX + text.len()
}

/// Whether an item has windows, a member's length, a time, a change with values, and an id.
const ITEM_BYTES_MAX: usize = 1
    + LENGTH_BYTES_MAX
    + NUMBER_BYTES_MAX
    + (1 + FIELDS_MAX * (1 + NUMBER_BYTES_MAX))
    + (1 + size_of::<u128>());

/// A count, and for each period a number and a start.
const WINDOWS_BYTES_MAX: usize =
    LENGTH_BYTES_MAX + Period::ALL_PERIODS.len() * (1 + NUMBER_BYTES_MAX);

/// Returns the maximum size of the records of a batch of these items, and of splitting their board.
#[must_use]
pub fn batch_bytes_max(items: &[Item]) -> usize {
    let mut last: Option<&Windows> = None;
    let items = items.iter().map(|item| {
        let same = last.is_some_and(|windows| Arc::ptr_eq(windows, &item.windows));
        last = Some(&item.windows);
        let windows_bytes = if same { 0 } else { WINDOWS_BYTES_MAX };
        ITEM_BYTES_MAX + item.member.as_bytes().len() + windows_bytes
    });
    2 * EVENT_BYTES_MAX + 4 * NUMBER_BYTES_MAX + items.sum::<usize>()
}

/// Returns the maximum size of the records of changing profiles.
#[must_use]
pub fn profiles_bytes_max(kind: &KindName, changes: &[ProfileChange]) -> usize {
    let changes = changes.iter().map(|change| {
        let profile = change.profile.as_ref();
        let profile = profile.map_or(0, |profile| profile.as_json().len());
        let texts = kind.as_bytes().len() + change.member.as_bytes().len() + profile;
        EVENT_BYTES_MAX + 3 * LENGTH_BYTES_MAX + texts
    });
    changes.sum()
}

/// Returns the maximum size of the records of sweeping a board and dropping `windows` windows: one
/// for each shard, and possibly those of emptying and ending the board.
#[must_use]
pub fn sweep_bytes_max(shards: ShardCount, windows: usize) -> usize {
    let windows_bytes = LENGTH_BYTES_MAX + windows * (1 + NUMBER_BYTES_MAX);
    let shard_bytes = EVENT_BYTES_MAX + LENGTH_BYTES_MAX + windows_bytes;
    2 * EVENT_BYTES_MAX + usize::from(shards.get()) * shard_bytes
}

#[cfg(test)]
pub(super) mod tests;
