//! Calls with single items, for everything that `single` does not support.

use std::collections::HashSet;
use std::time::Duration;

use board::IdDigest;
use bytes::Bytes;

use super::part::BatchPart;
use super::windows::CallWindows;
use crate::boards::standing::NULL;
use crate::boards::wire::Pack;
use shard_store::{Change, Item};

/// The bytes of a digest that are stored.
const ID_BYTES: usize = 12;

pub(super) fn id_bytes(id: IdDigest) -> [u8; ID_BYTES] {
    let bytes = id.0.to_le_bytes();
    std::array::from_fn(|place| bytes[place])
}

pub(super) fn pack_time(pack: &mut Pack, span: Duration) {
    pack.int(i64::try_from(span.as_millis()).unwrap_or(i64::MAX));
}

/// Returns the conditions of the items: sets of windows; where each part ends, its `now`, and
/// whether it reports.
pub(super) fn terms(parts: &[BatchPart], windows: &CallWindows) -> Bytes {
    let mut pack = Pack::default();
    pack.array(windows.sets.len());
    for set in &windows.sets {
        pack.array(set.len());
        for window in set {
            pack.int(lua_place(*window));
        }
    }
    pack.array(3 * parts.len());
    let mut last = 0;
    for part in parts {
        last += part.items.len();
        pack.int(i64::try_from(last).unwrap_or(i64::MAX));
        pack.int(part.now.millis()).bool(part.report);
    }
    pack.done()
}

/// Returns members, times, changes, sets of windows, then the values of each field: a column each.
pub(super) fn columns(parts: &[BatchPart], windows: &CallWindows) -> Bytes {
    let items = || parts.iter().flat_map(|part| &part.items);
    let count = windows.set_of.len();
    let mut pack = Pack::default();
    pack.array(count);
    for item in items() {
        pack.raw(item.member.as_bytes());
    }
    pack.array(count);
    for item in items() {
        pack.int(item.at.micros());
    }
    let changes: Vec<u8> = items().map(letter).collect();
    if changes.iter().all(|letter| *letter == b'f') {
        pack.raw(b"");
    } else {
        pack.raw(&changes);
    }
    if windows.sets.len() == 1 {
        pack.array(0);
    } else {
        pack.array(count);
        for set in &windows.set_of {
            pack.int(lua_place(*set));
        }
    }
    for field in 0..parts[0].kind.rules().fields().len() {
        pack.array(count);
        for item in items() {
            let value = item.change.values().and_then(|values| values.get(field));
            pack.int(value.map_or(NULL, board::Value::get));
        }
    }
    pack.done()
}

/// Returns the id of each item, empty if it has none; the distinct ids; the span and the limit.
/// Nothing if there are no ids to remember.
pub(super) fn ids(parts: &[BatchPart], ids_max: u64) -> Option<Bytes> {
    let dedupe = parts[0].kind.dedupe();
    let items = || parts.iter().flat_map(|part| &part.items);
    let remembered = |item: &Item| item.id.filter(|_| !item.change.is_removal()).map(id_bytes);
    let distinct: HashSet<_> = items().filter_map(remembered).collect();
    if dedupe.is_zero() || distinct.is_empty() {
        return None;
    }
    let mut pack = Pack::default();
    pack.array(items().count());
    for item in items() {
        let id = remembered(item);
        pack.raw(id.as_ref().map_or(&[], |id| id.as_slice()));
    }
    pack.array(distinct.len());
    for id in &distinct {
        pack.raw(id);
    }
    pack_time(&mut pack, dedupe);
    pack.int(i64::try_from(ids_max).unwrap_or(i64::MAX));
    Some(pack.done())
}

const fn letter(item: &Item) -> u8 {
    match item.change {
        Change::Fold(_) => b'f',
        Change::Set(_) => b's',
        Change::Remove => b'r',
        Change::RemoveFrom => b'w',
        Change::Expire => b'x',
    }
}

/// Returns an index as Lua counts it, from 1.
fn lua_place(place: usize) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX) + 1
}
