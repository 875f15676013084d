//! Keys that no board has: [`Verifier::orphans`].
//!
//! Nothing of the service looks at them, so that nothing finds them either. They stay behind when the registry goes
//! back in time and the shards do not: a failover to a replica that did not have a board yet, or of its end. They
//! are reported and left: what a lost board held may be all that there is of it.
//!
//! A board is created before the first key of a shard, and its keys are gone before the registry forgets that it ended.
//! So a key is an orphan if the registry knows nothing of it, and it is there after that was asked.

use std::collections::{HashMap, HashSet};

use board::{BoardName, Incarnation};

use super::Verifier;
use redis_nodes::ScannedKeys;
use shard_store::{Orphan, StoreError};

/// Incarnations that are remembered to be on or not, so that each is looked up once; beyond that again.
const REMEMBERED_MAX: usize = 100_000;

/// Keys that are remembered to have been counted: a scan may come by one again.
const COUNTED_MAX: usize = 100_000;

/// Boards of which orphans are reported.
const ORPHANS_MAX: usize = 10_000;

/// A key of a shard, as far as it says whose it is.
#[derive(Debug, PartialEq, Eq)]
struct ShardKey {
    board: BoardName,
    incarnation: Incarnation,
    is_meta: bool,
}

/// What was found of all nodes.
#[derive(Debug, Default)]
struct Search {
    is_on: HashMap<Incarnation, bool>,
    counted: HashSet<String>,
    orphans: HashMap<Incarnation, Orphan>,
}

impl Verifier {
    /// Keys of boards that the registry does not know, by board.
    pub(crate) async fn orphans(&self) -> Result<Vec<Orphan>, StoreError> {
        let mut search = Search::default();
        let mut scan = self.servers.scan().map_err(StoreError::Unavailable)?;
        while let Some(scanned) = scan.next_keys().await.map_err(StoreError::Unavailable)? {
            for key in &scanned.keys {
                let Ok(text) = std::str::from_utf8(key) else {
                    continue;
                };
                if let Some(key) = ShardKey::parse(text) {
                    self.look_at(&scanned, text, key, &mut search).await?;
                }
            }
        }
        let mut orphans: Vec<Orphan> = search.orphans.into_values().collect();
        orphans.sort_unstable_by(|a, b| (&a.board, a.incarnation).cmp(&(&b.board, b.incarnation)));
        Ok(orphans)
    }

    async fn look_at(
        &self,
        scanned: &ScannedKeys,
        text: &str,
        key: ShardKey,
        search: &mut Search,
    ) -> Result<(), StoreError> {
        if search.counted.contains(text) || self.is_on(&key, search).await? {
            return Ok(());
        }
        // Deleted in time, or a tombstone, which goes by itself.
        let is_there = scanned.has(text).await.map_err(StoreError::Unavailable)?;
        let is_tombstone = key.is_meta && {
            let has_field = scanned.has_field(text, "x").await;
            has_field.map_err(StoreError::Unavailable)?
        };
        if !is_there || is_tombstone {
            return Ok(());
        }
        if search.counted.len() < COUNTED_MAX {
            search.counted.insert(text.to_owned());
        }
        if search.orphans.len() < ORPHANS_MAX || search.orphans.contains_key(&key.incarnation) {
            let ShardKey {
                board, incarnation, ..
            } = key;
            let orphan = search.orphans.entry(incarnation);
            let orphan = orphan.or_insert_with(|| Orphan {
                board,
                incarnation,
                keys: 0,
                example: text.to_owned(),
            });
            orphan.keys += 1;
        }
        Ok(())
    }

    /// Whether the registry knows of it: it is on, or its tombstones are yet to be put.
    async fn is_on(&self, key: &ShardKey, search: &mut Search) -> Result<bool, StoreError> {
        if let Some(is_on) = search.is_on.get(&key.incarnation) {
            return Ok(*is_on);
        }
        let found = self.registry.board(&key.board).await?;
        let is_this = found.is_some_and(|record| record.spread.incarnation() == key.incarnation);
        let is_on = is_this || self.registry.is_dying(key.incarnation).await?;
        if search.is_on.len() >= REMEMBERED_MAX {
            search.is_on.clear();
        }
        search.is_on.insert(key.incarnation, is_on);
        Ok(is_on)
    }
}

impl ShardKey {
    /// Reads `megaboard:{TAG}:KIND/SUBJECT:INCARNATION:SHARD:END`. Shared tops, which end by themselves, are
    /// none, nor is what belongs to no shard. A subject may look like the rest of a key: what fits last is it.
    fn parse(key: &str) -> Option<Self> {
        let (_, name) = key.strip_prefix("megaboard:{")?.split_once("}:")?;
        let mut ends = name.rmatch_indices(':').filter_map(|(at, _)| {
            let (board, rest) = (&name[..at], &name[at + 1..]);
            let mut words = rest.splitn(3, ':');
            let (incarnation, shard, end) = (words.next()?, words.next()?, words.next()?);
            let is_hex = incarnation.len() == 16 && !incarnation.contains('+');
            shard.parse::<u16>().ok().filter(|_| is_hex)?;
            let is_end = end == "meta"
                || end == "ids:0"
                || end == "ids:1"
                || end.ends_with(":scores")
                || end.ends_with(":rank");
            is_end.then_some(())?;
            Some(Self {
                board: board.parse().ok()?,
                incarnation: Incarnation(u64::from_str_radix(incarnation, 16).ok()?),
                is_meta: end == "meta",
            })
        });
        ends.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_whose_they_are() {
        let parsed = |key: &str| {
            let key = ShardKey::parse(key)?;
            Some((key.board.to_string(), key.incarnation.0, key.is_meta))
        };
        let stem = "megaboard:{9f2}:gifts/room-1:00000000000000ff:3";
        let of = |is_meta| Some(("gifts/room-1".to_owned(), 255, is_meta));
        for (end, found) in [
            ("meta", of(true)),
            ("ids:1", of(false)),
            ("all:rank", of(false)),
            ("day@2026-11-20T00:00Z:scores", of(false)),
            ("all:top:x", None),
            ("other", None),
        ] {
            assert_eq!(parsed(&format!("{stem}:{end}")), found, "{end}");
        }
        for key in [
            "megaboard:{registry}:boards:gifts",
            "megaboard:{9f2}:mark",
            "megaboard:{9f2}:until:1795186800000",
            "megaboard:server",
        ] {
            assert_eq!(parsed(key), None, "{key}");
        }
        let odd = "megaboard:{9f2}:gifts/a}:b:00000000000000aa:0:meta:00000000000000ff:3:meta";
        let name = "gifts/a}:b:00000000000000aa:0:meta".to_owned();
        assert_eq!(parsed(odd), Some((name, 255, true)));
    }
}
