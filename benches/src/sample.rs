//! The board that is measured: gifts, with members of ten characters.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use board::{
    Admission, BoardName, Calendar, ContributionId, FieldName, FieldRule, IdDigest, Kind, KindName,
    KindSpec, Member, Mode, Packing, Period, RankStyle, Rules, Subject, Ties, Timestamp, Value,
    Values, WindowRule,
};
use futures::executor::block_on;
use shard_router::{BoardBatches, KnownKind, Router, Write, WriteOutcome};
use shard_store::{Batch, BoardRecord, Change, Item, Outcome, ShardStore};
use store_local::LocalStore;

use crate::random::Random;

/// How far contributions lie behind the clock, in milliseconds.
const DELAY_MS_MAX: u64 = 1000;

/// The largest number of points that a contribution adds.
const POINTS_MAX: u64 = 100;

/// The built-in kind, but for windows, shards and staleness.
#[must_use]
pub fn gifts(windows: &[Period], shards: u64) -> Kind {
    let name = |text| FieldName::new(text).expect("it follows the rules of names");
    let rules = Rules::new(
        vec![FieldRule::sum(name("points"))],
        Mode::Accumulate,
        Ties::Earliest,
    );
    let spec = KindSpec {
        name: KindName::new("gifts").expect("it follows the rules of names"),
        rules: rules.expect("one field that sums"),
        rank: RankStyle::Ordinal,
        windows: windows
            .iter()
            .copied()
            .map(WindowRule::with_defaults)
            .collect(),
        calendar: Calendar::utc(),
        shards,
        top: 1000,
        max_staleness: Duration::from_millis(200),
        dedupe: Duration::from_hours(1),
        retain: None,
        publish: None,
    };
    Kind::new(spec).expect("the contract allows it")
}

/// The same kind with one window, a sum of at most a million and times in seconds, packed.
///
/// # Panics
/// Never: twenty bits of points and thirty of seconds fit.
#[must_use]
pub fn packed_gifts(shards: u64) -> Kind {
    let mut spec = gifts(&[Period::All], shards).spec().clone();
    let packing = Packing {
        max: 1_000_000,
        unit: Duration::from_secs(1),
        span: Some((
            Timestamp::from_millis(1_700_000_000_000),
            Timestamp::from_millis(2_700_000_000_000),
        )),
    };
    spec.rules = spec.rules.packed(packing).expect("one field, ties by time");
    Kind::new(spec).expect("values and times fit")
}

/// The clock.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
}

/// The member of this number: `u000000042`.
#[must_use]
pub fn member(number: u64) -> Member {
    Member::new(&format!("u{number:09}")).expect("ten characters")
}

/// A board, and contributions to it.
pub struct Sample {
    /// The way of writes.
    pub router: Arc<Router>,
    /// The kind.
    pub known: KnownKind,
    /// The board's name.
    pub name: Arc<BoardName>,
    /// The board, created.
    pub record: BoardRecord,
    members: u64,
    /// Members by shard.
    of_shard: Vec<Vec<u32>>,
    random: Random,
    ids: u64,
    with_ids: bool,
}

impl Sample {
    /// An empty board of this kind in memory, for so many members.
    #[must_use]
    pub fn empty(kind: Kind, members: u64, with_ids: bool) -> Self {
        let store = LocalStore::in_memory().expect("the system has random numbers");
        Self::on(Arc::new(store), kind, members, with_ids)
    }

    /// The same in this store, which holds no boards yet.
    ///
    /// # Panics
    /// When the store fails.
    #[must_use]
    pub fn on(store: Arc<dyn ShardStore>, kind: Kind, members: u64, with_ids: bool) -> Self {
        let router = Arc::new(block_on(Router::open(store)).expect("the store opens"));
        let put = block_on(router.catalogue().put(kind, now()));
        let (known, _) = put.expect("a first kind is taken");
        let subject = Subject::new("live").expect("it follows the rules of names");
        let name = BoardName::new(known.kind.name().clone(), subject);
        let created = block_on(
            router
                .store()
                .create_board(&name, &known.record, None, now()),
        );
        let record = created.expect("a board can be created");
        let mut of_shard = vec![Vec::new(); usize::from(record.shards.get())];
        for number in 0..members {
            let shard = record.shards.shard_of(member(number).placement_hash());
            let number = u32::try_from(number).expect("fewer members than 2^32");
            of_shard[usize::from(shard)].push(number);
        }
        Self {
            router,
            known,
            name: Arc::new(name),
            record,
            members,
            of_shard,
            random: Random::new(1),
            ids: 0,
            with_ids,
        }
    }

    /// A board on which each of these members stands, put there in random order.
    #[must_use]
    pub fn filled(kind: Kind, members: u64, with_ids: bool) -> Self {
        let mut sample = Self::empty(kind, members, with_ids);
        sample.fill();
        sample
    }

    /// One contribution by each member, in random order, by turns of the shards.
    pub fn fill(&mut self) {
        const BATCH: usize = 500;
        let mut orders = self.of_shard.clone();
        for order in &mut orders {
            for place in (1..order.len()).rev() {
                let other = self.random.below(place as u64 + 1);
                order.swap(place, usize::try_from(other).expect("below a length"));
            }
        }
        let longest = orders.iter().map(Vec::len).max().unwrap_or_default();
        for first in (0..longest).step_by(BATCH) {
            for (shard, order) in (0..).zip(&orders) {
                let numbers = order.iter().skip(first).take(BATCH);
                let (now, mut admission) = (now(), Admission::default());
                let items: Vec<Item> = numbers
                    .map(|number| self.item(u64::from(*number), now, &mut admission))
                    .collect();
                self.apply(shard, &items, now);
            }
        }
    }

    /// A batch of contributions by random members of a random shard.
    pub fn batch(&mut self, len: usize, now: Timestamp) -> (u16, Vec<Item>) {
        let shard = self.random.below(u64::from(self.record.shards.get()));
        let shard = u16::try_from(shard).expect("at most 4096 shards");
        let mut admission = Admission::default();
        let items = (0..len).map(|_| {
            let here = &self.of_shard[usize::from(shard)];
            let place = self.random.below(here.len() as u64);
            let number = here[usize::try_from(place).expect("below a length")];
            self.item(u64::from(number), now, &mut admission)
        });
        (shard, items.collect())
    }

    /// A request of contributions by random members.
    pub fn request(&mut self, len: usize, now: Timestamp) -> Vec<Write> {
        let writes = (0..len).map(|_| {
            let number = self.random.below(self.members);
            Write {
                board: self.name.clone(),
                kind: self.known.clone(),
                member: member(number),
                change: self.points(),
                at: self.time(now),
                id: self.id(),
                only: None,
            }
        });
        writes.collect()
    }

    /// Applies a batch.
    ///
    /// # Panics
    /// When any of it is not applied.
    pub fn apply(&self, shard: u16, items: &[Item], now: Timestamp) {
        let batch = Batch {
            kind: &self.known.kind,
            now,
            until: None,
            report: false,
            items,
        };
        let outcomes = block_on(self.router.store().apply(&self.record, shard, batch));
        let outcomes = outcomes.expect("the store does not fail");
        assert!(outcomes.iter().all(|o| matches!(o, Outcome::Applied(_))));
    }

    /// Brings a request through the router.
    ///
    /// # Panics
    /// When any of it is not applied.
    pub fn write(&self, writes: Vec<Write>, now: Timestamp) {
        let writes: BoardBatches = writes.into_iter().collect();
        let written = block_on(self.router.write(writes, now, false));
        assert!(
            written
                .iter()
                .all(|w| matches!(w, WriteOutcome::Applied(_)))
        );
    }

    fn item(&mut self, number: u64, now: Timestamp, admission: &mut Admission) -> Item {
        let member = member(number);
        let at = self.time(now);
        let at = self.known.kind.rules().kept_time(at);
        let id = self.id();
        Item {
            hash: member.placement_hash(),
            change: self.points(),
            at,
            id: id.map(|id| IdDigest::new(self.record.incarnation, &member, &id)),
            windows: admission
                .admit(&self.known.kind, at, now)
                .expect("it is now"),
            member,
        }
    }

    fn points(&mut self) -> Change {
        let points = i64::try_from(1 + self.random.below(POINTS_MAX)).expect("a small number");
        Change::Fold(Values::from(Value::new(points).expect("a small number")))
    }

    fn time(&mut self, now: Timestamp) -> Timestamp {
        now.minus(Duration::from_millis(self.random.below(DELAY_MS_MAX)))
    }

    fn id(&mut self) -> Option<ContributionId> {
        self.with_ids.then(|| {
            self.ids += 1;
            ContributionId::new(&format!("evt-{}", self.ids)).expect("it follows the rules of ids")
        })
    }
}
