//! Kinds and batches of every sort.

use std::sync::Arc;
use std::time::Duration;

use board::{
    ContributionId, Direction, FieldName, FieldRule, IdDigest, Incarnation, Kind, Member, Mode, Op,
    Packing, Period, Rules, Ties, Timestamp, Value, Values, Window, WindowRule, limits::VALUE_MAX,
};
use testkit::dice::Dice;

use super::applier::{HOUR, MS, NOW, gifts};
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

fn pick<'a, T>(dice: &mut Dice, choices: &'a [T]) -> &'a T {
    &choices[dice.below(choices.len())]
}

pub(super) fn any_kind(dice: &mut Dice) -> Kind {
    let modes = [Mode::Accumulate, Mode::Accumulate, Mode::Best, Mode::Latest];
    let mode = *pick(dice, &modes);
    let ops = [Op::Sum, Op::Sum, Op::Max, Op::Min, Op::Last];
    // Most kinds have one field, and most of those a sum.
    let plain = dice.below(3) == 0;
    let count = if plain {
        1
    } else {
        *pick(dice, &[1, 1, 1, 2, 3, 4])
    };
    let fields = (0..count).map(|index| FieldRule {
        name: FieldName::new(&format!("f{index}")).unwrap(),
        order: *pick(dice, &[Direction::Desc, Direction::Asc]),
        op: match mode {
            Mode::Accumulate if !plain => *pick(dice, &ops),
            _ => Op::Sum,
        },
    });
    let fields = fields.collect();
    let mode = if plain { Mode::Accumulate } else { mode };
    let ties = *pick(dice, &[Ties::Earliest, Ties::Latest, Ties::Member]);
    let rules = Rules::new(fields, mode, ties).unwrap();
    let packing = any_packing(dice);
    let rules = match rules.clone().packed(packing) {
        Ok(packed) if dice.below(2) == 0 => packed,
        _ => rules,
    };
    let periods = [
        Period::All,
        Period::Hour,
        Period::Day,
        Period::Week,
        Period::Month,
        Period::SixHours,
        Period::Year,
    ];
    let mut windows: Vec<_> = periods.map(WindowRule::with_defaults).to_vec();
    windows.retain(|_| dice.below(2) == 0);
    if windows.is_empty() {
        windows.push(WindowRule::with_defaults(Period::All));
    }
    let dedupe = *pick(dice, &[Duration::ZERO, MS * 3, HOUR, HOUR * 24]);
    let unbounded = windows.iter().any(|rule| rule.period == Period::All);
    let rules = match rules.packing().cloned() {
        Some(packing) if !unbounded => without_span(&rules, &packing),
        _ => rules,
    };
    gifts(|spec| {
        spec.rules = rules;
        spec.windows = windows;
        spec.dedupe = dedupe;
    })
}

fn any_packing(dice: &mut Dice) -> Packing {
    let from = Timestamp::from_millis(NOW.minus(HOUR * 24 * 60).millis() / 1000 * 1000);
    Packing {
        max: *pick(dice, &[3, 1000, 131_071]),
        unit: MS * *pick(dice, &[1, 100, 1000]),
        span: Some((from, from.plus(HOUR * 24 * 365))),
    }
}

/// The same without a window that has no bounds.
fn without_span(rules: &Rules, packing: &Packing) -> Rules {
    let fields = rules.fields().to_vec();
    let rules = Rules::new(fields, rules.mode(), rules.ties()).unwrap();
    let packing = Packing {
        span: None,
        ..packing.clone()
    };
    rules.packed(packing).unwrap()
}

/// A pause, often none.
pub(super) fn any_pause(dice: &mut Dice) -> Duration {
    *pick(
        dice,
        &[
            Duration::ZERO,
            Duration::ZERO,
            MS,
            MS * 2,
            HOUR / 60,
            HOUR / 2,
            HOUR,
            HOUR * 25,
        ],
    )
}

/// Items, mostly of the usual sort.
pub(super) fn any_items(dice: &mut Dice, kind: &Kind, now: Timestamp) -> Vec<Item> {
    let sort = Sort {
        plain: dice.below(2) == 0,
        ids: dice.below(2) == 0,
        late: dice.below(3) == 0,
        removals: dice.below(4) == 0,
    };
    let count = *pick(dice, &[1, 2, 5, 40]);
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
        1 if !sort.plain => {
            let fits = |values: &Values| kind.rules().check_outright(values).is_ok();
            Change::Set(any_values(dice, kind, fits))
        }
        _ => {
            let fits = |values: &Values| kind.rules().check(values).is_ok();
            Change::Fold(any_values(dice, kind, fits))
        }
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

fn any_values(dice: &mut Dice, kind: &Kind, fits: impl Fn(&Values) -> bool) -> Values {
    loop {
        let mut values = Values::default();
        for index in 0..kind.rules().fields().len() {
            if kind.rules().mode() != Mode::Accumulate || dice.below(4) > 0 {
                values.set(index, any_value(dice));
            }
        }
        if fits(&values) {
            return values;
        }
    }
}

fn any_value(dice: &mut Dice) -> Value {
    let numbers = [VALUE_MAX, -VALUE_MAX, 1 << 52, -(1 << 31), (1 << 31) - 1];
    let number = match dice.below(40) {
        0 => *pick(dice, &numbers),
        1..=4 => i64::try_from(dice.below(2_000_000)).unwrap() - 1_000_000,
        _ => i64::try_from(dice.below(9)).unwrap() - 3,
    };
    Value::new(number).unwrap()
}
