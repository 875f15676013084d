//! Reads around an anchor, on any structure with an order.

use board::{Bound, Member, RankKey, Rules, Standing};

use shard_store::{Anchor, RangeAsk, RangePart, ShardEntry};

/// An ordered structure. Ranks count from 0, the best.
pub(super) trait Order {
    fn len(&self) -> usize;
    /// Returns how many entries are better than the bound.
    fn count_better(&self, bound: &Bound) -> usize;
    /// Returns the standing and the key of a ranked member.
    fn find(&self, member: &Member) -> Option<(Standing, RankKey)>;
    /// Returns up to `len` entries from the rank `from` on.
    fn stretch(&self, from: usize, len: usize) -> Vec<ShardEntry>;
    /// Returns how many entries are better than the bound, up to `before` of them, and up to
    /// `after` of the others.
    fn around(&self, bound: &Bound, before: usize, after: usize) -> (usize, Vec<ShardEntry>) {
        let anchor = self.count_better(bound);
        let start = anchor.saturating_sub(before);
        (
            anchor,
            self.stretch(start, (anchor - start).saturating_add(after)),
        )
    }
}

pub(super) fn answer(order: &impl Order, rules: &Rules, groups: bool, ask: &RangeAsk) -> RangePart {
    let mut standing = None;
    let around = |bound: &Bound| order.around(bound, ask.before, ask.after);
    let (anchor, entries) = match &ask.anchor {
        Anchor::Rank(rank) => {
            let rank = usize::try_from(*rank).unwrap_or(usize::MAX);
            let anchor = rank.min(order.len());
            let before = anchor.min(ask.before);
            let entries = order.stretch(anchor - before, before.saturating_add(ask.after));
            (anchor, entries)
        }
        Anchor::Bound(bound) => around(bound),
        Anchor::Member(member) => match order.find(member) {
            Some((own, key)) => {
                standing = (ask.after > 0).then_some(own);
                around(&Bound::key(&key))
            }
            None => return RangePart::default(),
        },
    };
    let start = anchor.saturating_sub(ask.before);
    let group_start = match entries.first() {
        Some(first) if groups => group_start(order, rules, first),
        _ => start,
    };
    RangePart {
        unlisted: None,
        standing,
        anchor: Some(anchor as u64),
        start: start as u64,
        group_start: group_start as u64,
        entries,
    }
}

fn group_start(order: &impl Order, rules: &Rules, entry: &ShardEntry) -> usize {
    let above = rules.field_words(&entry.key.words).successor();
    above.map_or(0, |words| order.count_better(&Bound::prefix(words)))
}
