//! Random operations on a board and on its naive twin: all outcomes and responses must agree.

use std::sync::Arc;
use std::time::Duration;

use board::{
    Admission, Bound, Kind, KindSpec, Member, Period, RankStyle, ShardCount, Standing, Timestamp,
    Values, Window,
};
use shard_store::{
    Anchor, Change, Item, Outcome, Query, RangeAsk, Revision, ShardVersion, StoreError, WindowCount,
};

use crate::conformance::any_kind::{any_kind, any_outright, any_values};
use crate::conformance::fixtures::{Board, DAY, HOUR, MINUTE, NOW, OpenStore, member, read_shard};
use crate::conformance::twin::{ItemOutcome, Twin};
use crate::conformance::versions_seen::Versions;
use crate::dice::{Dice, Seed};

/// Boards so small that their shards are likely stored together.
pub async fn tiny_boards_agree_with_the_twin(store: OpenStore) {
    agree(store, 20, 60, (100, 8_000)).await;
}

/// Boards that grow beyond the size of small boards, and shrink below it again.
pub async fn growing_boards_agree_with_the_twin(store: OpenStore) {
    agree(store, 150, 60, (50, 2_500)).await;
}

/// Boards with large shards only.
pub async fn large_boards_agree_with_the_twin(store: OpenStore) {
    agree(store, 2500, 30, (12, 600)).await;
}

async fn agree(store: OpenStore, members: usize, steps: usize, (sampled, whole): (u64, u64)) {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for number in 0..store.runs(sampled, whole) {
        let mut run = Run::new(&store, &mut dice, members, number).await;
        for _ in 0..steps {
            run.step(&mut dice).await;
        }
        run.compare(&mut dice).await;
        run.board.verify().await;
        store
            .delete_board(&run.board.record.name, run.clock)
            .await
            .unwrap();
    }
}

/// Windows of a board that one sweep drops at least, if so many have expired. The next one drops the rest.
const DROPPED_AT_ONCE: usize = 32;

/// A board and its twin.
struct Run<'a> {
    store: &'a OpenStore,
    board: Board,
    twin: Twin,
    members: Vec<Member>,
    clock: Timestamp,
    /// Contributions with ids, to be sent again.
    sent: Vec<Item>,
    /// Items with the same time share their windows, as a router's do.
    admission: Admission,
    versions: Versions,
}

impl<'a> Run<'a> {
    async fn new(store: &'a OpenStore, dice: &mut Dice, members: usize, number: u64) -> Self {
        let shards = *dice.pick(&[1, 4, 16]);
        let kind = any_kind(dice, shards);
        let kind = if dice.one_in(3) {
            dense(kind, store.capabilities().dense_shards_max())
        } else {
            kind
        };
        let kind = Arc::new(kind);
        let kind = store.put_kind(kind, Revision(number), true).await;
        let board = store.created(&kind.unwrap(), "b", NOW).await;
        Self {
            store,
            twin: Twin::new(board.kind.clone(), board.record.clone(), NOW),
            board,
            members: (0..members).map(|n| member(&format!("u{n}"))).collect(),
            clock: NOW,
            sent: Vec::new(),
            admission: Admission::default(),
            versions: Versions::default(),
        }
    }

    async fn step(&mut self, dice: &mut Dice) {
        match dice.below(20) {
            0 => self.sweep(dice).await,
            1 => self.clock = self.clock.minus(pick_span(dice)),
            2..4 => self.clock = self.clock.plus(pick_span(dice)),
            4 if dice.one_in(4) => self.delete_board().await,
            5..8 => self.compare(dice).await,
            _ => self.contribute(dice).await,
        }
    }

    async fn contribute(&mut self, dice: &mut Dice) {
        let items = self.any_items(dice);
        let report = dice.one_in(2);
        let before = self.all_versions().await;
        let outcomes = self
            .board
            .try_apply(&items, self.clock, report)
            .await
            .unwrap();
        let mut changed = false;
        // Items on different shards are independent, so the twin can apply them in this order.
        for (item, outcome) in items.iter().zip(&outcomes) {
            let reported = self.twin.apply(item, self.clock);
            assert_eq!(
                reported,
                ItemOutcome::by(outcome),
                "{item:?} at {}: {outcome:?}",
                self.clock
            );
            self.check_report(item, outcome, report);
            changed |= reported == ItemOutcome::Applied;
        }
        if !changed {
            assert_eq!(self.all_versions().await, before, "nothing was applied");
        }
        let by_id = items.into_iter().filter(|item| item.id.is_some());
        self.sent.extend(by_id.take(5));
    }

    fn any_items(&mut self, dice: &mut Dice) -> Vec<Item> {
        let most = (self.members.len() / 4).max(12);
        let count = 1 + dice.below(most);
        let members = if dice.one_in(5) {
            2
        } else {
            self.members.len()
        };
        let at = self.clock.minus(pick_span(dice));
        // Some differ by a microsecond.
        let at = at.minus(Duration::from_micros(u64::try_from(dice.below(3)).unwrap()));
        let mut items: Vec<Item> = Vec::new();
        for _ in 0..count {
            let item = if !self.sent.is_empty() && dice.one_in(8) {
                Some(dice.pick(&self.sent).clone())
            } else {
                let member = self.members[dice.below(members)].clone();
                self.any_item(dice, &member, at)
            };
            // Items whose outcome the contract does not define are left out. An id may occur twice
            // in a batch.
            items.extend(item.filter(|item| self.twin.is_decided(item, self.clock)));
        }
        items
    }

    fn any_item(&mut self, dice: &mut Dice, member: &Member, at: Timestamp) -> Option<Item> {
        let kind = &self.board.kind;
        let change = match dice.below(24) {
            0 => *dice.pick(&[Change::Remove, Change::RemoveFrom, Change::Expire]),
            1 | 2 => Change::Set(any_outright(dice, kind)),
            _ => Change::Fold(any_values(dice, kind)),
        };
        // Many items with the same time, which share windows and tie; others around it.
        let at = match dice.below(4) {
            0 => at.plus(MINUTE * u32::try_from(dice.below(200)).unwrap()),
            1 => self
                .clock
                .plus(MINUTE * u32::try_from(dice.below(6)).unwrap()),
            _ => at,
        };
        let windows = self
            .admission
            .admit(&self.board.kind, at, self.clock)
            .ok()?;
        // One of several would be removed from some of them only.
        let windows = match change {
            Change::Expire => [*dice.pick(&windows)].into(),
            _ => windows,
        };
        let item = Item {
            windows,
            ..self.board.item(member, change, self.clock, self.clock)
        };
        let at = self.board.kind.rules().kept_time(at);
        let item = Item { at, ..item };
        let id = format!("evt-{}", dice.below(500));
        if change.is_removal() || dice.one_in(2) {
            return Some(item);
        }
        let named = self.board.points_by_id(member, 0, &id, self.clock);
        Some(Item {
            id: named.id,
            ..item
        })
    }

    fn check_report(&self, item: &Item, outcome: &Outcome, report: bool) {
        let (Outcome::Applied(reported) | Outcome::Duplicate(reported)) = outcome else {
            return;
        };
        let rules = self.board.kind.rules();
        let shown = |window: Window, standing: &Standing| {
            (window, rules.values(standing), rules.reached_at(standing))
        };
        let reported: Vec<_> = reported
            .iter()
            .map(|t| shown(t.window, &t.standing))
            .collect();
        let held = self.twin.standings(item);
        let held: Vec<_> = held
            .iter()
            .map(|(w, standing)| shown(*w, standing))
            .collect();
        if report && !item.change.is_removal() {
            assert_eq!(reported, held, "standings after {item:?}");
        } else {
            assert_eq!(reported, [], "standings were not requested");
        }
    }

    async fn sweep(&mut self, dice: &mut Dice) {
        if self.twin.is_about_idle(self.clock) && dice.one_in(2) {
            self.clock = self.clock.plus(DAY * 41);
        }
        if self.twin.is_about_idle(self.clock) {
            return;
        }
        let held: Vec<Window> = self.twin.windows.keys().copied().collect();
        for _ in 0..=held.len() / DROPPED_AT_ONCE {
            self.store.drop_expired(self.clock).await.unwrap();
        }
        self.twin.drop_expired(self.clock);
        for window in held {
            if !self.twin.windows.contains_key(&window) && window.period() != Period::All {
                self.versions.forget(window);
            }
        }
        let there = self.store.board(&self.board.record.name).await.unwrap();
        if there.is_none() {
            assert!(
                self.twin.may_be_gone(self.clock),
                "a board with standings or ids was deleted"
            );
            self.recreate().await;
        }
    }

    async fn delete_board(&mut self) {
        let name = self.board.record.name.clone();
        self.store
            .delete_board(&name, self.clock.plus(HOUR))
            .await
            .unwrap();
        self.recreate().await;
    }

    async fn recreate(&mut self) {
        let old = self.board.clone();
        let kind = self.store.kinds().await.unwrap().remove(0);
        self.board = self.store.created(&kind, "b", self.clock).await;
        self.twin = Twin::new(old.kind.clone(), self.board.record.clone(), self.clock);
        self.sent.clear();
        self.versions = Versions::default();
        assert_ne!(old.record.incarnation, self.board.record.incarnation);
        let item = old.item(&self.members[0], Change::Remove, self.clock, self.clock);
        let refused = old.try_apply(&[item], self.clock, false).await;
        assert_eq!(refused, Err(StoreError::IncarnationEnded));
    }

    /// Returns the windows that may have standings.
    fn windows(&self) -> Vec<Window> {
        let mut windows: Vec<Window> = self.twin.windows.keys().copied().collect();
        let now = self.board.kind.admit(self.clock, self.clock);
        windows.extend(now.unwrap().iter());
        windows.sort_unstable();
        windows.dedup();
        windows
    }

    async fn all_versions(&self) -> Vec<ShardVersion> {
        let mut versions = Vec::new();
        for window in self.twin.windows.keys() {
            for shard in self.board.read_shards() {
                versions.push(self.board.version(*window, shard).await);
            }
        }
        versions
    }

    async fn compare(&mut self, dice: &mut Dice) {
        for shard in self.board.shards() {
            self.compare_counts(shard).await;
        }
        for shard in self.board.read_shards() {
            for window in self.windows() {
                self.compare_window(dice, window, shard).await;
            }
        }
    }

    async fn compare_counts(&self, shard: u16) {
        let counted = self.store.windows(&self.board.record, shard).await.unwrap();
        let mut counted: Vec<_> = counted.iter().map(|c| (c.window, c.members)).collect();
        counted.sort_unstable();
        let held = self.twin.windows.keys().map(|window| WindowCount {
            window: *window,
            members: self.twin.sorted(*window, shard).len() as u64,
        });
        let held = held.filter(|count| count.members > 0);
        let held: Vec<_> = held.map(|count| (count.window, count.members)).collect();
        assert_eq!(counted, held, "windows of shard {shard}");
    }

    async fn compare_window(&mut self, dice: &mut Dice, window: Window, shard: u16) {
        let sorted = self.twin.read(window, shard);
        let everything = RangeAsk {
            anchor: Anchor::Rank(0),
            before: 1,
            after: sorted.len() + 1,
        };
        let mut ranges = vec![everything];
        ranges.extend((0..12).map(|_| self.any_ask(dice, &sorted)));
        let query = Query {
            window,
            unless: None,
            groups: self.board.groups(),
            ranges: ranges.into(),
        };
        let (store, record) = (&*self.board.store, &self.board.record);
        let reading = match read_shard(store, record, shard, &query).await {
            Err(StoreError::WindowDropped) => {
                assert!(self.twin.may_be_dropped(window), "{window:?}");
                return;
            }
            reading => reading.unwrap(),
        };
        assert!(!self.twin.is_dropped(window), "{window:?}");
        assert_eq!(reading.members, sorted.len() as u64);
        let parts = reading.parts.expect("the query has no version to compare");
        assert_eq!(parts.len(), query.ranges.len());
        for (ask, part) in query.ranges.iter().zip(&parts) {
            assert_eq!(
                *part,
                self.twin.answer(window, &sorted, ask),
                "{ask:?} of {window:?}"
            );
        }
        self.versions.see(window, shard, reading.version, &sorted);
        let again = Query {
            unless: Some(reading.version),
            ..query
        };
        let again = self.board.read(shard, &again).await;
        assert_eq!((again.version, again.parts), (reading.version, None));
    }

    fn any_ask(&self, dice: &mut Dice, sorted: &[shard_store::ShardEntry]) -> RangeAsk {
        let rules = self.board.kind.rules();
        let anyone = dice.pick(&self.members).clone();
        let anchor = match dice.below(6) {
            0 => Anchor::Rank(dice.below(sorted.len() + 3) as u64),
            1 => Anchor::Member(anyone),
            2 => Anchor::Bound(match any_values(dice, &self.board.kind).get(0) {
                Some(value) if dice.one_in(2) => rules.at_least(value),
                Some(value) => rules.better_than(value),
                None => Bound::prefix(rules.rank_words(&Values::default(), self.clock)),
            }),
            3 if !sorted.is_empty() => {
                let words = dice.pick(sorted).key.words;
                let len = dice.below(words.as_slice().len() + 1);
                Anchor::Bound(Bound::prefix(words.prefix(len)))
            }
            4 if !sorted.is_empty() => {
                let key = dice.pick(sorted).key.clone();
                let member = if dice.one_in(2) { anyone } else { key.member };
                let words = key.words;
                Anchor::Bound(Bound::key(&rules.rank_key(words, member)))
            }
            _ => {
                let values = any_values(dice, &self.board.kind);
                let words = rules.rank_words(&values, self.clock);
                Anchor::Bound(Bound::prefix(words))
            }
        };
        RangeAsk {
            anchor,
            before: dice.below(8),
            after: dice.below(8),
        }
    }
}

fn pick_span(dice: &mut Dice) -> Duration {
    let unit = *dice.pick(&[Duration::from_millis(1), MINUTE, HOUR, HOUR, DAY]);
    unit * u32::try_from(dice.below(30)).unwrap()
}

/// Returns the kind with dense ranks, and no more shards than the store supports then, unless it is packed.
fn dense(kind: Kind, shards_max: ShardCount) -> Kind {
    if kind.rules().packing().is_some() {
        return kind;
    }
    let spec = kind.spec().clone();
    let dense = Kind::new(KindSpec {
        rank: RankStyle::Dense,
        shards: spec.shards.min(u64::from(shards_max.get())),
        ..spec
    });
    dense.unwrap()
}
