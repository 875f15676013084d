//! Queries as arguments of `read.lua`.

use board::{Bound, Kind, Period, Rules};
use bytes::Bytes;

use redis_boards::keys::window_name;
use redis_boards::packed::{self, Packed};
use redis_boards::rules::spec;
use redis_boards::standing::Cut;
use redis_boards::wire::Pack;
use shard_store::{Anchor, Query, RangeAsk, ShardVersion};

/// The largest rank and length that Lua's numbers hold exactly, and beyond every member.
const RANK_MAX: i64 = 1 << 52;

/// Returns the arguments, in the order of `read.lua`.
pub(super) fn args(kind: &Kind, query: &Query, unless: Option<ShardVersion>) -> Vec<Bytes> {
    let rules = kind.rules();
    let flag = |is_set| Bytes::from_static(if is_set { b"1" } else { b"0" });
    let text = |text: String| Bytes::from(text);
    vec![
        text(window_name(query.window)),
        text(place_of(query.window.period()).to_string()),
        text(packed::base(rules, query.window).to_string()),
        text(unless.map_or_else(String::new, |known| known.counter.to_string())),
        spec(rules),
        flag(query.groups),
        ranges(rules, query),
        flag(kind.retain().is_some()),
    ]
}

/// Returns the position of a period in the watermark of dropped windows, from 1 on; 0 for windows
/// that are never dropped.
const fn place_of(period: Period) -> u8 {
    match period {
        Period::All => 0,
        Period::Hour => 1,
        Period::Day => 2,
        Period::Week => 3,
        Period::Month => 4,
    }
}

fn ranges(rules: &Rules, query: &Query) -> Bytes {
    let packed = Packed::of(rules, query.window);
    let ranges = &query.ranges;
    let cut_at = |bound: &Bound| match &packed {
        Some(packed) => packed.cut(bound),
        None => Cut::of(rules, bound),
    };
    let mut pack = Pack::default();
    pack.array(ranges.len());
    for ask in ranges.iter() {
        match &ask.anchor {
            Anchor::Rank(rank) => pack_rank(&mut pack, ask, bounded(*rank)),
            Anchor::Member(member) => {
                pack_reach(&mut pack, ask, 4);
                pack.raw(b"m").raw(member.as_bytes());
            }
            Anchor::Bound(bound) => match cut_at(bound) {
                Cut::BelowAll => pack_rank(&mut pack, ask, RANK_MAX),
                Cut::AboveAll => pack_rank(&mut pack, ask, 0),
                Cut::At {
                    score,
                    rest,
                    strict,
                } => {
                    pack_reach(&mut pack, ask, 6);
                    pack.raw(b"b").int(score).raw(&rest).bool(strict);
                }
            },
        }
    }
    pack.done()
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
