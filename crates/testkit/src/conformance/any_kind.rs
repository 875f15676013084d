//! Random kinds, and random values that fit them.

use std::time::Duration;

use board::{
    Calendar, Direction, FieldName, FieldRule, Keep, Kind, Mode, Op, Packing, Period, Rules, Ties,
    Timestamp, Value, Values, WindowRule, limits::VALUE_MAX,
};

use crate::conformance::fixtures::{DAY, HOUR, NOW, gifts, idle, kept};
use crate::dice::Dice;

/// Returns a kind with one to four fields, any mode, ops, directions and tie rule, and up to five
/// windows that are kept for hours to weeks.
pub fn any_kind(dice: &mut Dice, shards: u64) -> Kind {
    let mode = *dice.pick(&[Mode::Accumulate, Mode::Accumulate, Mode::Best, Mode::Latest]);
    let fields = (0..=dice.below(4)).map(|index| any_field(dice, mode, index));
    let fields = fields.collect();
    let ties = *dice.pick(&[Ties::Earliest, Ties::Latest, Ties::Member]);
    let rules = Rules::new(fields, mode, ties).unwrap();
    let windows = any_windows(dice);
    let rules = sometimes_packed(dice, rules, &windows);
    let zone = *dice.pick(&["UTC", "Asia/Kolkata", "America/New_York"]);
    let dedupe = *dice.pick(&[HOUR / 60, HOUR, DAY]);
    gifts(|spec| {
        spec.rules = rules;
        spec.windows = windows;
        spec.calendar = Calendar::new(zone).unwrap();
        spec.shards = shards;
        spec.dedupe = dedupe;
    })
}

fn any_field(dice: &mut Dice, mode: Mode, index: usize) -> FieldRule {
    let ops = [Op::Sum, Op::Sum, Op::Max, Op::Min, Op::Last];
    FieldRule {
        name: FieldName::new(["points", "laps", "seconds", "likes"][index]).unwrap(),
        order: *dice.pick(&[Direction::Desc, Direction::Asc]),
        op: if mode == Mode::Accumulate {
            *dice.pick(&ops)
        } else {
            Op::Sum
        },
    }
}

/// Makes rules that can be packed often packed.
fn sometimes_packed(dice: &mut Dice, rules: Rules, windows: &[WindowRule]) -> Rules {
    let unbounded = windows.iter().any(|rule| rule.period == Period::All);
    let year = DAY * 365;
    let from = Timestamp::from_millis(NOW.minus(year).millis() / 1000 * 1000);
    let (unit, years) = *dice.pick(&[(1, 2), (250, 100), (1000, 100)]);
    let packing = Packing {
        max: *dice.pick(&[3, 1000, 130_000]),
        unit: Duration::from_millis(unit),
        span: unbounded.then(|| (from, from.plus(year * years))),
    };
    let is_packed = dice.one_in(2);
    match rules.clone().packed(packing) {
        Ok(packed) if is_packed => packed,
        _ => rules,
    }
}

fn any_windows(dice: &mut Dice) -> Vec<WindowRule> {
    let mut windows = vec![match dice.below(3) {
        0 => WindowRule {
            keep: Keep::Forever,
            ..WindowRule::with_defaults(Period::All)
        },
        1 => idle(DAY * 20),
        _ => kept(Period::Day, DAY * 2),
    }];
    let others = [
        kept(Period::Hour, HOUR * 3),
        kept(Period::Day, DAY * 3),
        kept(Period::Week, DAY * 7),
        kept(Period::Month, HOUR),
        kept(Period::SixHours, HOUR * 3),
        kept(Period::Quarter, HOUR),
    ];
    for rule in others {
        if dice.one_in(3) && windows[0].period != rule.period {
            windows.push(rule);
        }
    }
    windows
}

/// Returns values for a contribution: small, so that standings tie, and sometimes at the limits of
/// the range.
pub fn any_values(dice: &mut Dice, kind: &Kind) -> Values {
    any_values_that(dice, kind, |values| kind.rules().check(values).is_ok())
}

/// Returns values for a set.
pub fn any_outright(dice: &mut Dice, kind: &Kind) -> Values {
    any_values_that(dice, kind, |values| {
        kind.rules().check_outright(values).is_ok()
    })
}

fn any_values_that(dice: &mut Dice, kind: &Kind, fits: impl Fn(&Values) -> bool) -> Values {
    loop {
        let mut values = Values::default();
        for index in 0..kind.rules().fields().len() {
            if kind.rules().mode() == Mode::Accumulate && dice.one_in(4) {
                continue;
            }
            values.set(index, any_value(dice));
        }
        if fits(&values) {
            return values;
        }
    }
}

fn any_value(dice: &mut Dice) -> Value {
    let number = if dice.one_in(100) {
        *dice.pick(&[VALUE_MAX, -VALUE_MAX])
    } else if dice.one_in(10) {
        dice.between(-1_000_000, 1_000_000)
    } else {
        dice.between(-3, 5)
    };
    Value::new(number).unwrap()
}
