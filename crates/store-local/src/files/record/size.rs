//! Maximum sizes of records, by which calls reserve capacity before anything happens.
//!
//! Each maximum covers all records of one call to the engine, including the journal's header of
//! each. The tests of `record` check the encoder against them.

use std::sync::Arc;

use board::limits::{FIELDS_MAX, NAME_BYTES_MAX};
use board::{Kind, KindName, ShardCount, Windows};

use super::super::bytes::{ACTIVITY_BYTES_MAX, VARINT_BYTES_MAX, WINDOW_BYTES_MAX};
use super::applied::{DIGEST_BYTES, WINDOWS_MAX};
use super::encode;
use engine::Event;
use journal::reserved_bytes;
use shard_store::{Item, KindRecord, ProfileChange, Revision};

/// The journal's header of a record, at most.
const HEAD_BYTES: usize = reserved_bytes(0);

/// A record that contains only an incarnation.
const INCARNATION_BYTES: usize = HEAD_BYTES + 1 + 8;

/// Returns the size of the record of a kind, or of its deletion. Computed from the kind: with all
/// the members that it may hide it is a hundred times as long as without.
#[must_use]
pub fn kind_bytes_max(name: &KindName, kind: Option<&Arc<Kind>>) -> usize {
    let record = &KindRecord {
        name: name.clone(),
        revision: Revision(u64::MAX),
        kind: kind.cloned(),
    };
    let mut longest = Vec::new();
    let without_boards = true;
    encode(
        &Event::KindWritten {
            record,
            without_boards,
        },
        &mut longest,
    );
    reserved_bytes(longest.len())
}

/// The records of creating, replacing or deleting a board: the end of one incarnation and the
/// beginning of the next, with its name and its activity.
pub const BOARD_BYTES_MAX: usize = 2 * INCARNATION_BYTES
    + 8
    + 1
    + 2
    + 8
    + (1 + board::limits::KIND_BYTES_MAX)
    + (1 + NAME_BYTES_MAX)
    + ACTIVITY_BYTES_MAX;

/// The longest zigzag varint of a value: 54 bits.
const VALUE_BYTES_MAX: usize = 8;

/// Flags, a member's length, a time, values and an id.
pub(super) const ITEM_BYTES_MAX: usize =
    1 + 1 + VARINT_BYTES_MAX + FIELDS_MAX * VALUE_BYTES_MAX + DIGEST_BYTES;

/// A count and windows.
pub(super) const ITEM_WINDOWS_BYTES_MAX: usize = 1 + WINDOWS_MAX * WINDOW_BYTES_MAX;

/// Incarnation, shard, time, dedupe span and number of items, and the record of a split.
const BATCH_BYTES_MAX: usize = INCARNATION_BYTES + 2 + 8 + VARINT_BYTES_MAX + 4 + INCARNATION_BYTES;

/// Returns the maximum size of the records of a batch of these items.
#[must_use]
pub fn batch_bytes_max(items: &[Item]) -> usize {
    let mut last: Option<&Windows> = None;
    let items = items.iter().map(|item| {
        let same = last.is_some_and(|windows| Arc::ptr_eq(windows, &item.windows));
        last = Some(&item.windows);
        let windows_bytes = if same { 0 } else { ITEM_WINDOWS_BYTES_MAX };
        ITEM_BYTES_MAX + item.member.as_bytes().len() + windows_bytes
    });
    BATCH_BYTES_MAX + items.sum::<usize>()
}

/// Returns the size of the records of changing profiles.
#[must_use]
pub fn profiles_bytes_max(kind: &KindName, changes: &[ProfileChange]) -> usize {
    let changes = changes.iter().map(|change| {
        let profile = change.profile.as_ref();
        let names = 1 + kind.as_bytes().len() + 1 + change.member.as_bytes().len();
        reserved_bytes(1 + names + profile.map_or(0, |profile| 2 + profile.as_json().len()))
    });
    changes.sum()
}

/// Returns the maximum size of the records of sweeping a board and dropping `windows` windows: one
/// for each shard, and possibly those of emptying and ending the board.
#[must_use]
pub fn sweep_bytes_max(shards: ShardCount, windows: usize) -> usize {
    let shard_bytes = INCARNATION_BYTES + 2 + VARINT_BYTES_MAX + windows * WINDOW_BYTES_MAX;
    2 * INCARNATION_BYTES + usize::from(shards.get()) * shard_bytes
}
