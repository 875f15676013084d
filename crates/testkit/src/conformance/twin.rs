//! The naive twin of a board: maps, and a sort for every response.
//!
//! It folds by the rules of the kind, which have their own twin in `board`. Where the contract does
//! not define an outcome (ids under a clock that was set back, expired windows without standings)
//! [`Twin::is_decided`] returns false.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use board::{Activity, IdDigest, Kind, Member, Period, RankWords, Standing, Timestamp, Window};
use shard_store::{
    Anchor, BoardRecord, Change, Group, Item, ItemRejected, Outcome, RangeAsk, RangePart,
    ShardEntry,
};

/// The outcome of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemOutcome {
    Applied,
    Duplicate,
    OutOfRange,
    WindowClosed,
    NotRanked,
}

impl ItemOutcome {
    /// Converts an outcome. Panics if the store could not take the item.
    #[must_use]
    pub fn by(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Applied(_) => Self::Applied,
            Outcome::Duplicate(_) => Self::Duplicate,
            Outcome::Rejected(ItemRejected::OutOfRange(_)) => Self::OutOfRange,
            Outcome::Rejected(ItemRejected::WindowClosed(_)) => Self::WindowClosed,
            Outcome::Rejected(ItemRejected::NotRanked(_)) => Self::NotRanked,
            Outcome::Failed(failure) => panic!("{failure}"),
        }
    }
}

/// One incarnation of a board.
#[derive(Clone)]
pub struct Twin {
    kind: Arc<Kind>,
    record: BoardRecord,
    pub windows: BTreeMap<Window, HashMap<Member, Standing>>,
    /// For each id: until when it certainly counts, and from when it certainly does not.
    ids: HashMap<IdDigest, (Timestamp, Timestamp)>,
    dropped: HashSet<Window>,
    swept: Timestamp,
    /// The latest time of a call about the board.
    latest: Timestamp,
    /// The time of the last call.
    last: Timestamp,
    /// The latest time at which something was applied.
    pub written: Timestamp,
}

impl Twin {
    #[must_use]
    pub fn new(kind: Arc<Kind>, record: BoardRecord, now: Timestamp) -> Self {
        Self {
            kind,
            record,
            windows: BTreeMap::new(),
            ids: HashMap::new(),
            dropped: HashSet::new(),
            swept: Timestamp::from_millis(0),
            latest: now,
            last: now,
            written: now,
        }
    }

    /// Returns whether the contract defines the outcome of the item.
    #[must_use]
    pub fn is_decided(&self, item: &Item, now: Timestamp) -> bool {
        let id_is_decided = item.id.is_none_or(|id| {
            let span = self.ids.get(&id);
            span.is_none_or(|(until, forgotten_at)| {
                self.latest(now) < *until || now >= *forgotten_at
            })
        });
        let window_is_decided = |window: &Window| {
            self.dropped.contains(window)
                || !self.kind.is_expired(*window, self.swept)
                || self.windows.contains_key(window)
        };
        id_is_decided && item.windows.iter().all(window_is_decided)
    }

    /// Changes settings of the kind that concern how long windows are kept, not what standings
    /// mean.
    pub fn set_kind(&mut self, kind: Arc<Kind>) {
        self.kind = kind;
    }

    /// Returns the windows whose standings a sweep has dropped.
    pub fn dropped(&self) -> impl Iterator<Item = Window> {
        self.dropped.iter().copied()
    }

    /// Returns whether a sweep has dropped the window's standings.
    #[must_use]
    pub fn is_dropped(&self, window: Window) -> bool {
        self.dropped.contains(&window)
    }

    /// Returns whether a sweep has found the window expired, with standings or without.
    #[must_use]
    pub fn may_be_dropped(&self, window: Window) -> bool {
        self.kind.is_expired(window, self.swept)
    }

    /// Returns the latest time that the board has seen, in calls or sweeps.
    fn latest(&self, now: Timestamp) -> Timestamp {
        self.latest.max(self.swept).max(now)
    }

    /// After a clock was set back, a store may count ids by the earlier time.
    fn observe(&mut self, now: Timestamp) {
        if now < self.last {
            let latest = now.plus(self.kind.dedupe());
            for (until, _) in self.ids.values_mut() {
                *until = (*until).min(latest);
            }
        }
        self.last = now;
    }

    pub fn apply(&mut self, item: &Item, now: Timestamp) -> ItemOutcome {
        self.observe(now);
        self.latest = self.latest.max(now);
        if item.change.is_removal() {
            let is_meant = |window| item.change == Change::Remove || item.windows.contains(window);
            let taken = self
                .windows
                .iter_mut()
                .filter(|(window, _)| is_meant(window));
            let rules = self.kind.rules();
            let taken = taken.filter_map(|(_, standings)| {
                let held = standings.get(&item.member)?;
                if item.change == Change::Expire && rules.reached_at(held) > item.at {
                    return None;
                }
                standings.remove(&item.member)
            });
            return if taken.count() > 0 {
                self.written = self.written.max(now);
                ItemOutcome::Applied
            } else {
                ItemOutcome::NotRanked
            };
        }
        let held = item.id.and_then(|id| self.ids.get(&id));
        if held.is_some_and(|(until, _)| now < *until) {
            return ItemOutcome::Duplicate;
        }
        let open = item
            .windows
            .iter()
            .filter(|window| !self.dropped.contains(window));
        let mut after = Vec::new();
        for window in open {
            let standings = self.windows.get(window);
            let held = standings.and_then(|standings| standings.get(&item.member));
            let standing = match item.change {
                Change::Set(values) => self.kind.rules().standing_of(&values, item.at),
                Change::Fold(values) => match self.kind.rules().fold(held, &values, item.at) {
                    Ok(standing) => standing,
                    Err(_) => return ItemOutcome::OutOfRange,
                },
                Change::Remove | Change::RemoveFrom | Change::Expire => {
                    unreachable!("handled above")
                }
            };
            after.push((*window, standing));
        }
        if after.is_empty() {
            return ItemOutcome::WindowClosed;
        }
        for (window, standing) in after {
            let standings = self.windows.entry(window).or_default();
            standings.insert(item.member.clone(), standing);
        }
        if let Some(id) = item.id {
            let span = self.kind.dedupe();
            let latest = self.latest(now);
            self.ids.insert(id, (now.plus(span), latest.plus(span)));
        }
        self.written = self.written.max(now);
        ItemOutcome::Applied
    }

    /// Returns the member's standings in the windows of an item.
    #[must_use]
    pub fn standings(&self, item: &Item) -> Vec<(Window, Standing)> {
        let held = item.windows.iter().filter_map(|window| {
            let standing = self.windows.get(window)?.get(&item.member)?;
            Some((*window, *standing))
        });
        held.collect()
    }

    /// Returns whether a sweep at this time may or may not find the board idle.
    #[must_use]
    pub fn is_about_idle(&self, now: Timestamp) -> bool {
        self.kind.idle().is_some_and(|idle| {
            now >= self.written.plus(idle / 2) && now <= self.latest.plus(idle * 2)
        })
    }

    pub fn drop_expired(&mut self, now: Timestamp) {
        self.observe(now);
        self.swept = self.swept.max(now);
        let idle = self.kind.idle();
        let is_idle = idle.is_some_and(|idle| now >= self.written.plus(idle));
        let (kind, dropped) = (&self.kind, &mut self.dropped);
        self.windows.retain(|window, standings| {
            if window.period() == Period::All {
                return !is_idle;
            }
            let gone = kind.is_expired(*window, now);
            if gone && !standings.is_empty() {
                dropped.insert(*window);
            }
            !gone
        });
    }

    /// Returns whether nothing was written for the idle span of the board's settings.
    #[must_use]
    pub fn is_over(&self, activity: &Activity, now: Timestamp) -> bool {
        let idle = activity.idle_span(&self.kind);
        idle.is_some_and(|idle| now >= self.written.plus(idle))
    }

    /// Returns whether a store may have deleted the board.
    pub fn may_be_gone(&self, now: Timestamp) -> bool {
        let latest = self.latest(now);
        let remembers = self.ids.values().any(|(until, _)| latest < *until);
        !remembers && self.windows.values().all(HashMap::is_empty)
    }

    /// Returns the entries of a window as a query of this shard finds them, best first: a board of a
    /// kind with dense ranks is read as a whole.
    #[must_use]
    pub fn read(&self, window: Window, shard: u16) -> Vec<ShardEntry> {
        if !self.kind.is_dense() {
            return self.sorted(window, shard);
        }
        let shards = 0..self.record.shards.get();
        let mut entries: Vec<ShardEntry> = shards
            .flat_map(|shard| self.sorted(window, shard))
            .collect();
        entries.sort_by(|a, b| b.key.cmp(&a.key));
        entries
    }

    /// Returns the entries of a window of one shard, best first.
    #[must_use]
    pub fn sorted(&self, window: Window, shard: u16) -> Vec<ShardEntry> {
        let standings = self.windows.get(&window).into_iter().flatten();
        let rules = self.kind.rules();
        let mut entries: Vec<ShardEntry> = standings
            .filter(|(member, _)| self.record.shards.shard_of(member.placement_hash()) == shard)
            .map(|(member, standing)| ShardEntry {
                key: rules.rank_key(rules.rank_words_of(standing), member.clone()),
                reached_at: rules.reached_at(standing),
            })
            .collect();
        entries.sort_by(|a, b| b.key.cmp(&a.key));
        entries
    }

    /// Returns the response to a range request, from a window's sorted entries.
    #[must_use]
    pub fn answer(&self, window: Window, sorted: &[ShardEntry], ask: &RangeAsk) -> RangePart {
        let mut standing = None;
        let anchor = match &ask.anchor {
            Anchor::Rank(rank) => usize::try_from(*rank).unwrap().min(sorted.len()),
            Anchor::Bound(bound) => {
                let better = sorted.iter().filter(|entry| bound.is_below(&entry.key));
                better.count()
            }
            Anchor::Member(member) => {
                let at = sorted.iter().position(|entry| entry.key.member == *member);
                let Some(at) = at else {
                    return RangePart::default();
                };
                standing = self.windows[&window].get(member).filter(|_| ask.after > 0);
                at
            }
        };
        let start = anchor.saturating_sub(ask.before);
        let end = anchor.saturating_add(ask.after).min(sorted.len());
        let entries = sorted[start..end].to_vec();
        let fields = |entry: &ShardEntry| self.kind.rules().values_of(&entry.key.words);
        let is_dense = self.kind.is_dense();
        let group_start = entries.first().and_then(|first| {
            let mut all = sorted.iter();
            all.position(|entry| fields(entry) == fields(first))
        });
        let group_start = group_start.filter(|_| !is_dense).unwrap_or(start);
        let words = entries.first().map(|first| first.key.words);
        let words = words.or_else(|| match &ask.anchor {
            Anchor::Rank(_) => None,
            Anchor::Bound(bound) => Some(bound.words),
            Anchor::Member(_) => Some(sorted[anchor].key.words),
        });
        RangePart {
            anchor: Some(anchor as u64),
            start: start as u64,
            group_start: group_start as u64,
            group: words
                .filter(|_| is_dense)
                .map_or_else(Group::default, |words| self.group(sorted, &words)),
            entries,
            unlisted: None,
            standing: standing.copied(),
        }
    }

    /// Returns the group of the fields of these words, if they have all.
    fn group(&self, sorted: &[ShardEntry], words: &RankWords) -> Group {
        let rules = self.kind.rules();
        if words.as_slice().len() < rules.fields().len() {
            return Group::default();
        }
        let own = rules.field_words(words);
        let all = sorted
            .iter()
            .map(|entry| rules.field_words(&entry.key.words));
        let mut better: Vec<RankWords> = all.clone().filter(|fields| *fields > own).collect();
        better.dedup();
        Group {
            better: better.len() as u64,
            members: all.filter(|fields| *fields == own).count() as u64,
        }
    }
}
