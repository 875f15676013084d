//! Kinds and batches of every sort.

use std::sync::Arc;
use std::time::Duration;

use board::{
    ContributionId, IdDigest, Incarnation, Kind, Member, Mode, Rules, Ties, Timestamp, Window,
};
use testkit::conformance::any_kind::{self, any_outright, any_values};
use testkit::conformance::fixtures::gifts_spec;
use testkit::dice::Dice;

use super::applier::{HOUR, MS};
use shard_store::{Change, Item};

/// Names that a store might misread.
const NAMES: [&str; 7] = [
    "u1",
    "u2",
    "é{x}",
    "MOVED 1 h:1",
    "message",
    "-0",
    "日本 \u{1F3C6}",
];

/// A kind of any sort, of one shard. A third have one field that sums, as most boards do.
pub(super) fn any_kind(dice: &mut Dice) -> Kind {
    let mut spec = any_kind::any_kind(dice, 1).spec().clone();
    if dice.one_in(3) {
        let points = gifts_spec().rules.fields().to_vec();
        let ties = *dice.pick(&[Ties::Earliest, Ties::Latest, Ties::Member]);
        spec.rules = Rules::new(points, Mode::Accumulate, ties).unwrap();
    }
    spec.dedupe = *dice.pick(&[Duration::ZERO, MS * 3, HOUR, HOUR * 24]);
    Kind::new(spec).unwrap()
}

/// A pause, often none.
pub(super) fn any_pause(dice: &mut Dice) -> Duration {
    *dice.pick(&[
        Duration::ZERO,
        Duration::ZERO,
        MS,
        MS * 2,
        HOUR / 60,
        HOUR / 2,
        HOUR,
        HOUR * 25,
    ])
}

/// Items, mostly of the usual sort.
pub(super) fn any_items(dice: &mut Dice, kind: &Kind, now: Timestamp) -> Vec<Item> {
    let sort = Sort {
        plain: dice.below(2) == 0,
        ids: dice.below(2) == 0,
        late: dice.below(3) == 0,
        removals: dice.below(4) == 0,
    };
    let count = *dice.pick(&[1, 2, 5, 40]);
    let mut items: Vec<Item> = Vec::new();
    for _ in 0..count {
        let mut item = any_item(dice, kind, now, &sort);
        // Items of one request share their windows.
        if let Some(last) = items.iter().find(|other| other.windows == item.windows) {
            item.windows = last.windows.clone();
        }
        items.push(item);
    }
    items
}

/// What occurs in a batch.
#[expect(clippy::struct_excessive_bools, reason = "each is thrown for itself")]
struct Sort {
    plain: bool,
    ids: bool,
    late: bool,
    removals: bool,
}

fn any_item(dice: &mut Dice, kind: &Kind, now: Timestamp, sort: &Sort) -> Item {
    let member = Member::new(NAMES[dice.below(NAMES.len())]).unwrap();
    let late = if sort.late {
        any_pause(dice)
    } else {
        MS * u32::try_from(dice.below(3)).unwrap()
    };
    let at = kind.rules().kept_time(now.minus(late));
    let change = match dice.below(8) {
        0 if sort.removals => *dice.pick(&[Change::Remove, Change::RemoveFrom, Change::Expire]),
        1 if !sort.plain => Change::Set(any_outright(dice, kind)),
        _ => Change::Fold(any_values(dice, kind)),
    };
    let periods = kind.windows().iter().map(|rule| rule.period);
    let mut windows: Vec<Window> = periods
        .map(|period| kind.calendar().span_at(period, at).window)
        .collect();
    if windows.len() > 1 && !sort.plain && dice.below(3) == 0 {
        windows.remove(dice.below(windows.len()));
    }
    if change == Change::Expire {
        windows.truncate(1);
    }
    Item {
        hash: member.placement_hash(),
        id: (sort.ids && dice.below(4) > 0).then(|| any_id(dice, &member)),
        member,
        change,
        at,
        windows: Arc::from(windows),
    }
}

/// One of a few, so that they are repeated.
fn any_id(dice: &mut Dice, member: &Member) -> IdDigest {
    let id = ContributionId::new(&dice.below(9).to_string()).unwrap();
    IdDigest::new(Incarnation(1), member, &id)
}
