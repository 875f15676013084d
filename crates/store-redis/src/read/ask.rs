//! Queries as arguments of `read.lua`.

use std::sync::Arc;

use board::{Bound, Kind, Rules};
use bytes::Bytes;

use crate::boards::keys::{watermark_place, window_name};
use crate::boards::packed::{self, Packed};
use crate::boards::registry::activity_text;
use crate::boards::rules::spec;
use crate::boards::standing::Cut;
use crate::boards::wire::Pack;
use shard_store::{Anchor, BoardRecord, Groups, Query, RangeAsk, ShardVersion};

use super::joined::Asked;

/// The largest rank and length that Lua's numbers hold exactly, and beyond every member.
const RANK_MAX: i64 = 1 << 52;

/// Returns the arguments for queries of one window, in the order of `read.lua`.
pub(super) fn args(kind: &Kind, board: &BoardRecord, asked: &[Asked<'_>]) -> Vec<Bytes> {
    let (rules, first) = (kind.rules(), asked[0].query);
    let flag = |is_set| Bytes::from_static(if is_set { b"1" } else { b"0" });
    let text = |text: String| Bytes::from(text);
    vec![
        text(activity_text(&board.activity)),
        text(window_name(first.window)),
        text(watermark_place(first.window.period()).to_string()),
        text(packed::base(rules, first.window).to_string()),
        spec(rules),
        Bytes::from_static(match first.groups {
            Groups::None => b"0",
            Groups::Start => b"1",
            Groups::Count => b"2",
        }),
        flag(kind.retain().is_some()),
        lists(rules, asked),
    ]
}

/// Returns the lists of ranges, each once, and for each shard the known counter and its list.
fn lists(rules: &Rules, asked: &[Asked<'_>]) -> Bytes {
    let mut lists: Vec<&Query> = Vec::new();
    let mut places = Vec::with_capacity(asked.len());
    for asked in asked {
        // The last one is the most likely.
        let is_last = |last: &&Query| Arc::ptr_eq(&last.ranges, &asked.query.ranges);
        if !lists.last().is_some_and(is_last) {
            lists.push(asked.query);
        }
        places.push(lists.len());
    }
    let mut pack = Pack::default();
    pack.array(lists.len());
    for query in lists {
        pack_ranges(&mut pack, rules, query);
    }
    pack.array(2 * asked.len());
    for (asked, place) in asked.iter().zip(places) {
        let counter = |known: ShardVersion| known.counter.to_string();
        pack.raw(asked.unless.map_or_else(String::new, counter).as_bytes());
        pack.int(bounded(place as u64));
    }
    pack.done()
}

fn pack_ranges(pack: &mut Pack, rules: &Rules, query: &Query) {
    let packed = Packed::of(rules, query.window);
    let ranges = &query.ranges;
    let cut_at = |bound: &Bound| match &packed {
        Some(packed) => packed.cut(bound),
        None => Cut::of(rules, bound),
    };
    pack.array(ranges.len());
    for ask in ranges.iter() {
        match &ask.anchor {
            Anchor::Rank(rank) => pack_rank(pack, ask, bounded(*rank)),
            Anchor::Member(member) => {
                pack_reach(pack, ask, 4);
                pack.raw(b"m").raw(member.as_bytes());
            }
            Anchor::Bound(bound) => match cut_at(bound) {
                Cut::BelowAll => pack_rank(pack, ask, RANK_MAX),
                Cut::AboveAll => pack_rank(pack, ask, 0),
                Cut::At {
                    score,
                    rest,
                    strict,
                } => {
                    let value = value_of(rules, query.groups, bound);
                    pack_reach(pack, ask, if value.is_some() { 9 } else { 6 });
                    pack.raw(b"b").int(score).raw(&rest).bool(strict);
                    if let Some((score, words, is_whole)) = value {
                        pack.int(score).raw(&words).bool(is_whole);
                    }
                }
            },
        }
    }
}

/// Returns the value whose group is asked for with a bound: its score, its other words, and whether
/// entries may have it. If they may not, it is between those that are at least as good and the others.
fn value_of(rules: &Rules, groups: Groups, bound: &Bound) -> Option<(i64, Vec<u8>, bool)> {
    let fields = rules.fields().len();
    if groups != Groups::Count || bound.words.as_slice().len() < fields {
        return None;
    }
    let own = Bound::prefix(bound.words.prefix(fields));
    match Cut::of(rules, &own) {
        Cut::At { score, rest, .. } => {
            let first = own.words.as_slice()[0];
            let is_whole = first == 0 || first ^ (1 << 63) == score.cast_unsigned();
            Some((score, rest, is_whole))
        }
        // Above all values there is nothing.
        Cut::AboveAll | Cut::BelowAll => None,
    }
}

fn pack_rank(pack: &mut Pack, ask: &RangeAsk, rank: i64) {
    pack_reach(pack, ask, 4);
    pack.raw(b"r").int(rank);
}

fn pack_reach(pack: &mut Pack, ask: &RangeAsk, len: usize) {
    pack.array(len);
    for reach in [ask.before, ask.after] {
        pack.int(bounded(u64::try_from(reach).unwrap_or(u64::MAX)));
    }
}

fn bounded(count: u64) -> i64 {
    i64::try_from(count).map_or(RANK_MAX, |count| count.min(RANK_MAX))
}
