//! Calls that add to the sums of a kind with one sum field: nearly all calls.
//!
//! Folding commutes (packed sums as long as they only grow), so the contributions of one member are
//! added up here, and `sums.lua` does one addition for each member and window.

use std::collections::HashSet;

use board::{Member, Mode, Op, Rules, Ties};
use bytes::Bytes;
use hashbrown::HashTable;

use super::items::{id_bytes, pack_time};
use super::part::{BatchPart, same_windows};
use redis_boards::wire::Pack;
use shard_store::{Change, Item};

/// The maximum that a call may add to one member, without signs: `sums.lua` refuses sums that are
/// so close to the end of their range that they might pass it.
const ADDED_MAX: i64 = (1 << 52) - 1;

/// The sum of a member's contributions.
#[derive(Debug)]
struct Sum<'a> {
    member: &'a Member,
    hash: u64,
    delta: i64,
    magnitude: i64,
    /// Doubled: the latest time of a delta other than 0, plus 1; or the earliest of all.
    time: i64,
}

impl Sum<'_> {
    fn add(&mut self, delta: i64, at: i64) {
        self.delta += delta;
        self.magnitude = self.magnitude.saturating_add(delta.abs());
        let time = doubled(delta, at);
        let (had_moved, moves) = (self.time & 1 == 1, time & 1 == 1);
        self.time = match (had_moved, moves) {
            (true, true) => self.time.max(time),
            (true, false) => self.time,
            (false, true) => time,
            (false, false) => self.time.min(time),
        };
    }
}

const fn doubled(delta: i64, at: i64) -> i64 {
    at << 1 | (delta != 0) as i64
}

/// Returns the arguments for the members and for the ids, if the call only adds to sums: all items
/// in the same windows, no id twice, no standings to be reported.
pub(super) fn arguments(parts: &[BatchPart], ids_max: u64) -> Option<(Bytes, Option<Bytes>)> {
    let rules = parts[0].kind.rules();
    let [field] = rules.fields() else { return None };
    let windows = &parts[0].items[0].windows;
    let is_plain = |item: &Item| {
        matches!(item.change, Change::Fold(_)) && same_windows(windows, &item.windows)
    };
    let plain = rules.mode() == Mode::Accumulate
        && field.op == Op::Sum
        && parts
            .iter()
            .all(|part| !part.report && part.items.iter().all(is_plain));
    if !plain || windows.is_empty() {
        return None;
    }
    let ids = pack_ids(parts, ids_max)?;
    let sums = sums_of(parts)?;
    // A packed sum must not pass below 0, where it begins again: each contribution is added
    // separately.
    let is_packed = rules.packing().is_some();
    if is_packed && sums.iter().any(|sum| sum.delta < sum.magnitude) {
        return None;
    }
    Some((pack_sums(rules, &sums), ids))
}

fn sums_of(parts: &[BatchPart]) -> Option<Vec<Sum<'_>>> {
    let items: usize = parts.iter().map(|part| part.items.len()).sum();
    let mut sums: Vec<Sum<'_>> = Vec::with_capacity(items);
    let mut places = HashTable::<usize>::with_capacity(items);
    for item in parts.iter().flat_map(|part| &part.items) {
        let Change::Fold(values) = &item.change else {
            return None;
        };
        let delta = values.get(0).map_or(0, board::Value::get);
        let at = item.at.millis();
        let is_it = |place: &usize| *sums[*place].member == item.member;
        if let Some(place) = places.find(item.hash, is_it) {
            sums[*place].add(delta, at);
            continue;
        }
        places.insert_unique(item.hash, sums.len(), |place| sums[*place].hash);
        sums.push(Sum {
            member: &item.member,
            hash: item.hash,
            delta,
            magnitude: delta.abs(),
            time: doubled(delta, at),
        });
    }
    let fits = sums.iter().all(|sum| sum.magnitude <= ADDED_MAX);
    fits.then_some(sums)
}

fn pack_sums(rules: &Rules, sums: &[Sum<'_>]) -> Bytes {
    let mut pack = Pack::default();
    pack.array(sums.len());
    for sum in sums {
        pack.raw(sum.member.as_bytes());
    }
    pack.array(sums.len());
    for sum in sums {
        pack.int(sum.delta);
    }
    pack.array(sums.len());
    for sum in sums {
        pack.int(sum.time);
    }
    if rules.packing().is_some() {
        // The names are the entries.
        pack.array(0);
        return pack.done();
    }
    pack.array(sums.len());
    let (names, mut entry) = (rules.name_order(), Vec::new());
    for sum in sums {
        entry.clear();
        let at = (sum.time >> 1).cast_unsigned() ^ 1 << 63;
        match rules.ties() {
            Ties::Earliest => entry.extend((!at).to_be_bytes()),
            Ties::Latest => entry.extend(at.to_be_bytes()),
            Ties::Member | Ties::LowerMember => {}
        }
        entry.extend_from_slice(&names.key_bytes(sum.member.as_bytes()));
        pack.raw(&entry);
    }
    pack.done()
}

/// Returns ids and what is stored of them, with the time, the span and the limit; the inner `None`
/// if there are none, the outer if one is repeated.
#[expect(
    clippy::option_option,
    reason = "distinguished in the one place that asks"
)]
fn pack_ids(parts: &[BatchPart], ids_max: u64) -> Option<Option<Bytes>> {
    let dedupe = parts[0].kind.dedupe();
    let noted: Vec<_> = parts
        .iter()
        .flat_map(|part| part.items.iter().map(move |item| (item, part.now)))
        .filter_map(|(item, now)| Some((id_bytes(item.id?), now)))
        .collect();
    if dedupe.is_zero() || noted.is_empty() {
        return Some(None);
    }
    let distinct: HashSet<_> = noted.iter().map(|(id, _)| id).collect();
    if distinct.len() < noted.len() {
        return None;
    }
    let mut pack = Pack::default();
    pack.array(noted.len());
    for (id, _) in &noted {
        pack.raw(id);
    }
    pack.array(2 * noted.len());
    for (id, now) in &noted {
        pack.raw(id).raw(&now.millis().to_be_bytes()[2..]);
    }
    let times = noted.iter().map(|(_, now)| now.millis());
    let (least, greatest) = (times.clone().min()?, times.max()?);
    pack.int(least).int(greatest);
    pack_time(&mut pack, dedupe);
    pack.int(i64::try_from(ids_max).unwrap_or(i64::MAX));
    Some(Some(pack.done()))
}
