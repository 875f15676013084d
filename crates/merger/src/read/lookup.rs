//! Many members at once: two round trips, however many.

use std::sync::Arc;

use board::{BoardName, Bound, Kind, Member, RankWords, Window};
use futures::{FutureExt as _, TryFutureExt as _};
use shard_store::{Anchor, Ask, Entry, Part, Reading, ShardVersion, StoreError};

use crate::listed::Counting;
use crate::merger::{Answer, AnswerFuture, Merger};
use crate::ranks::{Found, RankedEntry, better_fields};
use crate::scope::Scope;

/// A member where its own shard has it.
struct Placed {
    /// Place in the request.
    place: usize,
    shard: u16,
    part: Part,
    entry: Entry,
}

impl Merger {
    /// What there is of each of the members, in the order asked.
    pub fn lookup<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        members: &'a [Member],
    ) -> AnswerFuture<'a, Vec<Found<RankedEntry>>> {
        let answer = self.on_board(board, kind, window, move |scope| async move {
            let mut value = vec![Found::NotRanked; members.len()];
            let placed = scope.find(members, &mut value).await?;
            let counted = scope.count_above(&placed).await?;
            let listed = counted.listed.listed();
            for (placed, above) in placed.into_iter().zip(counted.above) {
                value[placed.place] = if above.entries < listed {
                    Found::Ranked(above.rank(scope.groups(), placed.entry))
                } else {
                    Found::Unlisted(placed.entry)
                };
            }
            Ok(Answer {
                version: scope.version_of(counted.versions),
                as_of: scope.as_of,
                members: counted.members.min(listed),
                activity: scope.record.activity,
                value,
            })
        });
        let of_each = answer.map_ok(|mut answer| {
            answer.value.resize(members.len(), Found::NotRanked);
            answer
        });
        of_each.boxed()
    }
}

/// A member's entry, and the one above it: where ranks are shared, it tells where its group begins.
fn ask(anchor: Anchor) -> Ask {
    Ask {
        anchor,
        before: 1,
        after: 1,
    }
}

impl Scope<'_> {
    /// Where the members stand on their own shards. Who is off its shard's list is told in `off`.
    async fn find(
        &self,
        members: &[Member],
        off: &mut [Found<RankedEntry>],
    ) -> Result<Vec<Placed>, StoreError> {
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); usize::from(self.shards())];
        for (place, member) in members.iter().enumerate() {
            let shard = self.record.shards.shard_of(member.placement_hash());
            places[usize::from(shard)].push(place);
        }
        let asked: Vec<(u16, Vec<usize>)> = (0..self.shards())
            .zip(places)
            .filter(|(_, places)| !places.is_empty())
            .collect();
        let looks = asked.iter().map(|(shard, places)| {
            let asks = places
                .iter()
                .map(|place| ask(Anchor::Member(members[*place].clone())));
            (*shard, asks.collect())
        });
        let readings = self.round(looks.collect()).await?;
        let mut ranked = Vec::with_capacity(members.len());
        for ((shard, places), reading) in asked.into_iter().zip(readings) {
            let parts = reading.parts.unwrap_or_default();
            for (place, part) in places.into_iter().zip(parts) {
                if part.anchor.is_some()
                    && let Some(entry) = part.entries.last().cloned()
                {
                    ranked.push(Placed {
                        place,
                        shard,
                        part,
                        entry,
                    });
                } else if let Some(entry) = part.unlisted {
                    off[place] = Found::Unlisted(entry);
                }
            }
        }
        Ok(ranked)
    }

    /// All shards on what is above each member, summed up as they answer.
    async fn count_above(&self, found: &[Placed]) -> Result<Counted, StoreError> {
        let (rules, groups) = (self.kind.rules(), self.groups());
        let count = |found: &Placed| {
            let anchor = Anchor::Bound(Bound::key(&found.entry.key));
            if groups {
                ask(anchor)
            } else {
                Ask::rank_of(anchor)
            }
        };
        let fields = |found: &Placed| rules.field_words(&found.entry.key.words);
        let fields: Vec<RankWords> = found.iter().map(fields).collect();
        let mut counted = Counted {
            versions: Vec::with_capacity(usize::from(self.shards())),
            members: 0,
            listed: self.counting(),
            above: vec![Above::default(); found.len()],
        };
        let take = |shard: u16, reading: Reading| {
            counted.versions.push(reading.version);
            counted.members += reading.members;
            counted.listed.see(&reading);
            let parts = reading.parts.unwrap_or_default();
            for (index, found) in found.iter().enumerate() {
                let part = if shard == found.shard {
                    // Its own shard as it was when it had this standing.
                    Some(&found.part)
                } else {
                    parts.get(index)
                };
                let Some(part) = part else { continue };
                let above = &mut counted.above[index];
                above.entries += part.anchor.unwrap_or(0);
                if groups {
                    above.better_fields += better_fields(rules, &fields[index], part);
                }
            }
        };
        let asks = found.iter().map(count).collect();
        self.each_of_all(asks, take).await?;
        Ok(counted)
    }
}

/// What all shards have above each of those found.
struct Counted {
    versions: Vec<ShardVersion>,
    /// Of the whole board.
    members: u64,
    listed: Counting,
    above: Vec<Above>,
}

/// What is above one entry.
#[derive(Debug, Clone, Copy, Default)]
struct Above {
    entries: u64,
    /// Where ranks are shared: those of them that are not of its group.
    better_fields: u64,
}

impl Above {
    fn rank(self, groups: bool, entry: Entry) -> RankedEntry {
        let above = if groups {
            self.better_fields
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
