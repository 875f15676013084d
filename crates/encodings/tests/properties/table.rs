//! Where each encoding stops telling two members apart that reached one score a second after one
//! another: found by trying, and held against the table in `docs/methods.md`.
//!
//! What is tried is the writers' arithmetic in doubles, which knows no limits; the crate itself refuses
//! what it does not hold exactly, and must not refuse anything below.

#![expect(
    clippy::cast_precision_loss,
    reason = "the loss of precision is what is looked for"
)]

use std::fmt::Write as _;

use board::{FieldName, FieldRule, Mode, Rules, Ties, Timestamp, Value, Values, limits::VALUE_MAX};
use encodings::{Encoding, ReadDirection};

const DOCS: &str = include_str!("../../../../docs/methods.md");
const BEGIN: &str = "<!-- table: made by crates/encodings/tests/properties/table.rs -->\n";
const END: &str = "<!-- end of table -->";

/// Where times are tried, in seconds since 1970: 2026-11-20, and the first second that a board takes.
const AROUND: [i64; 2] = [1_795_132_800, 94_694_400];

/// Pairs tried at each place. Where doubles are hardly further apart than a second, few pairs fall
/// together.
const PAIRS: i64 = 20_000;

/// A row: the encoding, and how the field's code puts score and second together.
struct Row {
    text: &'static str,
    write: fn(i64, i64) -> f64,
    /// From where on seconds are tried.
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

/// Whether at some second the member who came a second earlier is not read first.
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

/// The smallest score that misorders: doubling finds one, halving the first.
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

/// The last score that the crate itself takes.
fn last_taken(text: &str) -> i64 {
    let encoding: Encoding = text.parse().unwrap();
    *encoding.range().values[0].end()
}

/// The encodings that keep the time outside of the score, by what the crate writes for them: the
/// smallest power of two, or 0, at which the member who came a second earlier is not read first.
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

/// Ours: at every score the rank key of a second, and a millisecond, earlier is greater.
fn ours_holds() -> bool {
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
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn table() -> String {
    let mut table = String::from(
        "| encoding | first score that misorders | taken and published up to |\n| --- | --- | --- |\n",
    );
    for row in &ROWS {
        let first = grouped(first_misordered(row));
        let taken = match row.text {
            "plain" => format!("{}, without the time", grouped(last_taken(row.text))),
            text => grouped(last_taken(text)),
        };
        let _ = writeln!(table, "| `{}` | {first} | {taken} |", row.text);
    }
    assert!(ours_holds());
    let whole = grouped(VALUE_MAX);
    for text in [
        "time-member",
        "time-member(score=negated)",
        "two-sets(time-key=KEY)",
    ] {
        assert_eq!(last_taken(text), VALUE_MAX);
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
fn the_table_in_the_docs_is_what_is_found() {
    let found = table();
    let (_, rest) = DOCS.split_once(BEGIN).expect("where the table begins");
    let (told, _) = rest.split_once(END).expect("where the table ends");
    assert_eq!(
        told, found,
        "docs/methods.md tells another table than\n{found}"
    );
}

#[test]
fn what_is_taken_lies_below_what_misorders() {
    for row in ROWS.iter().filter(|row| row.text != "plain") {
        let taken = last_taken(row.text);
        assert!(taken < first_misordered(row), "{}", row.text);
        assert!(!misorders(row, taken), "{}", row.text);
    }
}
