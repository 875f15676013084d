//! [`Workload`]: random steps on a board.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use board::{
    FieldName, FieldRule, IdDigest, Keep, Kind, Member, Mode, Period, Rules, Ties, Timestamp,
    Value, Values, Window, WindowRule,
};

use shard_store::{Change, Item};
use testkit::conformance::fixtures::gifts;
use testkit::dice::Dice;

const HOUR: Duration = Duration::from_hours(1);

/// One step, to be applied to any copy of the board.
pub(super) enum Step {
    Apply(Vec<Item>),
    /// Windows past their retention are dropped.
    Expire,
    /// The window without bounds is emptied, as for an idle board.
    Empty,
}

#[derive(Clone)]
pub(super) struct Workload {
    dice: Dice,
    pub(super) kind: Arc<Kind>,
    pub(super) now: Timestamp,
    /// Ids, and the placement hashes of their members.
    pub(super) ids: Vec<(IdDigest, u64)>,
    pub(super) windows: BTreeSet<Window>,
    members: usize,
    batch: usize,
    /// One in this many contributions removes its member.
    removals: u64,
}

impl Workload {
    pub(super) fn begin(mut dice: Dice) -> Self {
        Self {
            kind: Arc::new(any_kind(&mut dice, &[1, 4])),
            now: Timestamp::from_millis(1_795_186_342_123),
            ids: Vec::new(),
            windows: BTreeSet::new(),
            members: *dice.pick(&[20, 200, 3000]),
            batch: *dice.pick(&[10, 100, 400]),
            removals: *dice.pick(&[3, 20, 1000]),
            dice,
        }
    }

    /// Creates a workload on an empty board with this many shards.
    pub(super) fn of_shards(shards: u64) -> Self {
        let mut dice = Dice::new(1);
        let kind = Arc::new(any_kind(&mut dice, &[shards]));
        Self {
            kind,
            ..Self::begin(dice)
        }
    }

    /// Returns contributions of more members than the shards can hold as small rankings.
    pub(super) fn many_members(&mut self) -> Vec<Item> {
        (self.members, self.batch, self.removals) = (100_000, 2000, u64::MAX);
        std::iter::repeat_with(|| self.items())
            .take(2)
            .flatten()
            .collect()
    }

    pub(super) fn step(&mut self) -> Step {
        let ahead = if self.dice.one_in(10) {
            HOUR * 2 / 3
        } else {
            Duration::from_millis(self.dice.word() % 5000)
        };
        self.now = self.now.plus(ahead);
        match self.dice.below(40) {
            0..5 => Step::Expire,
            5 => Step::Empty,
            _ => Step::Apply(self.items()),
        }
    }

    fn items(&mut self) -> Vec<Item> {
        let windows = self.kind.admit(self.now, self.now).unwrap();
        self.windows.extend(windows.iter());
        let items = (0..=self.dice.below(self.batch)).map(|_| {
            let member = member(self.dice.below(self.members));
            let hash = member.placement_hash();
            let change = self.change();
            let id = (!change.is_removal() && self.dice.one_in(2)).then(|| self.id(hash));
            Item {
                member,
                hash,
                change,
                at: self.now,
                id,
                windows: windows.clone(),
            }
        });
        items.collect()
    }

    fn change(&mut self) -> Change {
        if self.dice.one_in(self.removals) {
            return if self.dice.one_in(2) {
                Change::Remove
            } else {
                Change::RemoveFrom
            };
        }
        let mut values = Values::default();
        for index in 0..self.kind.rules().fields().len() {
            // Few values, so that standings tie.
            values.set(index, Value::new(self.dice.between(-3, 5)).unwrap());
        }
        if self.dice.one_in(10) {
            Change::Set(values)
        } else {
            Change::Fold(values)
        }
    }

    /// Returns a new id, or one that was used before.
    fn id(&mut self, hash: u64) -> IdDigest {
        let digest = u128::from(self.dice.word()) << 64 | u128::from(self.dice.word());
        let again = self.dice.one_in(4) && !self.ids.is_empty();
        let (digest, hash) = if again {
            *self.dice.pick(&self.ids)
        } else {
            (IdDigest(digest), hash)
        };
        self.ids.push((digest, hash));
        digest
    }
}

/// Returns a member of 2 to 128 bytes, which depends only on the number.
fn member(number: usize) -> Member {
    let len = 2 + number * 37 % 100;
    Member::new(&format!("{number:_>len$}")).unwrap()
}

fn any_kind(dice: &mut Dice, shards: &[u64]) -> Kind {
    let names = ["points", "laps", "seconds", "likes"];
    let fields = names[..=dice.below(4)].iter();
    let fields = fields.map(|name| FieldRule::sum(FieldName::new(name).unwrap()));
    let mode = *dice.pick(&[Mode::Accumulate, Mode::Best, Mode::Latest]);
    let ties = *dice.pick(&[Ties::Earliest, Ties::Latest, Ties::Member]);
    let hours = WindowRule {
        keep: Keep::After(HOUR),
        ..WindowRule::with_defaults(Period::Hour)
    };
    gifts(|spec| {
        spec.rules = Rules::new(fields.collect(), mode, ties).unwrap();
        spec.windows = vec![WindowRule::with_defaults(Period::All), hours];
        spec.shards = *dice.pick(shards);
    })
}
