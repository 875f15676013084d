//! The same set of contributions gives the same standing, in whatever order they arrive: held
//! against a naive twin, which looks at all of them and does as the contract's table says.

use std::cmp::Ordering;

use board::limits::VALUE_MAX;
use board::{
    Direction, FieldName, FieldRule, Mode, Op, Rules, Standing, Ties, Timestamp, Value, Values,
};
use proptest::prelude::*;

/// A contribution: what it names, and when it happened.
#[derive(Debug, Clone, Copy)]
struct Event {
    named: [Option<i64>; 4],
    at: i64,
}

/// Null where a field was never named.
type Fields = Vec<Option<i64>>;

fn rules_strategy() -> impl Strategy<Value = Rules> {
    let op = prop::sample::select(vec![Op::Sum, Op::Max, Op::Min, Op::Last]);
    let field = (op, prop::bool::ANY);
    let mode = prop::sample::select(vec![Mode::Accumulate, Mode::Best, Mode::Latest]);
    (prop::collection::vec(field, 1..=4), mode).prop_map(|(fields, mode)| {
        let fields = fields
            .into_iter()
            .enumerate()
            .map(|(index, (op, asc))| FieldRule {
                name: FieldName::new(&format!("f{index}")).unwrap(),
                order: if asc { Direction::Asc } else { Direction::Desc },
                op: if mode == Mode::Accumulate {
                    op
                } else {
                    Op::Sum
                },
            });
        Rules::new(fields.collect(), mode, Ties::Earliest).unwrap()
    })
}

/// Few values and few times, so that everything ties with everything.
fn event_strategy() -> impl Strategy<Value = Event> {
    let value = prop::option::weighted(0.8, prop_oneof![4 => -2..=2_i64, 1 => Just(0)]);
    (prop::array::uniform4(value), 1000..1006_i64).prop_map(|(named, at)| Event { named, at })
}

/// The values that an event has for these rules; a whole attempt names all fields.
fn values(rules: &Rules, event: &Event) -> Values {
    let mut values = Values::default();
    for index in 0..rules.fields().len() {
        let number = match rules.mode() {
            Mode::Accumulate => event.named[index],
            Mode::Best | Mode::Latest => event.named[index].or(Some(0)),
        };
        if let Some(number) = number {
            values.set(index, Value::new(number).unwrap());
        }
    }
    values
}

fn folded(rules: &Rules, events: &[Event]) -> Option<Standing> {
    let mut held = None;
    for event in events {
        let values = values(rules, event);
        if rules.check(&values).is_ok() {
            let at = Timestamp::from_micros(event.at);
            held = Some(rules.fold(held.as_ref(), &values, at).unwrap());
        }
    }
    held
}

fn shown(rules: &Rules, standing: &Standing) -> (Fields, i64) {
    (
        numbers(rules, &rules.values(standing)),
        rules.reached_at(standing).micros(),
    )
}

fn numbers(rules: &Rules, values: &Values) -> Fields {
    let fields = 0..rules.fields().len();
    fields
        .map(|index| values.get(index).map(Value::get))
        .collect()
}

/// Which of two lists of fields is better, null worst.
fn better(rules: &Rules, a: &Fields, b: &Fields) -> Ordering {
    for (index, field) in rules.fields().iter().enumerate() {
        let order = match (a[index], b[index]) {
            (Some(a), Some(b)) if field.order == Direction::Asc => b.cmp(&a),
            (a, b) => a.cmp(&b),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// One field in mode accumulate: its value, and when it was reached.
fn accumulated(
    rule: &FieldRule,
    index: usize,
    events: &[Event],
    outright: bool,
) -> (Option<i64>, i64) {
    if rule.op == Op::Sum {
        let deltas = || {
            events
                .iter()
                .map(|event| (event.named[index].unwrap_or(0), event.at))
        };
        let sum = deltas().map(|(delta, _)| delta).sum();
        // Sums that were set count as moved, whatever they were set to.
        let set = events.first().filter(|_| outright).map(|event| event.at);
        let moved = deltas().filter(|(delta, _)| *delta != 0).map(|(_, at)| at);
        let latest = moved.chain(set).max();
        return (
            Some(sum),
            latest.or(deltas().map(|(_, at)| at).min()).unwrap(),
        );
    }
    let named = || {
        let named = events
            .iter()
            .filter_map(|event| Some((event.named[index]?, event.at)));
        named.collect::<Vec<_>>()
    };
    let earliest_of = |value: Option<i64>| {
        let value = value?;
        let times = named().into_iter().filter(|(held, _)| *held == value);
        Some((value, times.map(|(_, at)| at).min()?))
    };
    let held = match rule.op {
        Op::Max => earliest_of(named().iter().map(|(value, _)| *value).max()),
        Op::Min => earliest_of(named().iter().map(|(value, _)| *value).min()),
        Op::Last | Op::Sum => {
            let latest = named().iter().map(|(_, at)| *at).max();
            let of_then = named().into_iter().filter(|(_, at)| Some(*at) == latest);
            if rule.order == Direction::Desc {
                of_then.max_by_key(|(value, _)| *value)
            } else {
                of_then.min_by_key(|(value, _)| *value)
            }
        }
    };
    held.map_or((None, i64::MIN), |(value, at)| (Some(value), at))
}

/// The contract's table. `outright`: the first of the events set the standing.
fn twin(rules: &Rules, events: &[Event], outright: bool) -> Option<(Fields, i64)> {
    let taken = events
        .iter()
        .filter(|event| rules.check(&values(rules, event)).is_ok());
    let taken: Vec<Event> = taken.copied().collect();
    let first = taken.first()?;
    if rules.mode() == Mode::Accumulate {
        let fields = rules.fields().iter().enumerate();
        let fields = fields.map(|(index, rule)| accumulated(rule, index, &taken, outright));
        let (fields, times): (Fields, Vec<i64>) = fields.unzip();
        return Some((fields, *times.iter().max().unwrap()));
    }
    let attempt = |event: &Event| (numbers(rules, &values(rules, event)), event.at);
    let mut kept = attempt(first);
    for event in &taken {
        let new = attempt(event);
        let is_better = better(rules, &new.0, &kept.0);
        let replaces = match rules.mode() {
            Mode::Best => is_better.then(kept.1.cmp(&new.1)).is_gt(),
            _ => new.1.cmp(&kept.1).then(is_better).is_gt(),
        };
        if replaces {
            kept = new;
        }
    }
    Some(kept)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_order_gives_what_the_table_says(
        rules in rules_strategy(),
        (events, shuffled) in prop::collection::vec(event_strategy(), 1..10).prop_flat_map(|events| {
            (Just(events.clone()), Just(events).prop_shuffle())
        }),
    ) {
        let standing = folded(&rules, &events);
        prop_assert_eq!(standing, folded(&rules, &shuffled));
        let shown = standing.map(|standing| shown(&rules, &standing));
        prop_assert_eq!(shown, twin(&rules, &events, false));
    }

    #[test]
    fn what_follows_an_outright_set_folds_into_it(
        rules in rules_strategy(),
        events in prop::collection::vec(event_strategy(), 1..8),
    ) {
        let set = values(&rules, &events[0]);
        prop_assume!(rules.check(&set).is_ok());
        let at = Timestamp::from_micros(events[0].at);
        let mut held = rules.standing_of(&set, at);
        let expected = numbers(&rules, &set);
        let sums = rules.mode() == Mode::Accumulate;
        let expected = expected.iter().zip(rules.fields()).map(|(value, field)| {
            value.or((sums && field.op == Op::Sum).then_some(0))
        });
        prop_assert_eq!(shown(&rules, &held), (expected.collect(), events[0].at));
        for event in &events[1..] {
            let values = values(&rules, event);
            if rules.check(&values).is_ok() {
                held = rules.fold(Some(&held), &values, Timestamp::from_micros(event.at)).unwrap();
            }
        }
        prop_assert_eq!(Some(shown(&rules, &held)), twin(&rules, &events, true));
    }

    #[test]
    fn a_sum_is_refused_exactly_where_it_leaves_the_range(
        deltas in prop::collection::vec(prop::array::uniform2(prop_oneof![
            -VALUE_MAX..=VALUE_MAX,
            Just(VALUE_MAX),
            Just(-VALUE_MAX),
            Just(1),
            Just(-1),
            Just(0),
        ]), 1..20),
    ) {
        let rules = sums(2);
        let mut held: Option<Standing> = None;
        let mut sums = [0_i128; 2];
        for (at, deltas) in (1000..).zip(deltas) {
            let event = Event { named: [Some(deltas[0]), Some(deltas[1]), None, None], at };
            let at = Timestamp::from_micros(at);
            let wanted = [sums[0] + i128::from(deltas[0]), sums[1] + i128::from(deltas[1])];
            let fits = wanted.iter().all(|sum| sum.abs() <= i128::from(VALUE_MAX));
            match rules.fold(held.as_ref(), &values(&rules, &event), at) {
                Ok(standing) => {
                    prop_assert!(fits, "{:?} was taken", wanted);
                    sums = wanted;
                    held = Some(standing);
                }
                Err(error) => {
                    prop_assert!(!fits, "{:?} was refused", wanted);
                    let first = if wanted[0].abs() > i128::from(VALUE_MAX) { "f0" } else { "f1" };
                    prop_assert!(error.to_string().starts_with(first), "{}", error);
                }
            }
            let shown = held.map_or(vec![Some(0); 2], |held| shown(&rules, &held).0);
            let expected = sums.map(|sum| Some(i64::try_from(sum).unwrap()));
            prop_assert_eq!(shown, expected);
        }
    }
}

fn sums(fields: usize) -> Rules {
    let names = (0..fields).map(|index| FieldName::new(&format!("f{index}")).unwrap());
    let fields = names.map(FieldRule::sum).collect();
    Rules::new(fields, Mode::Accumulate, Ties::Earliest).unwrap()
}

fn one(rule: (Op, Direction), mode: Mode) -> Rules {
    let field = FieldRule {
        name: FieldName::new("points").unwrap(),
        order: rule.1,
        op: rule.0,
    };
    Rules::new(vec![field], mode, Ties::Earliest).unwrap()
}

/// Value and time of one field after events of (value, time).
fn after(rules: &Rules, events: &[(i64, i64)]) -> (Option<i64>, i64) {
    let event = |(value, at): &(i64, i64)| Event {
        named: [Some(*value), None, None, None],
        at: *at,
    };
    let events: Vec<Event> = events.iter().map(event).collect();
    let (fields, at) = shown(rules, &folded(rules, &events).unwrap());
    (fields[0], at)
}

#[test]
fn the_table_by_example() {
    use Direction::{Asc, Desc};
    use Mode::{Accumulate, Best, Latest};
    let sum = one((Op::Sum, Desc), Accumulate);
    assert_eq!(after(&sum, &[(0, 30), (0, 20)]), (Some(0), 20));
    assert_eq!(after(&sum, &[(0, 20), (5, 30), (0, 40)]), (Some(5), 30));
    assert_eq!(after(&sum, &[(5, 30), (-5, 10)]), (Some(0), 30));
    let max = one((Op::Max, Desc), Accumulate);
    assert_eq!(after(&max, &[(5, 30), (5, 20), (4, 10)]), (Some(5), 20));
    let min = one((Op::Min, Desc), Accumulate);
    assert_eq!(after(&min, &[(5, 30), (4, 20), (4, 40)]), (Some(4), 20));
    for (order, kept) in [(Desc, 5), (Asc, 4)] {
        let last = one((Op::Last, order), Accumulate);
        assert_eq!(after(&last, &[(4, 30), (5, 30), (9, 20)]), (Some(kept), 30));
        let latest = one((Op::Sum, order), Latest);
        assert_eq!(
            after(&latest, &[(4, 30), (5, 30), (9, 20)]),
            (Some(kept), 30)
        );
        let best = one((Op::Sum, order), Best);
        assert_eq!(
            after(&best, &[(4, 30), (5, 40), (5, 20), (4, 10)]).0,
            Some(kept)
        );
    }
    let best = one((Op::Sum, Desc), Best);
    assert_eq!(after(&best, &[(5, 40), (5, 20), (4, 10)]), (Some(5), 20));
}

#[test]
fn what_a_contribution_has_to_name() {
    let nothing = Values::default();
    assert!(sums(2).check(&nothing).is_ok(), "left-out sums are 0");
    let max = one((Op::Max, Direction::Desc), Mode::Accumulate);
    let error = max.check(&nothing).unwrap_err();
    assert_eq!(error.to_string(), "values names no field");
    for mode in [Mode::Best, Mode::Latest] {
        let fields = sums(2).fields().to_vec();
        let rules = Rules::new(fields, mode, Ties::Earliest).unwrap();
        let half = Values::from(Value::ZERO);
        let error = rules.check(&half).unwrap_err().to_string();
        assert!(error.contains("f1"), "{error}");
        assert!(rules.check(&Values::from([Some(Value::ZERO); 2])).is_ok());
    }
}
