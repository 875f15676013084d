//! Looks up many members in two round trips.

use std::ops::Range;
use std::sync::Arc;

use board::{BoardName, Bound, Kind, Member, RankWords, Window};
use futures::{FutureExt as _, TryFutureExt as _};
use shard_store::{
    Anchor, RangeAsk, RangePart, ShardEntry, ShardReading, ShardVersion, StoreError,
};

use crate::list_length::Counting;
use crate::merger::{Merger, ReadFuture};
use crate::ranks::{MemberStanding, RankedEntry};
use crate::read_context::ReadContext;

/// A member that its own shard ranks.
struct LocatedMember {
    /// Index in the request.
    index: usize,
    shard: u16,
    part: RangePart,
    entry: ShardEntry,
}

impl Merger {
    /// Returns the standing of each member, in the order of the request.
    pub fn lookup<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        members: &'a [Member],
    ) -> ReadFuture<'a, Vec<MemberStanding<RankedEntry>>> {
        let answer = self.on_board(board, kind, window, move |context| async move {
            let mut value = vec![MemberStanding::NoStanding; members.len()];
            let located = context.locate(members, &mut value).await?;
            let counted = context.count_above(&located).await?;
            let listed = counted.listed.listed();
            for (member, above) in located.into_iter().zip(counted.above) {
                value[member.index] = if above.entries < listed {
                    MemberStanding::Ranked(above.rank(context.shares_ranks(), member.entry))
                } else {
                    MemberStanding::Unlisted(member.entry)
                };
            }
            Ok(context.result(counted.versions, counted.members.min(listed), value))
        });
        let of_each = answer.map_ok(|mut answer| {
            answer
                .value
                .resize(members.len(), MemberStanding::NoStanding);
            answer
        });
        of_each.boxed()
    }
}

/// Returns an ask for a member's entry, and the one above it: where ranks are shared, that shows
/// where its group begins.
fn ask(anchor: Anchor) -> RangeAsk {
    RangeAsk {
        anchor,
        before: 1,
        after: 1,
    }
}

impl ReadContext<'_> {
    /// Locates the members on their own shards. Members off their shard's list are written to
    /// `off`.
    async fn locate(
        &self,
        members: &[Member],
        off: &mut [MemberStanding<RankedEntry>],
    ) -> Result<Vec<LocatedMember>, StoreError> {
        let mut indexes: Vec<Vec<usize>> = vec![Vec::new(); usize::from(self.shards())];
        for (index, member) in members.iter().enumerate() {
            let shard = self.placement().shard_of(member.placement_hash());
            indexes[usize::from(shard)].push(index);
        }
        let mut asked: Vec<(u16, &[usize])> = Vec::new();
        let mut reads = Vec::new();
        for (shard, indexes) in (0..).zip(&indexes) {
            let ranges = indexes
                .iter()
                .map(|index| ask(Anchor::Member(members[*index].clone())));
            for (start, slice) in self.slices(ranges.collect(), 1) {
                asked.push((shard, &indexes[start..start + slice.len()]));
                reads.push(self.query(shard, slice));
            }
        }
        let readings = self.round(&reads).await?;
        let mut ranked = Vec::with_capacity(members.len());
        for ((shard, indexes), reading) in asked.into_iter().zip(readings) {
            let parts = reading.parts.unwrap_or_default();
            for (&index, part) in indexes.iter().zip(parts) {
                if part.anchor.is_some()
                    && let Some(entry) = part.entries.last().cloned()
                {
                    ranked.push(LocatedMember {
                        index,
                        shard,
                        part,
                        entry,
                    });
                } else if let Some(entry) = part.unlisted {
                    off[index] = MemberStanding::Unlisted(entry);
                }
            }
        }
        Ok(ranked)
    }

    /// Counts on all shards what is above each member, and adds the counts up as they arrive.
    async fn count_above(&self, found: &[LocatedMember]) -> Result<Counted, StoreError> {
        let (rules, groups) = (self.kind.rules(), self.shares_ranks());
        let count = |found: &LocatedMember| {
            let anchor = Anchor::Bound(Bound::key(&found.entry.key));
            if groups {
                ask(anchor)
            } else {
                RangeAsk::rank_of(anchor)
            }
        };
        let fields = |found: &LocatedMember| rules.field_words(&found.entry.key.words);
        let fields: Vec<RankWords> = found.iter().map(fields).collect();
        let mut counted = Counted {
            versions: Vec::with_capacity(usize::from(self.shards())),
            members: 0,
            listed: self.counting(),
            above: vec![Above::default(); found.len()],
        };
        let take = |part: Range<usize>, shard: u16, reading: ShardReading| {
            if part.start == 0 {
                counted.versions.push(reading.version);
                counted.members += reading.members;
                counted.listed.see(&reading);
            }
            for (index, part) in part.zip(reading.parts.iter().flatten()) {
                // Its own shard, as it was when the member had this standing.
                let part = if shard == found[index].shard {
                    &found[index].part
                } else {
                    part
                };
                let above = &mut counted.above[index];
                above.entries += part.anchor.unwrap_or(0);
                if groups {
                    above.better_ranks += self.better_in(&fields[index], part);
                }
            }
        };
        let ranges = found.iter().map(count).collect();
        self.each_of_all(ranges, 1, take).await?;
        Ok(counted)
    }
}

/// The counts of all shards above each located member.
struct Counted {
    versions: Vec<ShardVersion>,
    /// Of the whole board.
    members: u64,
    listed: Counting,
    above: Vec<Above>,
}

/// How many entries are above one entry.
#[derive(Debug, Clone, Copy, Default)]
struct Above {
    entries: u64,
    /// Where ranks are shared: those of them that are not in its group; with dense ranks, their
    /// groups.
    better_ranks: u64,
}

impl Above {
    fn rank(self, groups: bool, entry: ShardEntry) -> RankedEntry {
        let above = if groups {
            self.better_ranks
        } else {
            self.entries
        };
        RankedEntry {
            rank: above + 1,
            position: self.entries + 1,
            entry,
        }
    }
}
