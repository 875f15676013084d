//! [`HidingQuery`]: reads shards as if the kind's hidden members did not exist. The only module
//! that leaves members out.
//!
//! A shard does not know the hidden members. It is asked for a few more entries than needed, and
//! for the local rank of each of its hidden members, all at one moment. So its result without them
//! is exactly what it would be if they did not exist.
//!
//! ```text
//!   wanted    the anchor, 2 before it and 3 from it on
//!   asked     ··[─ h ──|─ h ──]··      spare on both sides, and the local rank of each h
//!   left        [─  ──|─  ──]          local ranks closed up
//! ```

use std::sync::Arc;

use board::{Kind, Member};
use shard_store::{Anchor, Group, RangeAsk, RangePart, ShardEntry, ShardReading};

use crate::list_length::{HiddenKeys, own};
use crate::ranks::better_groups;

/// Additional entries that are requested on each side at first: hidden members are rarely
/// neighbours. If they are, as many as there are hidden members always suffice.
pub(crate) const SPARE: usize = 4;

/// A query of one shard, and the members to leave out.
pub(crate) struct HidingQuery<'a> {
    pub(crate) kind: &'a Kind,
    /// The requested ranges.
    pub(crate) ranges: Arc<[RangeAsk]>,
    /// The hidden members that belong to the shard.
    pub(crate) hidden: Vec<&'a Member>,
    /// For a top list: additional counts, which are appended to the asks.
    pub(crate) hidden_keys: Option<&'a HiddenKeys>,
}

/// Local ranks of hidden members at one moment, best first; or the numbers of groups that only they
/// are in.
struct Gaps(Vec<u64>);

/// Returns the gaps that groups leave which have only hidden members. Each hidden member has its
/// group here.
fn hidden_groups(of_hidden: impl Iterator<Item = Group>) -> Gaps {
    let mut groups: Vec<Group> = of_hidden.collect();
    groups.sort_unstable_by_key(|group| group.better);
    let groups = groups.chunk_by(|a, b| a.better == b.better);
    let only_hidden = groups.filter(|hidden| hidden[0].members == hidden.len() as u64);
    Gaps::of(only_hidden.map(|hidden| hidden[0].better))
}

impl Gaps {
    fn of(gaps: impl Iterator<Item = u64>) -> Self {
        let mut gaps: Vec<u64> = gaps.collect();
        gaps.sort_unstable();
        Self(gaps)
    }

    /// Returns how many of them are better than this local rank.
    fn above(&self, rank: u64) -> u64 {
        self.0.partition_point(|gap| *gap < rank) as u64
    }

    /// Returns the local rank without them.
    fn closed(&self, rank: u64) -> u64 {
        rank - self.above(rank)
    }

    fn has(&self, rank: u64) -> bool {
        self.0.binary_search(&rank).is_ok()
    }
}

impl HidingQuery<'_> {
    /// Returns whether a reading is used as it is.
    fn hides_nothing(&self) -> bool {
        self.hidden.is_empty() && self.hidden_keys.is_none()
    }

    /// Returns what to ask the shard, with at most this many spare entries. As many as there are
    /// hidden members always suffice.
    pub(crate) fn query(&self, spare: usize) -> Arc<[RangeAsk]> {
        if self.hides_nothing() {
            return self.ranges.clone();
        }
        let spare = spare.min(self.hidden.len());
        let wanted = self.ranges.iter().map(|ask| widened(ask, spare));
        let beside = self.hidden_keys.into_iter().flat_map(HiddenKeys::ranges);
        let hidden = self.hidden.iter().map(|member| match self.hidden_keys {
            Some(_) => own(member),
            None => RangeAsk::rank_of(Anchor::Member((*member).clone())),
        });
        wanted.chain(beside).chain(hidden).collect()
    }

    /// Returns what the shard would have returned; `None` if the spare entries did not suffice. A
    /// reading without parts is returned unchanged.
    pub(crate) fn visible(&self, reading: ShardReading) -> Option<ShardReading> {
        if self.hides_nothing() {
            return Some(reading);
        }
        let Some(mut parts) = reading.parts else {
            return Some(reading);
        };
        let hidden = parts.split_off(parts.len() - self.hidden.len());
        let beside = parts.split_off(self.ranges.len());
        if let Some(hidden_keys) = self.hidden_keys {
            for (member, part) in self.hidden.iter().zip(&hidden) {
                hidden_keys.check(member, part);
            }
        }
        let ranked = hidden.iter().filter(|part| part.anchor.is_some());
        let gaps = Gaps::of(ranked.clone().filter_map(|part| part.anchor));
        let groups = hidden_groups(ranked.map(|part| part.group));
        let members = reading.members - gaps.0.len() as u64;
        let parts = self.ranges.iter().zip(parts);
        let parts = parts.map(|(ask, part)| self.part(ask, part, &gaps, &groups, members));
        Some(ShardReading {
            members,
            parts: Some(
                parts
                    .chain(beside.into_iter().map(Some))
                    .collect::<Option<_>>()?,
            ),
            ..reading
        })
    }

    fn part(
        &self,
        ask: &RangeAsk,
        part: RangePart,
        gaps: &Gaps,
        groups: &Gaps,
        members: u64,
    ) -> Option<RangePart> {
        let anchor = match &ask.anchor {
            Anchor::Member(member) if self.hidden.contains(&member) => {
                return Some(RangePart::default());
            }
            Anchor::Rank(rank) => members.min(*rank),
            Anchor::Bound(_) | Anchor::Member(_) => match part.anchor {
                Some(anchor) => gaps.closed(anchor),
                None => return Some(part),
            },
        };
        let from = anchor.saturating_sub(ask.before as u64);
        let to = members.min(anchor.saturating_add(ask.after as u64));
        let ranked = (part.start..).zip(&part.entries);
        let wanted =
            ranked.filter(|(rank, _)| !gaps.has(*rank) && (from..to).contains(&gaps.closed(*rank)));
        let wanted: Vec<_> = wanted.map(|(_, entry)| entry).collect();
        if (wanted.len() as u64) < to - from {
            return None;
        }
        let group_start = wanted.first().map_or(0, |first| {
            let fields = |words| self.kind.rules().field_words(words);
            let own = fields(&first.key.words);
            let mut all = part.entries.iter();
            match all.position(|entry| fields(&entry.key.words) == own) {
                // The group may begin above everything that was fetched.
                Some(0) | None => gaps.closed(part.group_start),
                Some(at) => gaps.closed(part.start + at as u64),
            }
        });
        Some(RangePart {
            anchor: Some(anchor),
            start: from,
            group_start,
            group: self.group(&part, wanted.first().copied(), groups),
            entries: wanted.into_iter().cloned().collect(),
            unlisted: None,
            standing: part.standing,
        })
    }
}

impl HidingQuery<'_> {
    /// Returns the group of the first visible entry, or of the anchor if there is none, without
    /// groups that have only hidden members. Its number of members is not needed, and remains 0.
    fn group(&self, part: &RangePart, first: Option<&ShardEntry>, hidden: &Gaps) -> Group {
        if !self.kind.is_dense() {
            return Group::default();
        }
        let rules = self.kind.rules();
        let above = match first {
            Some(first) => better_groups(rules, &rules.field_words(&first.key.words), part),
            None => part.group.better,
        };
        Group {
            better: hidden.closed(above),
            members: 0,
        }
    }
}

/// Extends an ask on each side that may contain hidden members.
fn widened(ask: &RangeAsk, spare: usize) -> RangeAsk {
    // The anchor of a rank is further down if members above it are hidden.
    let by_rank = matches!(ask.anchor, Anchor::Rank(_));
    let wants_any = ask.before + ask.after > 0;
    // The first entry from a member on is that member.
    let alone = matches!(ask.anchor, Anchor::Member(_)) && ask.after == 1;
    let before = ask.before > 0;
    let after = (ask.after > 0 && !alone) || (by_rank && wants_any);
    let more =
        |reach: usize, is_wider: bool| reach.saturating_add(if is_wider { spare } else { 0 });
    RangeAsk {
        anchor: ask.anchor.clone(),
        before: more(ask.before, before),
        after: more(ask.after, after),
    }
}
