//! Finds the first score at which an encoding does not order two members that reached it one second apart, and compares
//! the results with the table in `docs/methods.md`.
//!
//! The search uses the arithmetic of other writers, which has no limits. The crate itself rejects scores that it cannot
//! represent exactly, and must reject all from the first misordered score on.

#![expect(
    clippy::cast_precision_loss,
    reason = "the tests look for the loss of precision"
)]

use std::fmt::Write as _;

use board::{FieldName, FieldRule, Mode, Rules, Ties, Timestamp, Value, Values, limits::VALUE_MAX};
use encodings::{Encoding, ReadDirection};

const DOCS: &str = include_str!("../../../../docs/methods.md");
const BEGIN: &str = "<!-- table: made by crates/encodings/tests/properties/table.rs -->\n";
const END: &str = "<!-- end of table -->";

/// The times from which on seconds are tried, since 1970: 2026-11-20, and the first second that a board accepts.
const AROUND: [i64; 2] = [1_795_132_800, 94_694_400];

/// The number of pairs tried from each of these times. If doubles are only slightly further apart than a second, few
/// pairs are equal.
const PAIRS: i64 = 20_000;

/// A row of the table.
struct Row {
    /// The encoding.
    text: &'static str,
    /// Combines a score and a second as other writers do.
    write: fn(i64, i64) -> f64,
    /// The times from which on seconds are tried.
    around: &'static [i64],
}

/// The end of the activity of ten days, in seconds.
const ENDS: i64 = 1_795_996_800;

const ROWS: [Row; 7] = [
    Row {
        text: "decimal",
        write: |score, at| {
            (i128::from(score) * 10_000_000_000 + i128::from(9_999_999_999 - at)) as f64
        },
        around: &AROUND,
    },
    Row {
        text: "binary",
        write: |score, at| ((i128::from(score) << 32) | i128::from(4_294_967_295 - at)) as f64,
        around: &AROUND,
    },
    Row {
        text: "fraction(base=317242022400)",
        write: |score, at| score as f64 + (317_242_022_400 - at) as f64 / 317_242_022_400_f64,
        around: &AROUND,
    },
    Row {
        text: "fraction(base=4102415999)",
        write: |score, at| score as f64 + (4_102_415_999 - at) as f64 / 4_102_415_999_f64,
        around: &AROUND,
    },
    Row {
        text: "time-left(ends=2026-11-30T00:00:00Z, digits=6)",
        write: |score, at| format!("{score}.{:06}", ENDS - at).parse().unwrap(),
        around: &[ENDS - 864_000, ENDS - 20_001],
    },
    Row {
        text: "bits(22/22/20, until=2026-11-30T00:00:00Z)",
        write: |score, at| ((i128::from(score) << 42) | i128::from(ENDS - at)) as f64,
        around: &[ENDS - 864_000, ENDS - 20_001],
    },
    Row {
        text: "plain",
        write: |score, _| score as f64,
        around: &AROUND,
    },
];

/// Returns whether there is a second at which the member that was a second earlier is not read first.
fn misorders(row: &Row, score: i64) -> bool {
    row.around.iter().any(|first| {
        let mut earlier = (row.write)(score, *first);
        (first + 1..first + PAIRS).any(|at| {
            let later = (row.write)(score, at);
            let is_wrong = earlier <= later;
            earlier = later;
            is_wrong
        })
    })
}

/// Returns the smallest score that misorders: doubling finds one, halving the smallest.
fn first_misordered(row: &Row) -> i64 {
    if misorders(row, 0) {
        return 0;
    }
    let mut good = 0;
    let mut bad = 1;
    while !misorders(row, bad) {
        good = bad;
        bad *= 2;
        assert!(bad <= VALUE_MAX, "{} never misorders", row.text);
    }
    while bad - good > 1 {
        let middle = i64::midpoint(good, bad);
        if misorders(row, middle) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    bad
}

/// Returns the last score that the crate accepts.
fn last_accepted(text: &str) -> i64 {
    let encoding: Encoding = text.parse().unwrap();
    *encoding.range().values[0].end()
}

/// Returns the smallest power of two, or 0, at which the member that was a second earlier is not read first. For the
/// encodings with the time outside of the score; uses the crate's own encoder.
fn first_misread(text: &str) -> Option<i64> {
    let encoding: Encoding = text.parse().unwrap();
    let mut scores = std::iter::once(0).chain((0..53).map(|power| 1 << power));
    scores.find(|score| {
        AROUND.iter().any(|first| {
            let write = |at: i64| {
                let at = Timestamp::from_millis(at * 1000);
                encoding.encode(&[*score], at, "u").unwrap()
            };
            let (earlier, later) = (write(*first), write(first + 1));
            let up = earlier.score.partial_cmp(&later.score).unwrap();
            let up = up.then(later.time_score.partial_cmp(&earlier.time_score).unwrap());
            let up = up.then(earlier.member.as_bytes().cmp(later.member.as_bytes()));
            match encoding.read_direction() {
                ReadDirection::Reverse => up.is_le(),
                ReadDirection::Forward => up.is_ge(),
            }
        })
    })
}

/// Returns whether the service's own rank key of an earlier time is greater at every score.
fn rank_keys_are_ordered() -> bool {
    let points = FieldRule::sum(FieldName::new("points").unwrap());
    let rules = Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap();
    let key = |score: i64, at_ms: i64| {
        let values = Values::from(Value::new(score).unwrap());
        rules.rank_words(&values, Timestamp::from_millis(at_ms))
    };
    let powers = (0..53).flat_map(|power| [(1_i64 << power) - 1, 1 << power]);
    let scores = powers
        .chain([VALUE_MAX, -VALUE_MAX])
        .filter(|score| *score <= VALUE_MAX);
    let mut all = scores.flat_map(|score| AROUND.map(|first| (score, first * 1000)));
    all.all(|(score, at)| key(score, at) > key(score, at + 1))
}

fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn table() -> String {
    let mut table = String::from(
        "| encoding | first misordered score | accepted and published up to |\n| --- | --- | --- |\n",
    );
    for row in &ROWS {
        let first = grouped(first_misordered(row));
        let accepted = match row.text {
            "plain" => format!("{}, without the time", grouped(last_accepted(row.text))),
            text => grouped(last_accepted(text)),
        };
        let _ = writeln!(table, "| `{}` | {first} | {accepted} |", row.text);
    }
    assert!(rank_keys_are_ordered());
    let whole = grouped(VALUE_MAX);
    for text in [
        "time-member",
        "time-member(score=negated)",
        "two-sets(time-key=KEY)",
    ] {
        assert_eq!(last_accepted(text), VALUE_MAX);
        let first = match first_misread(text) {
            None => "none".to_owned(),
            Some(first) => format!("{}: the later is read first", grouped(first)),
        };
        let _ = writeln!(table, "| `{text}` | {first} | {whole} |");
    }
    let _ = writeln!(table, "| the service's own boards | none | {whole} |");
    table
}

#[test]
fn the_table_in_the_docs_is_correct() {
    let found = table();
    let (_, after) = DOCS.split_once(BEGIN).expect("the begin of the table");
    let (documented, _) = after.split_once(END).expect("the end of the table");
    assert_eq!(
        documented, found,
        "the table in docs/methods.md must be\n{found}"
    );
}

#[test]
fn accepted_scores_are_below_the_first_misordered_one() {
    for row in ROWS.iter().filter(|row| row.text != "plain") {
        let accepted = last_accepted(row.text);
        assert!(accepted < first_misordered(row), "{}", row.text);
        assert!(!misorders(row, accepted), "{}", row.text);
    }
}
