//! The measured board: the kind `gifts`, with members of ten characters.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use board::{
    Admission, BoardName, ContributionId, FieldName, FieldRule, IdDigest, Kind, KindName, KindSpec,
    Member, Mode, Packing, Period, Rules, Subject, Ties, Timestamp, Value, Values, WindowRule,
};
use futures::executor::block_on;
use shard_router::{BoardBatches, KnownKind, Router, Write, WriteOutcome};
use shard_store::{Batch, BoardRecord, Change, Item, Outcome, ShardStore};
use store_local::LocalStore;

use scale::random::Random;

/// The maximum age of contributions, in milliseconds.
const DELAY_MS_MAX: u64 = 1000;

/// The maximum points of a contribution.
const POINTS_MAX: u64 = 100;

/// The maximum value of an attempt.
const ATTEMPT_MAX: u64 = 1_000_000;

/// What each member has before any of it is spent, and the maximum that is spent at once.
const FUNDS: i64 = 10_000;
const SPENT_MAX: u64 = 50;

/// Returns the built-in kind with other windows, shards and staleness.
#[must_use]
pub fn gifts(windows: &[Period], shards: u64) -> Kind {
    let name = |text| FieldName::new(text).expect("a valid name");
    let rules = Rules::new(
        vec![FieldRule::sum(name("points"))],
        Mode::Accumulate,
        Ties::Earliest,
    );
    let spec = KindSpec {
        windows: windows
            .iter()
            .copied()
            .map(WindowRule::with_defaults)
            .collect(),
        shards,
        ..KindSpec::new(
            KindName::new("gifts").expect("a valid name"),
            rules.expect("one sum field"),
        )
    };
    Kind::new(spec).expect("a valid kind")
}

/// Returns the kind with one window and this mode.
#[must_use]
pub fn gifts_by(mode: Mode, shards: u64) -> Kind {
    let mut spec = gifts(&[Period::All], shards).spec().clone();
    let fields = spec.rules.fields().to_vec();
    spec.rules = Rules::new(fields, mode, Ties::Earliest).expect("one field");
    Kind::new(spec).expect("a valid kind")
}

/// Returns a packed kind with one window, points up to a million and times in seconds.
///
/// # Panics
/// Never: 20 bits of points and 30 bits of seconds fit.
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

/// What contributions of a [`Sample`] say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amounts {
    /// Points between 1 and 100.
    Points,
    /// A value between 1 and a million.
    Attempts,
    /// At first funds of 10,000; then up to 100 points, or up to 50 that are spent, equally often.
    Spending,
}

/// Returns the current time.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let us = since.unwrap_or_default().as_micros();
    Timestamp::from_micros(i64::try_from(us).unwrap_or(i64::MAX))
}

/// Returns the member with this number, such as `u000000042`.
#[must_use]
pub fn member(number: u64) -> Member {
    Member::new(&format!("u{number:09}")).expect("ten characters")
}

/// A board, and a generator of contributions to it.
pub struct Sample {
    /// The router for writes.
    pub router: Arc<Router>,
    /// The kind of the board.
    pub known: KnownKind,
    /// The name of the board.
    pub name: Arc<BoardName>,
    /// The record of the board.
    pub record: BoardRecord,
    members: u64,
    /// The members of each shard.
    of_shard: Vec<Vec<u32>>,
    random: Random,
    ids: u64,
    with_ids: bool,
    /// What contributions say.
    pub amounts: Amounts,
}

impl Sample {
    /// Creates an empty board in the memory store, for this number of members.
    #[must_use]
    pub fn empty(kind: Kind, members: u64, with_ids: bool) -> Self {
        let store = LocalStore::in_memory().expect("the system has random numbers");
        Self::on(Arc::new(store), kind, members, with_ids)
    }

    /// Creates an empty board in this store, which must be empty.
    ///
    /// # Panics
    /// Panics if the store fails.
    #[must_use]
    pub fn on(store: Arc<dyn ShardStore>, kind: Kind, members: u64, with_ids: bool) -> Self {
        let router = Arc::new(block_on(Router::open(store)).expect("the store opens"));
        let put = block_on(router.catalogue().put(kind, now()));
        let (known, _) = put.expect("a first kind is accepted");
        let subject = Subject::new("live").expect("a valid name");
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
            amounts: Amounts::Points,
        }
    }

    /// Creates a board with one contribution of each member, in random order.
    #[must_use]
    pub fn filled(kind: Kind, members: u64, with_ids: bool) -> Self {
        let mut sample = Self::empty(kind, members, with_ids);
        sample.fill();
        sample
    }

    /// Applies one contribution of each member, in random order, to all shards in turn.
    pub fn fill(&mut self) {
        const BATCH: usize = 500;
        let mut orders = self.of_shard.clone();
        for order in &mut orders {
            for index in (1..order.len()).rev() {
                let other = self.random.below(index as u64 + 1);
                order.swap(index, usize::try_from(other).expect("below a length"));
            }
        }
        let longest = orders.iter().map(Vec::len).max().unwrap_or_default();
        for first in (0..longest).step_by(BATCH) {
            for (shard, order) in (0..).zip(&orders) {
                let numbers = order.iter().skip(first).take(BATCH);
                let (now, mut admission) = (now(), Admission::default());
                let mut items: Vec<Item> = numbers
                    .map(|number| self.item(u64::from(*number), now, &mut admission))
                    .collect();
                if self.amounts == Amounts::Spending {
                    for item in &mut items {
                        item.change = change(FUNDS);
                    }
                }
                self.apply(shard, &items, now);
            }
        }
    }

    /// Returns a batch of contributions of random members of a random shard.
    pub fn batch(&mut self, len: usize, now: Timestamp) -> (u16, Vec<Item>) {
        let shard = self.random.below(u64::from(self.record.shards.get()));
        let shard = u16::try_from(shard).expect("at most 4096 shards");
        let mut admission = Admission::default();
        let items = (0..len).map(|_| {
            let members = &self.of_shard[usize::from(shard)];
            let index = self.random.below(members.len() as u64);
            let number = members[usize::try_from(index).expect("below a length")];
            self.item(u64::from(number), now, &mut admission)
        });
        (shard, items.collect())
    }

    /// Returns a request with contributions of random members.
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

    /// Applies a batch to a shard.
    ///
    /// # Panics
    /// Panics if any contribution is not applied.
    pub fn apply(&self, shard: u16, items: &[Item], now: Timestamp) {
        let batch = Batch {
            kind: &self.known.kind,
            now,
            until: None,
            waits_until: None,
            report: false,
            items,
        };
        let outcomes = block_on(self.router.store().apply(&self.record, shard, batch));
        let outcomes = outcomes.expect("the store does not fail");
        assert!(outcomes.iter().all(|o| matches!(o, Outcome::Applied(_))));
    }

    /// Writes a request through the router.
    ///
    /// # Panics
    /// Panics if any contribution is not applied.
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
                .expect("the time is current"),
            member,
        }
    }

    fn points(&mut self) -> Change {
        let spends = self.amounts == Amounts::Spending && self.random.below(2) == 0;
        let max = match self.amounts {
            Amounts::Attempts => ATTEMPT_MAX,
            Amounts::Spending if spends => SPENT_MAX,
            Amounts::Points | Amounts::Spending => POINTS_MAX,
        };
        let points = i64::try_from(1 + self.random.below(max)).expect("a small number");
        change(if spends { -points } else { points })
    }

    fn time(&mut self, now: Timestamp) -> Timestamp {
        now.minus(Duration::from_millis(self.random.below(DELAY_MS_MAX)))
    }

    fn id(&mut self) -> Option<ContributionId> {
        self.with_ids.then(|| {
            self.ids += 1;
            ContributionId::new(&format!("evt-{}", self.ids)).expect("a valid id")
        })
    }
}

fn change(points: i64) -> Change {
    Change::Fold(Values::from(Value::new(points).expect("a small number")))
}
