//! Calls that fold into the one field of a kind: nearly all calls.
//!
//! Folding commutes (packed sums as long as they stay above 0), so the contributions of one member are
//! folded here, and `single.lua` folds once for each member and window. It stays beside `apply`, by which calls of 1, 10
//! and 100 contributions to one window cost Redis 7.0 1.3, 1.5 and 1.9 times the CPU (medians of nine rounds in turn).

use std::collections::HashSet;

use board::{Member, Mode, Op, Rules, Ties, Timestamp, Value, Values};
use bytes::Bytes;
use hashbrown::HashTable;

use super::items::{id_bytes, pack_time};
use super::part::BatchPart;
use super::windows::CallWindows;
use crate::boards::wire::Pack;
use shard_store::{Change, Item};

/// The maximum that a call may add to one member, without signs: `single.lua` refuses sums that are
/// so close to the end of their range that they might pass it.
const ADDED_MAX: i64 = (1 << 52) - 1;

/// What the contributions of a member come to.
#[derive(Debug)]
struct Folded<'a> {
    member: &'a Member,
    hash: u64,
    /// The sum of what is added, or the value that is chosen.
    value: i64,
    /// Of a value: when it was reached. Of a sum, doubled: the latest time of a delta other than 0,
    /// plus 1; or the earliest of all.
    time: i64,
    sums: PartialSums,
}

/// The sums of a member's contributions on the way to the last.
#[derive(Debug, Clone, Copy)]
struct PartialSums {
    /// The sum without signs.
    magnitude: i64,
    /// The least that another contribution is added to, once one was not 0; 1 if none is.
    low: i64,
    /// The greatest.
    high: i64,
}

impl<'a> Folded<'a> {
    fn first(rules: &Rules, item: &'a Item, value: Value) -> Self {
        let value = value.get();
        let (magnitude, low, high) = (value.abs(), 1, value);
        let at = item.at.micros();
        Self {
            member: &item.member,
            hash: item.hash,
            value,
            time: if is_sum(rules) {
                doubled(value, at)
            } else {
                at
            },
            sums: PartialSums {
                magnitude,
                low,
                high,
            },
        }
    }

    fn fold(&mut self, rules: &Rules, value: Value, at: Timestamp) {
        if is_sum(rules) {
            self.add(value.get(), at.micros());
        } else {
            self.choose(rules, value, at);
        }
    }

    fn add(&mut self, delta: i64, at: i64) {
        let time = doubled(delta, at);
        let (had_moved, moves) = (self.time & 1 == 1, time & 1 == 1);
        let PartialSums {
            magnitude,
            low,
            high,
        } = &mut self.sums;
        *magnitude = magnitude.saturating_add(delta.abs());
        if had_moved {
            *low = (*low).min(self.value);
        }
        self.value = self.value.saturating_add(delta);
        *high = (*high).max(self.value);
        self.time = match (had_moved, moves) {
            (true, true) => self.time.max(time),
            (true, false) => self.time,
            (false, true) => time,
            (false, false) => self.time.min(time),
        };
    }

    fn choose(&mut self, rules: &Rules, value: Value, at: Timestamp) {
        let held = [self.value, self.time].map(i64::cast_unsigned);
        let held = rules.standing_from(&held);
        // Nothing that is chosen leaves a range.
        if let Ok(chosen) = rules.fold(Some(&held), &Values::from(value), at)
            && let [value, time] = rules.standing_words(&chosen)
        {
            (self.value, self.time) = (value.cast_signed(), time.cast_signed());
        }
    }
}

const fn doubled(delta: i64, at: i64) -> i64 {
    at << 1 | (delta != 0) as i64
}

/// Returns whether the kind's one field adds up; otherwise it chooses between values.
fn is_sum(rules: &Rules) -> bool {
    rules.mode() == Mode::Accumulate && rules.fields()[0].op == Op::Sum
}

/// Returns the arguments for the members and for the ids, if the call only folds into one field:
/// all items in the same windows, no id twice, no standings to be reported.
pub(super) fn arguments(
    parts: &[BatchPart],
    windows: &CallWindows,
    ids_max: u64,
) -> Option<(Bytes, Option<Bytes>)> {
    let kind = &parts[0].kind;
    let rules = kind.rules();
    // Distinct values are counted only by `apply`.
    let is_plain = rules.fields().len() == 1
        && !kind.is_dense()
        && windows.sets.len() == 1
        && !windows.windows.is_empty()
        && parts.iter().all(|part| !part.report);
    if !is_plain {
        return None;
    }
    let ids = pack_ids(parts, ids_max)?;
    Some((pack_folded(rules, &folded(rules, parts)?), ids))
}

fn folded<'a>(rules: &Rules, parts: &'a [BatchPart]) -> Option<Vec<Folded<'a>>> {
    let items: usize = parts.iter().map(|part| part.items.len()).sum();
    let mut all: Vec<Folded<'_>> = Vec::with_capacity(items);
    let mut places = HashTable::<usize>::with_capacity(items);
    for item in parts.iter().flat_map(|part| &part.items) {
        let Change::Fold(values) = &item.change else {
            return None;
        };
        let value = match values.get(0) {
            None if is_sum(rules) => Value::ZERO,
            value => value?,
        };
        let is_it = |place: &usize| *all[*place].member == item.member;
        if let Some(place) = places.find(item.hash, is_it) {
            all[*place].fold(rules, value, item.at);
            continue;
        }
        places.insert_unique(item.hash, all.len(), |place| all[*place].hash);
        all.push(Folded::first(rules, item, value));
    }
    let fits = |folded: &Folded<'_>| folded.sums.magnitude <= ADDED_MAX;
    (!is_sum(rules) || all.iter().all(fits)).then_some(all)
}

fn pack_folded(rules: &Rules, all: &[Folded<'_>]) -> Bytes {
    let mut pack = Pack::default();
    pack.array(all.len());
    for folded in all {
        pack.raw(folded.member.as_bytes());
    }
    pack_ints(&mut pack, all, |folded| folded.value);
    pack_ints(&mut pack, all, |folded| folded.time);
    if rules.packing().is_some() {
        // The names are the entries.
        pack.array(0);
        let falls = |folded: &Folded<'_>| folded.value < folded.sums.magnitude;
        if is_sum(rules) && all.iter().any(falls) {
            pack_ints(&mut pack, all, |folded| folded.sums.low);
            pack_ints(&mut pack, all, |folded| folded.sums.high);
        }
        return pack.done();
    }
    pack.array(all.len());
    let (names, mut entry) = (rules.name_order(), Vec::new());
    for folded in all {
        entry.clear();
        let at = if is_sum(rules) {
            folded.time >> 1
        } else {
            folded.time
        };
        let at = at.cast_unsigned() ^ 1 << 63;
        match rules.ties() {
            Ties::Earliest => entry.extend((!at).to_be_bytes()),
            Ties::Latest => entry.extend(at.to_be_bytes()),
            Ties::Member => {}
        }
        entry.extend_from_slice(&names.key_bytes(folded.member.as_bytes()));
        pack.raw(&entry);
    }
    pack.done()
}

fn pack_ints(pack: &mut Pack, all: &[Folded<'_>], number: impl Fn(&Folded<'_>) -> i64) {
    pack.array(all.len());
    for folded in all {
        pack.int(number(folded));
    }
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
