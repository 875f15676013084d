//! Many members at once: two round trips, however many.

use std::sync::Arc;

use board::{BoardName, Bound, Kind, Member, RankWords, Window};
use shard_store::{Anchor, Ask, Entry, Part, Reading, StoreError};

use crate::error::ReadError;
use crate::merger::{Answer, Merger};
use crate::ranks::{RankedEntry, better_fields};
use crate::scope::Scope;

/// A member where its own shard has it.
struct Found {
    /// Place in the request.
    place: usize,
    shard: u16,
    part: Part,
    entry: Entry,
}

impl Merger {
    /// The members in the order asked, `None` for who is not ranked.
    pub async fn lookup(
        &self,
        board: &BoardName,
        kind: &Arc<Kind>,
        window: Window,
        members: &[Member],
    ) -> Result<Answer<Vec<Option<RankedEntry>>>, ReadError> {
        let answer = self.on_board(board, kind, window, |scope| async move {
            let found = scope.find(members).await?;
            let readings = scope.count_above(&found).await?;
            let mut value = vec![None; members.len()];
            for (index, found) in found.into_iter().enumerate() {
                let place = found.place;
                value[place] = Some(scope.rank_found(found, &readings, index));
            }
            let members = readings.iter().map(|reading| reading.members).sum();
            Ok(Answer {
                version: scope.version(&readings),
                as_of: scope.as_of,
                members,
                value,
            })
        });
        let mut answer = answer.await?;
        answer.value.resize(members.len(), None);
        Ok(answer)
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
    /// Where the members stand on their own shards.
    async fn find(&self, members: &[Member]) -> Result<Vec<Found>, StoreError> {
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
        let mut found = Vec::with_capacity(members.len());
        for ((shard, places), reading) in asked.into_iter().zip(readings) {
            let parts = reading.parts.unwrap_or_default();
            for (place, part) in places.into_iter().zip(parts) {
                if part.anchor.is_some()
                    && let Some(entry) = part.entries.last().cloned()
                {
                    found.push(Found {
                        place,
                        shard,
                        part,
                        entry,
                    });
                }
            }
        }
        Ok(found)
    }

    /// All shards on what is above each member.
    async fn count_above(&self, found: &[Found]) -> Result<Vec<Reading>, StoreError> {
        let groups = self.groups();
        let count = |found: &Found| {
            let anchor = Anchor::Bound(Bound::key(&found.entry.key));
            if groups {
                ask(anchor)
            } else {
                Ask::rank_of(anchor)
            }
        };
        self.round_of_all(&found.iter().map(count).collect::<Vec<_>>())
            .await
    }

    fn rank_found(&self, found: Found, readings: &[Reading], index: usize) -> RankedEntry {
        let part_of = |(shard, reading): (u16, &Reading)| {
            if shard == found.shard {
                // Its own shard as it was when it had this standing.
                return found.part.clone();
            }
            reading
                .parts
                .as_ref()
                .and_then(|parts| parts.get(index))
                .cloned()
                .unwrap_or_default()
        };
        let parts: Vec<Part> = (0..).zip(readings).map(part_of).collect();
        let rules = self.kind.rules();
        let fields: RankWords = rules.field_words(&found.entry.key.words);
        let position = parts.iter().filter_map(|part| part.anchor).sum::<u64>() + 1;
        let better = |part: &Part| better_fields(rules, &fields, part);
        let rank = if self.groups() {
            parts.iter().map(better).sum::<u64>() + 1
        } else {
            position
        };
        RankedEntry {
            rank,
            position,
            entry: found.entry,
        }
    }
}
