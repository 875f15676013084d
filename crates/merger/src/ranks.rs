//! Positions and ranks of merged entries.
//!
//! With rank style competition, entries with equal fields share the rank of the best of them, which
//! may be above the page: shards report where the group of their first entry begins, and that is
//! enough ([`better_fields`]). With dense ranks the board is read as a whole, and the store reports
//! how many groups are above the first entry ([`better_groups`]).

use board::{RankStyle, RankWords, Rules};
use shard_store::{RangePart, ShardEntry};

/// An entry with its rank and position in the whole board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedEntry {
    /// By the kind's rank style; 1 is best.
    pub rank: u64,
    /// 1 is best, all positions are different.
    pub position: u64,
    /// Member, fields and time.
    pub entry: ShardEntry,
}

/// The standing of a member, if it has one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum MemberStanding<R, U = ShardEntry> {
    /// It has no standing.
    #[default]
    NoStanding,
    /// It has one, but is not on the list of a kind that ranks only its best.
    Unlisted(U),
    /// It is ranked.
    Ranked(R),
}

impl<R, U> MemberStanding<R, U> {
    /// Returns the ranked entry, if the member is ranked.
    pub fn ranked(self) -> Option<R> {
        match self {
            Self::Ranked(ranked) => Some(ranked),
            Self::NoStanding | Self::Unlisted(_) => None,
        }
    }
}

/// Returns how many entries of one shard have better fields than these. The part reaches one entry
/// above those with these fields, or to the shard's best.
pub(crate) fn better_fields(rules: &Rules, fields: &RankWords, part: &RangePart) -> u64 {
    let fields_of = |entry: &ShardEntry| rules.field_words(&entry.key.words);
    let better = part
        .entries
        .partition_point(|entry| fields_of(entry) > *fields) as u64;
    match part.entries.first() {
        Some(first) if better == 0 && fields_of(first) == *fields => part.group_start,
        _ => part.start + better,
    }
}

/// Returns how many distinct fields of the board are better than these, by a part that has an entry
/// with them or begins below.
pub(crate) fn better_groups(rules: &Rules, fields: &RankWords, part: &RangePart) -> u64 {
    let all = part.entries.iter();
    let better = all.map(|entry| rules.field_words(&entry.key.words));
    let mut better: Vec<RankWords> = better.take_while(|own| own > fields).collect();
    better.dedup();
    part.group.better + better.len() as u64
}

/// Ranks a merged range whose first entry has this position (from 1). `better` is how many entries
/// of the whole board have better fields than the first; for dense ranks, how many distinct fields
/// are better.
pub(crate) fn ranked(
    rules: &Rules,
    style: RankStyle,
    entries: impl IntoIterator<Item = ShardEntry>,
    first_position: u64,
    better: u64,
) -> Vec<RankedEntry> {
    let entries = entries.into_iter();
    let mut ranked: Vec<RankedEntry> = Vec::with_capacity(entries.size_hint().0);
    for (position, entry) in (first_position..).zip(entries) {
        let rank = match (style, ranked.last()) {
            (RankStyle::Ordinal, _) => position,
            (RankStyle::Competition | RankStyle::Dense, None) => better + 1,
            (RankStyle::Competition | RankStyle::Dense, Some(above)) => {
                let fields = |entry: &ShardEntry| rules.field_words(&entry.key.words);
                if fields(&above.entry) == fields(&entry) {
                    above.rank
                } else if style == RankStyle::Dense {
                    above.rank + 1
                } else {
                    position
                }
            }
        };
        ranked.push(RankedEntry {
            rank,
            position,
            entry,
        });
    }
    ranked
}
