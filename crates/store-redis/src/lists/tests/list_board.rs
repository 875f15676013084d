//! A board of which only the best are ranked, on one shard of its own Redis.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use board::{
    FieldName, FieldRule, Kind, KindName, KindSpec, Member, Mode, Op, Period, Retain, Rules, Ties,
    Timestamp, Value, Values, Window, WindowRule,
};
use testkit::redis::{Pooled, RedisServer, Reply};
use tokio::time::{Instant, sleep};

use crate::boards::keys::{ShardKeys, window_name};
use crate::{RedisSettings, RedisStore};
use shard_store::{
    Anchor, Batch, BoardRecord, Change, Groups, IndexMismatch, Item, Outcome, Query, RangeAsk,
    Revision, ShardReading, ShardStore,
};
use testkit::conformance::fixtures::read_shard;

/// The time at the beginning of tests: a Friday, `2026-11-20T14:52:22.123000Z`.
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

pub(super) const ALL: Window = Window::ALL_TIME;

/// The timeout of a refill that is under way.
const WHOLE_WITHIN: Duration = Duration::from_secs(20);

/// The number of items of one batch.
const BATCH: usize = 1000;

pub(super) struct ListBoard {
    pub(super) redis: Pooled<RedisServer>,
    pub(super) store: RedisStore,
    pub(super) kind: Arc<Kind>,
    pub(super) record: BoardRecord,
    pub(super) keys: ShardKeys,
}

impl ListBoard {
    /// Points that sum (of a list that is not approximate, the maximum), of all time; the best
    /// `keep` are ranked, or all.
    pub(super) async fn new(retain: Option<Retain>) -> Self {
        Self::of(retain, Period::All).await
    }

    pub(super) async fn of(retain: Option<Retain>, period: Period) -> Self {
        let redis = RedisServer::shared();
        let store = open(&redis.url(), &RedisSettings::default()).await;
        Self::with(redis, store, retain, period).await
    }

    /// Over the Redis at this URL.
    pub(super) async fn over(
        redis: Pooled<RedisServer>,
        url: &str,
        settings: &RedisSettings,
        retain: Option<Retain>,
    ) -> Self {
        let store = open(url, settings).await;
        Self::with(redis, store, retain, Period::All).await
    }

    async fn with(
        redis: Pooled<RedisServer>,
        store: RedisStore,
        retain: Option<Retain>,
        period: Period,
    ) -> Self {
        let kind = Arc::new(kind(retain, period));
        let put = store.put_kind(kind.clone(), Revision::default(), true);
        let put = put.await.unwrap();
        let name = "gifts/room 1".parse().unwrap();
        let record = store.create_board(&name, &put, None, NOW).await.unwrap();
        Self {
            keys: ShardKeys::new(&record, 0),
            redis,
            store,
            kind,
            record,
        }
    }

    /// Another server over the same Redis.
    pub(super) async fn another(&self) -> RedisStore {
        open(&self.redis.url(), &RedisSettings::default()).await
    }

    pub(super) fn item(&self, number: u32, change: Change) -> Item {
        let member = named(number);
        Item {
            hash: member.placement_hash(),
            member,
            change,
            at: NOW,
            id: None,
            windows: self.kind.admit(NOW, NOW).unwrap(),
        }
    }

    pub(super) fn points(&self, number: u32, points: i64) -> Item {
        self.item(number, Change::Fold(values(points)))
    }

    pub(super) async fn apply(&self, items: &[Item]) {
        self.apply_by(&self.store, items).await;
    }

    /// Applies all items.
    pub(super) async fn apply_by(&self, store: &RedisStore, items: &[Item]) {
        for items in items.chunks(BATCH) {
            let batch = Batch {
                kind: &self.kind,
                now: NOW,
                until: None,
                waits_until: None,
                report: false,
                items,
            };
            let outcomes = store.apply(&self.record, 0, batch).await.unwrap();
            assert_eq!(outcomes, vec![Outcome::Applied(Vec::new()); items.len()]);
        }
    }

    /// Adds this many members, from `u1` with one point to the last with as many points as members.
    pub(super) async fn fill(&self, members: u32) {
        let items = (2..=members).map(|n| self.points(n, i64::from(n)));
        self.apply(&items.collect::<Vec<_>>()).await;
        // The next call finds the list too long, and trims it.
        self.apply(&[self.points(1, 1)]).await;
    }

    pub(super) async fn remove(&self, number: u32) {
        self.apply(&[self.item(number, Change::Remove)]).await;
    }

    /// Returns how many are ranked, and how many have scores.
    pub(super) fn counts(&self) -> (i64, i64) {
        let count = |command: &[u8], key: &[u8]| self.redis.command(&[command, key]).integer();
        (
            count(b"ZCARD", &self.keys.rank(ALL)),
            count(b"HLEN", &self.keys.scores(ALL)),
        )
    }

    /// Returns the numbers of the best, as many as are ranked.
    pub(super) async fn best(&self, count: usize) -> Vec<u32> {
        let ask = RangeAsk {
            anchor: Anchor::Rank(0),
            before: 0,
            after: count,
        };
        let part = self.read([ask].into()).await.parts.unwrap().remove(0);
        let numbers = part
            .entries
            .iter()
            .map(|entry| number_of(&entry.key.member));
        numbers.collect()
    }

    pub(super) async fn read(&self, ranges: Vec<RangeAsk>) -> ShardReading {
        let query = Query {
            window: ALL,
            unless: None,
            groups: Groups::None,
            ranges: ranges.into(),
        };
        let reading = read_shard(&self.store, &self.record, 0, &query).await;
        reading.unwrap()
    }

    /// Returns the points of all members, each read separately.
    pub(super) async fn all_points(&self, members: u32) -> BTreeMap<u32, i64> {
        let ranges = (1..=members).map(|n| RangeAsk {
            anchor: Anchor::Member(named(n)),
            before: 0,
            after: 1,
        });
        let parts = self.read(ranges.collect()).await.parts.unwrap();
        let points = (1..).zip(parts).filter_map(|(number, part)| {
            let entry = part.unlisted.or_else(|| part.entries.into_iter().next())?;
            let values = self.kind.rules().values_of(&entry.key.words);
            Some((number, values.get(0)?.get()))
        });
        points.collect()
    }

    /// Returns a field of meta about a window: the value after its letter.
    pub(super) fn meta(&self, letter: char, window: Window) -> Option<Vec<u8>> {
        let field = format!("{letter}:{}", window_name(window));
        let words: [&[u8]; 3] = [b"HGET", &self.keys.meta(), field.as_bytes()];
        match self.redis.command(&words) {
            Reply::Bulk(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Marks the list, like a server that stops between its write and its refill.
    pub(super) fn mark(&self, number: u32) {
        let key = self.keys.meta();
        let mark = format!("00000000000000aa {number}");
        let words: [&[u8]; 4] = [b"HSET", &key, b"s:all", mark.as_bytes()];
        self.redis.command(&words).integer();
        let words: [&[u8]; 3] = [b"HDEL", &key, b"b:all"];
        self.redis.command(&words).integer();
    }

    /// Waits until the list is complete.
    pub(super) async fn wait_until_whole(&self) {
        let end = Instant::now() + WHOLE_WITHIN;
        while self.meta('s', ALL).is_some() {
            assert!(Instant::now() < end, "the list is not refilled");
            sleep(Duration::from_millis(2)).await;
        }
    }

    /// Removes members from the sorted set without a mark.
    pub(super) fn lose(&self, from: i64, to: i64) {
        let (from, to) = (from.to_string(), to.to_string());
        let key = self.keys.rank(ALL);
        let words: [&[u8]; 4] = [b"ZREMRANGEBYRANK", &key, from.as_bytes(), to.as_bytes()];
        assert!(self.redis.command(&words).integer() > 0);
    }

    pub(super) async fn verify(&self, repair: bool) -> Vec<IndexMismatch> {
        let verified = self.store.verify(&self.record, 0, repair).await;
        verified.unwrap()
    }
}

async fn open(url: &str, settings: &RedisSettings) -> RedisStore {
    RedisStore::open(&url.parse().unwrap(), settings)
        .await
        .unwrap()
}

fn kind(retain: Option<Retain>, period: Period) -> Kind {
    let mut points = FieldRule::sum(FieldName::new("points").unwrap());
    if retain.is_some_and(|retain| !retain.approximate) {
        points.op = Op::Max;
    }
    let rules = Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap();
    Kind::new(KindSpec {
        windows: vec![WindowRule::with_defaults(period)],
        top: 1,
        dedupe: Duration::ZERO,
        retain,
        ..KindSpec::new(KindName::new("gifts").unwrap(), rules)
    })
    .unwrap()
}

/// The best `keep`, approximate: sums may fall.
pub(super) const fn list(keep: u64, trim_at: u64) -> Retain {
    Retain {
        keep,
        trim_at,
        approximate: true,
    }
}

pub(super) fn named(number: u32) -> Member {
    Member::new(&format!("u{number}")).unwrap()
}

fn number_of(member: &Member) -> u32 {
    member.as_str()[1..].parse().unwrap()
}

pub(super) fn values(points: i64) -> Values {
    Values::from(Value::new(points).unwrap())
}
