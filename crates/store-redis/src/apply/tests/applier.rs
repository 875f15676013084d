//! Fixtures: a Redis, a board on it, items, and the content of its keys.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use board::{ContributionId, IdDigest, Kind, KindName, Member, Timestamp, Value, Values, Window};
pub(super) use testkit::conformance::fixtures::{gifts, window};
use testkit::redis::{Pooled, RedisServer, Reply};

use crate::apply::Applier;
use crate::boards::fixtures::parts::{OpenedParts, parts_at};
use crate::boards::keys::{ShardKeys, window_name};
use crate::boards::parts::Parts;
use crate::boards::standing::standing_of;
use crate::lists::Refills;
use redis_nodes::{Nodes, RedisSettings};
use shard_store::{Batch, BoardRecord, Change, Item, Outcome, Revision, StoreError};

pub(super) const HOUR: Duration = Duration::from_hours(1);
pub(super) const MS: Duration = Duration::from_millis(1);

/// The time at the beginning of tests: a Friday, `2026-11-20T14:52:22.123000Z`.
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

pub(super) const APPLIED: Outcome = Outcome::Applied(Vec::new());
pub(super) const DUPLICATE: Outcome = Outcome::Duplicate(Vec::new());

/// A Redis, and an applier over it.
pub(super) struct ApplierOnRedis {
    opened: OpenedParts,
    pub(super) applier: Applier,
    boards: AtomicU64,
}

impl Deref for ApplierOnRedis {
    type Target = OpenedParts;

    fn deref(&self) -> &OpenedParts {
        &self.opened
    }
}

impl ApplierOnRedis {
    pub(super) async fn new() -> Self {
        Self::with(&RedisSettings::default()).await
    }

    /// On a server that no other test uses afterwards: it may be frozen, or get replicas.
    pub(super) async fn alone(settings: &RedisSettings) -> Self {
        let redis = RedisServer::plain();
        let url = redis.url();
        Self::over(redis.into(), &url, settings).await
    }

    pub(super) async fn with(settings: &RedisSettings) -> Self {
        let redis = RedisServer::shared();
        let url = redis.url();
        Self::over(redis, &url, settings).await
    }

    /// Over the Redis at this URL.
    pub(super) async fn over(
        redis: Pooled<RedisServer>,
        url: &str,
        settings: &RedisSettings,
    ) -> Self {
        let parts = parts_at(url, settings).await;
        Self {
            applier: applier(&parts),
            opened: OpenedParts { redis, parts },
            boards: 1.into(),
        }
    }

    /// Another server of the service.
    pub(super) fn another(&self) -> Applier {
        let settings = RedisSettings::default();
        applier(&Parts::over(self.servers.clone(), &settings).unwrap())
    }

    /// Another server of the service, with its own connections.
    pub(super) async fn far(&self, settings: &RedisSettings) -> (Applier, Arc<Nodes>) {
        let parts = parts_at(&self.redis.url(), settings).await;
        (applier(&parts), parts.servers)
    }

    /// A board of its own kind, on one shard.
    pub(super) async fn board(&self, kind: Kind) -> Board<'_> {
        let number = self.boards.fetch_add(1, Ordering::Relaxed);
        let mut spec = kind.spec().clone();
        spec.name = KindName::new(&format!("gifts{number}")).unwrap();
        let kind = Arc::new(Kind::new(spec).unwrap());
        let first = Revision::default();
        let put = self.registry.put_kind(kind.clone(), first, false);
        let put = put.await.unwrap();
        let name = format!("{}/room {{1}}", kind.name()).parse().unwrap();
        let created = self.registry.create_board(&name, &put, None, NOW).await;
        let record = created.unwrap().0.board;
        Board {
            setup: self,
            keys: ShardKeys::new(&record, 0),
            kind,
            record,
        }
    }

    /// Returns how often functions were called.
    pub(super) fn calls(&self) -> u64 {
        self.ran("fcall")
    }
}

fn applier(parts: &Parts) -> Applier {
    Applier::new(parts, Refills::new(parts))
}

/// One shard of a board.
pub(super) struct Board<'a> {
    pub(super) setup: &'a ApplierOnRedis,
    pub(super) kind: Arc<Kind>,
    pub(super) record: BoardRecord,
    pub(super) keys: ShardKeys,
}

/// The keys of a window: bytes of standings by member, and entries with their scores.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) scores: BTreeMap<Vec<u8>, Vec<u8>>,
    pub(super) rank: Vec<(i64, Vec<u8>)>,
}

impl Board<'_> {
    pub(super) async fn apply(&self, items: &[Item], now: Timestamp) -> Vec<Outcome> {
        let applied = self.try_apply(&self.setup.applier, items, now, false);
        applied.await.unwrap()
    }

    pub(super) async fn try_apply(
        &self,
        applier: &Applier,
        items: &[Item],
        now: Timestamp,
        report: bool,
    ) -> Result<Vec<Outcome>, StoreError> {
        let batch = Batch {
            kind: &self.kind,
            now,
            until: None,
            waits_until: None,
            report,
            items,
        };
        applier.apply(&self.record, 0, batch).await
    }

    pub(super) fn points(&self, name: &str, points: i64, now: Timestamp) -> Item {
        self.item(name, Change::Fold(value(points)), now)
    }

    pub(super) fn by_id(&self, name: &str, points: i64, id: &str, now: Timestamp) -> Item {
        let item = self.points(name, points, now);
        let id = ContributionId::new(id).unwrap();
        let id = IdDigest::new(self.record.incarnation, &item.member, &id);
        Item {
            id: Some(id),
            ..item
        }
    }

    pub(super) fn item(&self, name: &str, change: Change, at: Timestamp) -> Item {
        let member = Member::new(name).unwrap();
        Item {
            hash: member.placement_hash(),
            member,
            change,
            at,
            id: None,
            windows: self.kind.admit(at, at).unwrap(),
        }
    }

    pub(super) fn kept(&self, window: Window) -> Kept {
        let scores = self
            .setup
            .redis
            .command(&[&b"HGETALL"[..], &self.keys.scores(window)]);
        let rank = [
            &b"ZRANGE"[..],
            &self.keys.rank(window),
            b"0",
            b"-1",
            b"WITHSCORES",
        ];
        let rank = self.setup.redis.command(&rank);
        let score = |reply: &Reply| reply.text().parse().unwrap();
        let scores = scores.items().chunks(2);
        Kept {
            scores: scores
                .map(|pair| (bytes(&pair[0]), bytes(&pair[1])))
                .collect(),
            rank: rank
                .items()
                .chunks(2)
                .map(|pair| (score(&pair[1]), bytes(&pair[0])))
                .collect(),
        }
    }

    /// Returns the only field of a member of a kind that sums.
    pub(super) fn points_of(&self, window: Window, name: &str) -> Option<i64> {
        let kept = self.kept(window);
        let held = kept.scores.get(name.as_bytes())?;
        let rules = self.kind.rules();
        let standing = standing_of(rules, held).unwrap();
        rules.values(&standing).get(0).map(Value::get)
    }

    pub(super) fn meta(&self, field: &str) -> Option<Vec<u8>> {
        let meta = [b"HGET", &self.keys.meta()[..], field.as_bytes()];
        match self.setup.redis.command(&meta) {
            Reply::Nil => None,
            held => Some(bytes(&held)),
        }
    }

    pub(super) fn set_meta(&self, field: &str, value: &str) {
        let set = [
            b"HSET",
            &self.keys.meta()[..],
            field.as_bytes(),
            value.as_bytes(),
        ];
        self.setup.redis.command(&set).integer();
    }

    /// Returns counter, session and number of the version of a window; 0 if it has none.
    pub(super) fn version(&self, window: Window) -> (u64, String) {
        let Some(version) = self.meta(&format!("v:{}", window_name(window))) else {
            return (0, String::new());
        };
        let version = String::from_utf8(version).unwrap();
        let (counter, last) = version.split_once(' ').unwrap();
        (counter.parse().unwrap(), last.to_owned())
    }
}

pub(super) fn bytes(reply: &Reply) -> Vec<u8> {
    match reply {
        Reply::Bulk(bytes) => bytes.clone(),
        other => panic!("no bytes: {other:?}"),
    }
}

pub(super) fn value(number: i64) -> Values {
    Values::from(Value::new(number).unwrap())
}
