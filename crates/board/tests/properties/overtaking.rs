//! What it takes to overtake, held against a naive twin that tries every change.

use std::time::Duration;

use board::{
    Direction, FieldName, FieldRule, Member, Mode, Op, Packing, RankKey, Rules, Standing, Ties,
    Timestamp, Value, Values,
};
use proptest::prelude::*;

/// Values lie within ±`REACH`, so that no smallest change is larger than `CHANGE_MAX`.
const REACH: i64 = 4;
const CHANGE_MAX: i64 = 2 * REACH + 2;

const NOW: i64 = 1_700_000_000_000;

/// Fields given, and a time in ms from now.
type Contribution = ([Option<i64>; 2], i64);

#[derive(Debug, Clone)]
struct Case {
    rules: Rules,
    own: Vec<Contribution>,
    target: Vec<Contribution>,
    names: (&'static str, &'static str),
}

fn rules_strategy() -> impl Strategy<Value = Rules> {
    let orders = prop::sample::select(vec![Direction::Desc, Direction::Asc]);
    let ops = prop::sample::select(vec![Op::Sum, Op::Max, Op::Min, Op::Last]);
    let fields = prop::collection::vec((orders, ops), 1..=2);
    let mode = prop::sample::select(vec![
        Mode::Accumulate,
        Mode::Accumulate,
        Mode::Best,
        Mode::Latest,
    ]);
    let ties = prop::sample::select(vec![Ties::Earliest, Ties::Latest, Ties::Member]);
    (fields, mode, ties, prop::bool::weighted(0.2)).prop_map(|(fields, mode, ties, packed)| {
        let rule = |(index, (order, op)): (usize, (Direction, Op))| FieldRule {
            name: FieldName::new(&format!("f{index}")).unwrap(),
            order,
            op: if mode == Mode::Accumulate {
                op
            } else {
                Op::Sum
            },
        };
        let fields = fields.into_iter().enumerate().map(rule).collect();
        let rules = Rules::new(fields, mode, ties).unwrap();
        let packing = Packing {
            max: 3,
            unit: Duration::from_millis(100),
            span: None,
        };
        match rules.clone().packed(packing) {
            Ok(packed_rules) if packed => packed_rules,
            _ => rules,
        }
    })
}

fn case_strategy() -> impl Strategy<Value = Case> {
    let number = || prop::option::weighted(0.7, -1..=1_i64);
    // Times are mostly behind the clock, and otherwise a little ahead, as they may be.
    let at = || prop_oneof![-300..0_i64, Just(0), 1..300_i64];
    let contributions = || prop::collection::vec(([number(), number()], at()), 1..=3);
    let names = prop::sample::select(vec![("a", "b"), ("b", "a")]);
    (rules_strategy(), contributions(), contributions(), names).prop_map(
        |(rules, own, target, names)| Case {
            rules,
            own,
            target,
            names,
        },
    )
}

fn values(rules: &Rules, fields: &[Option<i64>; 2]) -> Values {
    let mut values = Values::default();
    for (index, field) in fields.iter().enumerate().take(rules.fields().len()) {
        let field = match (rules.mode(), field) {
            (Mode::Best | Mode::Latest, None) => Some(0),
            (_, field) => *field,
        };
        if let Some(number) = field {
            values.set(index, Value::new(number).unwrap());
        }
    }
    values
}

/// What these contributions come to, those that are taken.
fn standing(rules: &Rules, contributions: &[Contribution]) -> Option<Standing> {
    let mut held = None;
    for (fields, at) in contributions {
        let values = values(rules, fields);
        let at = rules.kept_time(Timestamp::from_micros(NOW + at));
        if rules.check(&values).is_ok()
            && let Ok(new) = rules.fold(held.as_ref(), &values, at)
        {
            held = Some(new);
        }
    }
    held
}

fn key(rules: &Rules, standing: &Standing, member: &str) -> RankKey {
    rules.rank_key(rules.rank_words_of(standing), Member::new(member).unwrap())
}

/// The contribution of a member of this standing that changes the first field by so much and no other.
fn contribution(rules: &Rules, own: &Standing, change: i64) -> Values {
    let held = rules.values(own);
    let sums = rules.mode() == Mode::Accumulate && rules.fields()[0].op == Op::Sum;
    let mut values = if rules.mode() == Mode::Accumulate {
        Values::default()
    } else {
        held
    };
    let from = held.get(0).map_or(0, Value::get);
    let number = if sums { change } else { from + change };
    values.set(0, Value::new(number).unwrap());
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40_000))]

    #[test]
    fn the_smallest_change_of_all_is_found(case in case_strategy()) {
        let rules = &case.rules;
        let of = |contributions, name| Some((standing(rules, contributions)?, name));
        let both = (of(&case.own, case.names.0), of(&case.target, case.names.1));
        let (Some(one), Some(other)) = both else { return Ok(()) };
        let is_above = |a: &(Standing, &str), b: &(Standing, &str)| {
            key(rules, &a.0, a.1) > key(rules, &b.0, b.1)
        };
        let (above, (own, own_name)) = if is_above(&one, &other) {
            (one, other)
        } else {
            (other, one)
        };
        let target = key(rules, &above.0, above.1);
        let now = Timestamp::from_micros(NOW);
        let overtakes = |change: i64| {
            let values = contribution(rules, &own, change);
            if rules.check(&values).is_err() {
                return false;
            }
            match rules.fold(Some(&own), &values, rules.kept_time(now)) {
                Ok(after) => key(rules, &after, own_name) > target,
                Err(_) => false,
            }
        };
        let naive = (0..=CHANGE_MAX).find(|size| overtakes(*size) || overtakes(-size));
        let member = Member::new(own_name).unwrap();
        let found = rules.change_to_overtake(&own, &member, &target, now);
        prop_assert_eq!(found.map(i64::abs), naive);
        prop_assert!(found.is_none_or(overtakes));
    }
}
