//! Keys that belong to no board: [`Verifier::orphans`].
//!
//! The service never reads them, so that nothing else finds them. They are left behind when the
//! registry loses its last writes and the shards do not: at a failover to a replica that did not
//! have a board yet, or not its end. They are reported and left: they may be all that is left of a
//! lost board.
//!
//! A board is created before the first key of a shard, and its keys are removed before the registry
//! forgets its end. So a key is an orphan if the registry has no board for it, and it still
//! exists after the registry was asked.

use std::collections::{HashMap, HashSet};

use board::{BoardName, Incarnation};

use super::Verifier;
use redis_nodes::ScannedKeys;
use shard_store::{Orphan, StoreError};

/// The number of incarnations for which the result of the look-up is remembered; further ones are
/// looked up again.
const REMEMBERED_MAX: usize = 100_000;

/// The number of keys that are remembered as counted: a scan may return a key again.
const COUNTED_MAX: usize = 100_000;

/// The number of boards whose orphans are reported.
const ORPHANS_MAX: usize = 10_000;

/// The parts of a key of a shard.
#[derive(Debug, PartialEq, Eq)]
struct ShardKey {
    board: BoardName,
    incarnation: Incarnation,
    is_meta: bool,
}

/// What was found on all nodes.
#[derive(Debug, Default)]
struct Search {
    is_on: HashMap<Incarnation, bool>,
    counted: HashSet<String>,
    orphans: HashMap<Incarnation, Orphan>,
}

impl Verifier {
    /// Returns the keys of boards that the registry does not know, by board.
    pub(crate) async fn orphans(&self) -> Result<Vec<Orphan>, StoreError> {
        let mut search = Search::default();
        let mut scan = self.parts.servers.scan().map_err(StoreError::Unavailable)?;
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
        // Deleted meanwhile, or a tombstone, which expires.
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

    /// Returns whether the registry knows the incarnation: it exists, or its tombstones are not yet
    /// put.
    async fn is_on(&self, key: &ShardKey, search: &mut Search) -> Result<bool, StoreError> {
        if let Some(is_on) = search.is_on.get(&key.incarnation) {
            return Ok(*is_on);
        }
        let found = self.parts.registry.board(&key.board).await?;
        let is_this = found.is_some_and(|record| record.board.incarnation == key.incarnation);
        let is_on = is_this || self.parts.registry.is_dying(key.incarnation).await?;
        if search.is_on.len() >= REMEMBERED_MAX {
            search.is_on.clear();
        }
        search.is_on.insert(key.incarnation, is_on);
        Ok(is_on)
    }
}

impl ShardKey {
    /// Reads `megaboard:{TAG}:KIND/SUBJECT:INCARNATION:SHARD:END`. Shared tops, which expire, are
    /// excluded, and so is what belongs to no shard. A subject may look like the rest of a key: the
    /// last match is used.
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
