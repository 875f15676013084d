//! Names of keys, chosen so that a person with `redis-cli` finds a board.
//!
//! Every key begins with `megaboard:` and its hash tag, so that braces in a subject do no harm.
//! Names are created here and never parsed: the values contain everything. `docs/redis.md` lists
//! them.

use board::{BoardName, Incarnation, KindName, Period, ShardCount, Timestamp, Window};
use bytes::Bytes;
use twox_hash::XxHash3_64;

use redis_nodes::{SLOTS, registry_key, tag_of};
use shard_store::BoardRecord;

/// Returns a key of the registry about one kind: `megaboard:{registry}:NAME:KIND`.
pub(crate) fn of_kind(name: &str, kind: &KindName) -> Bytes {
    registry_key(&format!("{name}:{kind}"))
}

/// Returns the slot of a board's shard 0.
pub(super) fn offset(incarnation: Incarnation) -> u16 {
    let hash = XxHash3_64::oneshot(&incarnation.0.to_le_bytes());
    // Its top 14 bits are below 16384.
    u16::try_from(hash >> 50).unwrap_or(0)
}

/// Returns the slot of a shard: those of a board are evenly spaced, so that they spread over any
/// number of nodes, and boards do not all begin on the same node.
pub(super) fn shard_slot(incarnation: Incarnation, shards: ShardCount, shard: u16) -> u16 {
    let apart = u32::from(shard) * u32::from(SLOTS) / u32::from(shards.get());
    let slot = (u32::from(offset(incarnation)) + apart) % u32::from(SLOTS);
    u16::try_from(slot).unwrap_or(0)
}

/// Returns the key of a shard of the profiles of a kind: `megaboard:{TAG}:KIND:profiles:INCARNATION:SHARD`.
pub(super) fn profiles(
    kind: &KindName,
    incarnation: Incarnation,
    shards: ShardCount,
    shard: u16,
) -> Bytes {
    let tag = tag_of(shard_slot(incarnation, shards, shard));
    Bytes::from(format!(
        "megaboard:{{{tag}}}:{kind}:profiles:{incarnation}:{shard}"
    ))
}

/// The keys of one shard of one incarnation of a board.
#[derive(Debug, Clone)]
pub struct ShardKeys {
    stem: String,
}

impl ShardKeys {
    /// Returns the keys of this shard.
    #[must_use]
    pub fn new(board: &BoardRecord, shard: u16) -> Self {
        Self::of(&board.name, board.incarnation, board.shards, shard)
    }

    pub(super) fn of(
        name: &BoardName,
        incarnation: Incarnation,
        shards: ShardCount,
        shard: u16,
    ) -> Self {
        let tag = tag_of(shard_slot(incarnation, shards, shard));
        Self {
            stem: format!("megaboard:{{{tag}}}:{name}:{incarnation}:{shard}:"),
        }
    }

    /// Returns the key of the shard's `meta` hash: versions, dropped windows, calls.
    #[must_use]
    pub fn meta(&self) -> Bytes {
        self.key("meta")
    }

    /// Returns the key of one of two generations of remembered ids.
    #[must_use]
    pub fn ids(&self, generation: u8) -> Bytes {
        self.key(&format!("ids:{generation}"))
    }

    /// Returns the key of a window's score KV.
    #[must_use]
    pub fn scores(&self, window: Window) -> Bytes {
        self.key(&format!("{}:scores", window_name(window)))
    }

    /// Returns the key of a window's sorted set.
    #[must_use]
    pub fn rank(&self, window: Window) -> Bytes {
        self.key(&format!("{}:rank", window_name(window)))
    }

    /// Returns the key of a window's distinct values, which a kind with dense ranks has.
    #[must_use]
    pub fn values(&self, window: Window) -> Bytes {
        self.key(&format!("{}:values", window_name(window)))
    }

    /// Returns every key of a window's contents.
    pub(super) fn window(&self, window: Window) -> [Bytes; 3] {
        [self.scores(window), self.rank(window), self.values(window)]
    }

    /// Returns the key of a window's merged board of one shape, which servers share.
    pub(super) fn top(&self, window: Window, shape: &str) -> Bytes {
        self.key(&format!("{}:top:{shape}", window_name(window)))
    }

    fn key(&self, end: &str) -> Bytes {
        Bytes::from(format!("{}{end}", self.stem))
    }
}

/// Returns the name of a window in keys: `all`, or the period and the start in UTC:
/// `day@2026-11-20T00:00Z`.
pub(crate) fn window_name(window: Window) -> String {
    if window.period() == Period::All {
        return "all".to_owned();
    }
    let start = window.start().to_string();
    // RFC 3339 in UTC, to the minute: windows begin on one.
    let minute = start.get(..16).unwrap_or(&start);
    format!("{}@{minute}Z", window.period())
}

/// Returns the window of a name that [`window_name`] returned.
pub(crate) fn window_named(name: &str) -> Option<Window> {
    if name == "all" {
        return Some(Window::ALL_TIME);
    }
    let (period, start) = name.split_once('@')?;
    let period = period
        .parse::<Period>()
        .ok()
        .filter(|period| *period != Period::All)?;
    let start = format!("{}:00Z", start.strip_suffix('Z')?);
    let start = Timestamp::parse_stored(&start).ok()?;
    Some(Window::starting_at(period, start))
}

/// Returns the position of a period in the watermark of dropped windows, from 1 on; 0 for the window
/// without bounds, which is never dropped.
pub(crate) fn watermark_place(period: Period) -> u8 {
    period.number().map_or(0, |number| number + 1)
}

#[cfg(test)]
mod tests {
    use redis_nodes::slot_of;

    use super::*;

    #[test]
    fn names_of_windows_are_parsed_back() {
        let start = Timestamp::parse_rfc3339("2026-11-19T16:00:00Z").unwrap();
        let day = Window::starting_at(Period::Day, start);
        assert_eq!(window_name(day), "day@2026-11-19T16:00Z");
        for period in Period::ALL_PERIODS {
            let window = Window::starting_at(period, start);
            assert_eq!(window_named(&window_name(window)), Some(window));
        }
        for name in ["day", "all@2026-11-19T16:00Z", "5h@2026-11-19T16:00Z"] {
            assert_eq!(window_named(name), None);
        }
    }

    #[test]
    fn the_shards_of_a_board_spread_evenly() {
        let shards = ShardCount::new(32).unwrap();
        for nodes in 3..=8_usize {
            for incarnation in 0..200 {
                let mut held = vec![0; nodes];
                for shard in 0..32 {
                    let slot = shard_slot(Incarnation(incarnation), shards, shard);
                    held[usize::from(slot) * nodes / usize::from(SLOTS)] += 1;
                }
                let (least, most) = (held.iter().min().unwrap(), held.iter().max().unwrap());
                assert!(most - least <= 1, "{held:?}");
            }
        }
    }

    #[test]
    fn keys_are_read_by_people() {
        let name = "gifts/room {8842}".parse().unwrap();
        let shards = ShardCount::new(16).unwrap();
        let keys = ShardKeys::of(&name, Incarnation(255), shards, 3);
        let scores = keys.scores(Window::ALL_TIME);
        let text = std::str::from_utf8(&scores).unwrap();
        let end = ":gifts/room {8842}:00000000000000ff:3:all:scores";
        assert!(
            text.starts_with("megaboard:{") && text.ends_with(end),
            "{text}"
        );
        let tag = text.split(['{', '}']).nth(1).unwrap();
        assert_eq!(
            slot_of(tag.as_bytes()),
            shard_slot(Incarnation(255), shards, 3)
        );
    }
}
