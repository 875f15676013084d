//! Packed kinds: what fits, what is refused, and how sums fold within a declared range.

use std::time::Duration;

use board::{
    Admission, AdmissionError, Direction, FieldName, FieldRule, Kind, KindSpec, Mode, Op, Packing,
    Period, Rules, Standing, Ties, Timestamp, Value, Values, Window,
};
use proptest::prelude::*;

use crate::fixtures::gifts;

const FROM: i64 = 1_767_225_600_000;
const DAY_MS: i64 = 86_400_000;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn packing(most: u64, unit_ms: u64, days: i64) -> Packing {
    Packing {
        max: most,
        unit: Duration::from_millis(unit_ms),
        span: Some((at(FROM), at(FROM + days * DAY_MS))),
    }
}

fn rules(op: Op, ties: Ties, packing: Packing) -> Rules {
    let field = FieldRule {
        name: FieldName::new("points").unwrap(),
        order: Direction::Desc,
        op,
    };
    let rules = Rules::new(vec![field], Mode::Accumulate, ties).unwrap();
    rules.packed(packing).unwrap()
}

fn kind(rules: Rules, periods: &[Period]) -> Result<Kind, board::KindError> {
    Kind::new(KindSpec {
        rules,
        ..gifts(periods)
    })
}

fn values(number: i64) -> Values {
    Values::from(Value::new(number).unwrap())
}

#[test]
fn a_range_fits_to_the_last_bit() {
    // 2^20 seconds are 12 days and some; 33 bits are left for values.
    let span = |seconds: i64| Packing {
        span: Some((at(FROM), at(FROM + 1000 * seconds))),
        ..packing((1 << 33) - 1, 1000, 1)
    };
    let of = |packing| kind(rules(Op::Sum, Ties::Earliest, packing), &[Period::All]);
    assert!(of(span(1 << 20)).is_ok());
    let error = of(span((1 << 20) + 1)).unwrap_err().to_string();
    assert!(
        error.contains("33 of 53 bits") && error.contains("20 are left"),
        "{error}"
    );
    let greater = Packing {
        max: 1 << 33,
        ..span(1 << 20)
    };
    assert!(of(greater).is_err());
}

#[test]
fn only_until_changes_once_there_are_boards() {
    let of = |packing| kind(rules(Op::Sum, Ties::Earliest, packing), &[Period::All]).unwrap();
    let held = of(packing(1000, 1000, 10));
    let later = of(packing(1000, 1000, 500));
    let changed = held.changed_to(&later, at(FROM)).unwrap();
    assert_eq!(changed.rules().packing(), later.rules().packing());
    assert_eq!(held.meaning(), later.meaning());
    let others = [
        ("packed.most: ", packing(1001, 1000, 10)),
        ("packed.unit: ", packing(1000, 100, 10)),
    ];
    for (setting, other) in others {
        let other = of(other);
        let error = held.changed_to(&other, at(FROM)).unwrap_err().to_string();
        assert!(error.starts_with(setting), "{error}");
        assert_ne!(held.meaning(), other.meaning());
    }
}

#[test]
fn times_without_room_are_not_admitted() {
    let kind = kind(
        rules(Op::Sum, Ties::Earliest, packing(1000, 1000, 10)),
        &[Period::All],
    );
    let kind = kind.unwrap();
    let end = FROM + 10 * DAY_MS;
    let mut admission = Admission::default();
    for (ms, admitted) in [
        (FROM - 1, false),
        (FROM, true),
        (end - 1, true),
        (end, false),
    ] {
        let windows = admission.admit(&kind, at(ms), at(end));
        match windows {
            Ok(windows) => assert!(admitted && *windows == [Window::ALL_TIME], "{ms}"),
            Err(error @ AdmissionError::OutOfRange { .. }) => {
                assert!(!admitted, "{ms}");
                let range = format!("can hold, {} to {}", at(FROM), at(end));
                assert!(error.to_string().ends_with(&range), "{error}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn times_are_rounded_down_to_the_unit() {
    let rules = rules(Op::Sum, Ties::Earliest, packing(1000, 250, 10));
    let kept = [0, 249, 250, 999, 1000].map(|ms| rules.kept_time(at(FROM + ms)).millis() - FROM);
    assert_eq!(kept, [0, 0, 250, 750, 1000]);
    assert_eq!(rules.kept_time(at(-1)), at(-250));
}

/// What a packed sum is: its value, and when it was reached.
fn naive(events: &[(i64, i64)], most: i64) -> Option<(i64, i64)> {
    let mut held: Option<(i64, i64)> = None;
    for (delta, time) in events {
        let (sum, since) = held.unwrap_or((0, *time));
        let next = sum + delta;
        if next < 0 || next > most {
            continue;
        }
        let since = match (sum != 0, *delta != 0) {
            (true, true) => since.max(*time),
            (true, false) => since,
            (false, true) => *time,
            (false, false) => since.min(*time),
        };
        held = Some((next, since));
    }
    held
}

proptest! {
    #[test]
    fn sums_fold_within_their_range_as_a_naive_twin_does(
        events in prop::collection::vec((-3..4_i64, 0..5_i64), 0..20),
    ) {
        let rules = rules(Op::Sum, Ties::Earliest, packing(4, 1000, 10));
        let mut held: Option<Standing> = None;
        for (delta, second) in &events {
            if let Ok(next) = rules.fold(held.as_ref(), &values(*delta), at(FROM + 1000 * second)) {
                held = Some(next);
            }
        }
        let shown = held.map(|held| {
            let value = rules.values(&held).get(0).unwrap().get();
            (value, (rules.reached_at(&held).millis() - FROM) / 1000)
        });
        prop_assert_eq!(shown, naive(&events, 4));
    }
}

#[test]
fn values_that_are_kept_as_they_are_lie_in_the_range() {
    let of = |op| rules(op, Ties::Latest, packing(4, 1000, 10));
    for (number, fits) in [(-1, false), (0, true), (4, true), (5, false)] {
        assert_eq!(of(Op::Max).check(&values(number)).is_ok(), fits);
        assert_eq!(of(Op::Sum).check_outright(&values(number)).is_ok(), fits);
        assert!(of(Op::Sum).check(&values(number)).is_ok());
    }
}
