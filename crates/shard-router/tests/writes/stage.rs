//! [`Stage`]: a router over a store, and writes to it.

use std::sync::Arc;

use board::{
    BoardName, ContributionId, Kind, KindName, KindSpec, Member, Subject, Timestamp, Value, Window,
};
use shard_router::{KnownKind, Router, Write, WriteOutcome, WriteRejected};
use shard_store::{
    Anchor, Change, Groups, ItemFailure, Query, RangeAsk, ShardStore, WindowStanding,
};
use store_local::LocalStore;
use testkit::HookedStore;
use testkit::conformance::fixtures::{gifts_spec, read_shard};

/// The time of all tests, in 2027.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// A kind of one field that sums, over 16 shards, ranked for all time.
pub(crate) fn points(name: &str) -> KindSpec {
    KindSpec {
        name: KindName::new(name).unwrap(),
        shards: 16,
        ..gifts_spec()
    }
}

pub(crate) fn kind(spec: KindSpec) -> Kind {
    Kind::new(spec).unwrap()
}

pub(crate) fn member(name: &str) -> Member {
    Member::new(name).unwrap()
}

pub(crate) fn board(name: &str) -> Arc<BoardName> {
    Arc::new(BoardName::new(
        KindName::new("gifts").unwrap(),
        Subject::new(name).unwrap(),
    ))
}

pub(crate) fn id(text: &str) -> ContributionId {
    ContributionId::new(text).unwrap()
}

pub(crate) fn points_of(number: i64) -> Change {
    Change::Fold(Value::new(number).unwrap().into())
}

/// Creates a store with hooks before one in memory.
pub(crate) fn hooked() -> Arc<HookedStore> {
    let inner =
        [(); 2].map(|()| -> Arc<dyn ShardStore> { Arc::new(LocalStore::in_memory().unwrap()) });
    HookedStore::losing(inner)
}

pub(crate) struct Stage {
    pub(crate) router: Router,
    pub(crate) gifts: KnownKind,
}

/// Returns why a write was rejected.
pub(crate) fn rejected(written: &WriteOutcome) -> &WriteRejected {
    match written {
        WriteOutcome::Rejected(why) => why,
        other => panic!("not rejected: {other:?}"),
    }
}

/// Returns why a write was definitely not applied, but may be sent again.
pub(crate) fn unavailable_why(written: &WriteOutcome) -> &str {
    match written {
        WriteOutcome::Failed(ItemFailure::Unavailable(why)) => why,
        other => panic!("not unavailable: {other:?}"),
    }
}

impl Stage {
    pub(crate) async fn in_memory() -> Self {
        Self::over(Arc::new(LocalStore::in_memory().unwrap())).await
    }

    /// Two servers of one store.
    pub(crate) async fn two() -> [Self; 2] {
        let store = Arc::new(LocalStore::in_memory().unwrap());
        [Self::over(store.clone()).await, Self::over(store).await]
    }

    pub(crate) async fn hooked() -> (Arc<HookedStore>, Self) {
        let store = hooked();
        (store.clone(), Self::over(store).await)
    }

    /// Writes go by this kind from now on.
    pub(crate) async fn put(&mut self, kind: Kind) {
        let put = self.router.catalogue().put(kind, NOW).await;
        self.gifts = put.unwrap().0;
    }

    pub(crate) async fn over(store: Arc<dyn ShardStore>) -> Self {
        let router = Router::open(store).await.unwrap();
        router
            .catalogue()
            .seed(kind(points("gifts")))
            .await
            .unwrap();
        let gifts = router.catalogue().known("gifts").unwrap();
        Self { router, gifts }
    }

    /// Creates a write of points for a member.
    pub(crate) fn write(&self, board: &Arc<BoardName>, name: &str, number: i64) -> Write {
        Write {
            board: board.clone(),
            kind: self.gifts.clone(),
            member: member(name),
            change: points_of(number),
            at: NOW,
            id: None,
            only: None,
        }
    }

    pub(crate) fn removal(&self, board: &Arc<BoardName>, name: &str) -> Write {
        Write {
            change: Change::Remove,
            ..self.write(board, name, 0)
        }
    }

    /// Writes, and requests the standings after each.
    pub(crate) async fn send(&self, writes: &[Write]) -> Vec<WriteOutcome> {
        self.router.write(writes, NOW, true).await
    }

    /// Returns the points of all members of a board, by member.
    pub(crate) async fn all_points(&self, board: &BoardName) -> Vec<(String, i64)> {
        let store = self.router.store();
        let record = store.board(board).await.unwrap();
        let Some(record) = record else {
            return Vec::new();
        };
        let query = Query {
            window: Window::ALL_TIME,
            unless: None,
            groups: Groups::None,
            ranges: [RangeAsk {
                anchor: Anchor::Rank(0),
                before: 0,
                after: usize::MAX,
            }]
            .into(),
        };
        let mut all = Vec::new();
        for shard in 0..record.shards.get() {
            let reading = read_shard(&**store, &record, shard, &query).await.unwrap();
            let rules = self.gifts.kind.rules();
            for entry in reading.parts.into_iter().flatten().flat_map(|p| p.entries) {
                let points = rules.values_of(&entry.key.words).get(0).unwrap();
                all.push((entry.key.member.to_string(), points.get()));
            }
        }
        all.sort();
        all
    }

    /// Returns the points of the only window's standing.
    pub(crate) fn points_in(&self, standings: &[WindowStanding]) -> i64 {
        let [held] = standings else {
            panic!("one window, one standing: {standings:?}")
        };
        let values = self.gifts.kind.rules().values(&held.standing);
        values.get(0).unwrap().get()
    }

    /// Returns the points after a write that was applied.
    pub(crate) fn applied(&self, written: &WriteOutcome) -> i64 {
        match written {
            WriteOutcome::Applied(standings) => self.points_in(standings),
            other => panic!("not applied: {other:?}"),
        }
    }
}
