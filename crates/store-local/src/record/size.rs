//! How large records can be, for whoever makes room for them before anything happens.
//!
//! Each bound is that of all records that one call to the engine may tell, with what the journal
//! puts before each. The tests of `record` hold the encoder to them.

use std::sync::Arc;

use board::limits::{FIELDS_MAX, NAME_BYTES_MAX};
use board::{Kind, KindName, ShardCount, Windows};

use super::super::bytes::{ACTIVITY_BYTES_MAX, VARINT_BYTES_MAX, WINDOW_BYTES_MAX};
use super::applied::{DIGEST_BYTES, WINDOWS_MAX};
use super::encode;
use engine::Event;
use journal::room_of;
use shard_store::{Item, KindRecord, Revision};

/// What the journal puts before each record, at most.
const HEAD_BYTES: usize = room_of(0);

/// A record that says only which incarnation of a board it speaks of.
const INCARNATION_BYTES: usize = HEAD_BYTES + 1 + 8;

/// What a kind written tells, or its deletion: as much as it is long, which with all the members that it
/// may hide is a hundred times what it is without.
pub(crate) fn kind_bytes_max(name: &KindName, kind: Option<&Arc<Kind>>) -> usize {
    let record = &KindRecord {
        name: name.clone(),
        revision: Revision(u64::MAX),
        kind: kind.cloned(),
    };
    let mut longest = Vec::new();
    let alone = true;
    encode(&Event::KindWritten { record, alone }, &mut longest);
    room_of(longest.len())
}

/// What the making, replacing or deletion of a board records: the end of one incarnation and the beginning of the
/// next, with its name and its time.
pub(crate) const BOARD_BYTES_MAX: usize = 2 * INCARNATION_BYTES
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

/// A number and windows.
pub(super) const ITEM_WINDOWS_BYTES_MAX: usize = 1 + WINDOWS_MAX * WINDOW_BYTES_MAX;

/// Incarnation, shard, time, dedupe span and number of items; and that the board was split.
const BATCH_BYTES_MAX: usize = INCARNATION_BYTES + 2 + 8 + VARINT_BYTES_MAX + 4 + INCARNATION_BYTES;

/// What a batch of these items may tell.
pub(crate) fn batch_bytes_max(items: &[Item]) -> usize {
    let mut last: Option<&Windows> = None;
    let items = items.iter().map(|item| {
        let same = last.is_some_and(|windows| Arc::ptr_eq(windows, &item.windows));
        last = Some(&item.windows);
        let windows_bytes = if same { 0 } else { ITEM_WINDOWS_BYTES_MAX };
        ITEM_BYTES_MAX + item.member.as_bytes().len() + windows_bytes
    });
    BATCH_BYTES_MAX + items.sum::<usize>()
}

/// What the sweep of a board tells that drops so many windows: from each shard, and perhaps that the
/// board was emptied and that it ended.
pub(crate) fn sweep_bytes_max(shards: ShardCount, windows: usize) -> usize {
    let shard_bytes = INCARNATION_BYTES + 2 + VARINT_BYTES_MAX + windows * WINDOW_BYTES_MAX;
    2 * INCARNATION_BYTES + usize::from(shards.get()) * shard_bytes
}
