//! Every encoding against the exact order: within its range every standing is decoded unchanged, and a sorted set reads
//! any two entries in the order of their values and times.

use std::cmp::Ordering;

use board::{Ties, Timestamp};
use encodings::{Encoded, Encoding, ReadDirection};
use proptest::prelude::*;

const ENCODINGS: [&str; 17] = [
    "plain",
    "decimal",
    "decimal(digits=13, unit=ms)",
    "decimal(digits=6, until=2026-11-30T00:00:00Z)",
    "binary",
    "bits(22/22/20)",
    "bits(22/22/9)",
    "bits(12/41, until=2199023255551, unit=ms)",
    "bits(10/11/32, until=4294967295)",
    "fraction(base=317242022400)",
    "fraction(base=4102415999)",
    "fraction(base=317242022400000, unit=ms)",
    "time-left(ends=2026-11-30T00:00:00Z, digits=6)",
    "time-left(ends=2026-11-30T00:00:00Z, digits=9, unit=ms)",
    "time-member",
    "time-member(offset=+08:00, score=negated)",
    "two-sets(time-key=t)",
];

/// A standing in the range of an encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Exact {
    values: Vec<i64>,
    at: Timestamp,
    member: String,
}

/// Generates numbers of a range, often near its ends.
fn within(least: i64, most: i64) -> impl Strategy<Value = i64> {
    let near = move |offset: i64| (least + offset).min(most);
    prop_oneof![
        least..=most,
        (0_i64..4).prop_map(near),
        (0_i64..4).prop_map(move |offset| (most - offset).max(least)),
    ]
}

fn standing(encoding: &Encoding) -> impl Strategy<Value = Exact> + use<> {
    let range = encoding.range();
    let values: Vec<_> = range
        .values
        .iter()
        .map(|it| within(*it.start(), *it.end()))
        .collect();
    let unit_ms = range.unit.millis();
    let (first, last) = range
        .times
        .unwrap_or((Timestamp::EARLIEST, Timestamp::LATEST));
    let first = first.millis().div_euclid(unit_ms) + i64::from(first.millis() % unit_ms != 0);
    let units = within(first, last.millis().div_euclid(unit_ms));
    let at = units.prop_map(move |units| Timestamp::from_millis(units * unit_ms));
    (values, at, "[a-c]{1,3}").prop_map(|(values, at, member)| Exact { values, at, member })
}

/// Generates two standings that are likely to be close.
fn pair(encoding: &Encoding) -> impl Strategy<Value = (Exact, Exact)> + use<> {
    let unit_ms = encoding.range().unit.millis();
    let times = encoding
        .range()
        .times
        .unwrap_or((Timestamp::EARLIEST, Timestamp::LATEST));
    let one = standing(encoding);
    let other = standing(encoding);
    (one, other, any::<bool>(), -2_i64..=2).prop_map(move |(one, mut other, is_close, steps)| {
        if is_close {
            other.values.clone_from(&one.values);
            let at = Timestamp::from_millis(one.at.millis() + steps * unit_ms);
            other.at = at.clamp(times.0, times.1);
            other.at = Timestamp::from_millis(other.at.millis().div_euclid(unit_ms) * unit_ms);
            if other.at < times.0 {
                other.at = one.at;
            }
        }
        (one, other)
    })
}

/// Compares by descending values, by the time and the tie rule, then by members as the set is read. `Less` is read
/// first.
fn exact_order(encoding: &Encoding, a: &Exact, b: &Exact) -> Ordering {
    let by_values = b.values.cmp(&a.values);
    let by_time = match encoding.ties() {
        Ties::Earliest => a.at.cmp(&b.at),
        Ties::Latest => b.at.cmp(&a.at),
        Ties::Member => Ordering::Equal,
    };
    let by_member = match encoding.read_direction() {
        ReadDirection::Reverse => b.member.cmp(&a.member),
        ReadDirection::Forward => a.member.cmp(&b.member),
    };
    by_values.then(by_time).then(by_member)
}

/// Compares as Redis does: by score, then by the bytes of the member, read from one end or the other. The reader
/// combines two sets.
fn read_order(encoding: &Encoding, a: &Encoded<'_>, b: &Encoded<'_>) -> Ordering {
    let score = a.score.partial_cmp(&b.score).unwrap();
    let by_time = b.time_score.partial_cmp(&a.time_score).unwrap();
    let up = score
        .then(by_time)
        .then(a.member.as_bytes().cmp(b.member.as_bytes()));
    match encoding.read_direction() {
        ReadDirection::Reverse => up.reverse(),
        ReadDirection::Forward => up,
    }
}

fn encode<'a>(encoding: &Encoding, exact: &'a Exact) -> Encoded<'a> {
    let encoded = encoding.encode(&exact.values, exact.at, &exact.member);
    encoded.unwrap_or_else(|error| panic!("{encoding} {exact:?}: {error}"))
}

/// Returns a score as Redis prints it.
fn printed(score: f64) -> String {
    format!("{score}")
}

fn check(text: &str, cases: u32) {
    let encoding: Encoding = text.parse().unwrap();
    let config = ProptestConfig::with_cases(cases);
    proptest!(config, |((a, b) in pair(&encoding))| {
        let (stored_a, stored_b) = (encode(&encoding, &a), encode(&encoding, &b));
        prop_assert_eq!(
            read_order(&encoding, &stored_a, &stored_b),
            exact_order(&encoding, &a, &b),
            "{} {:?} {:?}", encoding, stored_a, stored_b
        );
        let score = printed(stored_a.score);
        let decoded = encoding.decode_text(score.as_bytes(), stored_a.member.as_bytes()).unwrap();
        let values = (0..encoding.fields()).map(|field| decoded.values.get(field).unwrap().get());
        prop_assert_eq!(values.collect::<Vec<_>>(), a.values.clone());
        prop_assert_eq!(decoded.member, a.member.as_bytes());
        prop_assert_eq!(decoded.uncertainty, None);
        let at = match stored_a.time_score {
            Some(time) => encoding.decode_time(printed(time).as_bytes()).unwrap(),
            None => decoded.at,
        };
        prop_assert_eq!(at, encoding.has_time().then_some(a.at));
    });
}

#[test]
fn standings_in_the_range_are_decoded_unchanged_and_ordered_exactly() {
    for text in ENCODINGS {
        check(text, 3_000);
    }
}

#[test]
fn standings_outside_the_range_are_rejected() {
    for text in ENCODINGS {
        let encoding: Encoding = text.parse().unwrap();
        let range = encoding.range();
        let at = range
            .times
            .map_or(Timestamp::EARLIEST, |(_, latest)| latest);
        let inside: Vec<i64> = range.values.iter().map(|it| *it.start()).collect();
        assert!(encoding.encode(&inside, at, "u").is_ok(), "{text}");
        for (field, values) in range.values.iter().enumerate() {
            for outside in [values.start() - 1, values.end() + 1, i64::MIN, i64::MAX] {
                let mut wrong = inside.clone();
                wrong[field] = outside;
                assert!(
                    encoding.encode(&wrong, at, "u").is_err(),
                    "{text} {wrong:?}"
                );
            }
        }
        if let Some((earliest, latest)) = range.times {
            for outside in [earliest.millis() - 1, latest.millis() + 1] {
                let outside = Timestamp::from_millis(outside);
                assert!(encoding.encode(&inside, outside, "u").is_err(), "{text}");
            }
        }
    }
}
