//! Reads around an anchor, on any structure with an order.

use board::{Bound, Member, RankKey, RankWords, Rules, Standing};

use shard_store::{Anchor, Group, Groups, RangeAsk, RangePart, ShardEntry};

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
    /// Returns the group of entries with these fields. Reads every entry that is not worse, where
    /// distinct values are not counted.
    fn group(&self, rules: &Rules, fields: &RankWords) -> Group {
        let end = self.count_better(&Bound::prefix(*fields));
        let mut group = Group::default();
        let mut last = None;
        for entry in self.stretch(0, end) {
            let own = rules.field_words(&entry.key.words);
            if own == *fields {
                group.members += 1;
            } else if last != Some(own) {
                group.better += 1;
                last = Some(own);
            }
        }
        group
    }
}

pub(super) fn answer(
    order: &impl Order,
    rules: &Rules,
    groups: Groups,
    ask: &RangeAsk,
) -> RangePart {
    let mut standing = None;
    // The words of the bound.
    let mut bound_words = None;
    let around = |bound: &Bound| order.around(bound, ask.before, ask.after);
    let (anchor, entries) = match &ask.anchor {
        Anchor::Rank(rank) => {
            let rank = usize::try_from(*rank).unwrap_or(usize::MAX);
            let anchor = rank.min(order.len());
            let before = anchor.min(ask.before);
            let entries = order.stretch(anchor - before, before.saturating_add(ask.after));
            (anchor, entries)
        }
        Anchor::Bound(bound) => {
            bound_words = Some(bound.words);
            around(bound)
        }
        Anchor::Member(member) => match order.find(member) {
            Some((own, key)) => {
                standing = (ask.after > 0).then_some(own);
                bound_words = Some(key.words);
                around(&Bound::key(&key))
            }
            None => return RangePart::default(),
        },
    };
    let start = anchor.saturating_sub(ask.before);
    let group_start = match entries.first() {
        Some(first) if groups == Groups::Start => group_start(order, rules, first),
        _ => start,
    };
    let words = entries.first().map(|first| first.key.words).or(bound_words);
    let has_all = |words: &RankWords| words.as_slice().len() >= rules.fields().len();
    let group = match words.filter(has_all) {
        Some(words) if groups == Groups::Count => order.group(rules, &rules.field_words(&words)),
        _ => Group::default(),
    };
    RangePart {
        unlisted: None,
        standing,
        anchor: Some(anchor as u64),
        start: start as u64,
        group_start: group_start as u64,
        group,
        entries,
    }
}

fn group_start(order: &impl Order, rules: &Rules, entry: &ShardEntry) -> usize {
    let above = rules.field_words(&entry.key.words).successor();
    above.map_or(0, |words| order.count_better(&Bound::prefix(words)))
}
