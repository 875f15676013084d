//! Answers held against what they have to be.

use end_to_end::Answer;
use serde_json::Value;

/// What no twin can know: when the look was, and what the version is called.
const VOLATILE: [&str; 2] = ["version", "as_of"];

/// The answer without what is volatile, its percentages rounded.
pub(super) fn settled(mut value: Value) -> Value {
    settle(&mut value);
    value
}

fn settle(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for name in VOLATILE {
                members.remove(name);
            }
            if let Some(percentile) = members.get_mut("percentile") {
                *percentile = percentile.as_f64().map(|it| (it * 1e6).round()).into();
            }
            members.values_mut().for_each(settle);
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        _ => {}
    }
}

/// A 200 with one of these bodies.
#[track_caller]
pub(super) fn is_one_of(answer: &Answer, expected: &[Value], what: &str) {
    assert_eq!(answer.status, 200, "{what}: {}", answer.body);
    let shown = settled(answer.value());
    let is_expected = expected.iter().any(|body| settled(body.clone()) == shown);
    let expected = &expected[0];
    assert!(
        is_expected,
        "{what}\nanswered {shown}\nexpected {}",
        settled(expected.clone())
    );
}

/// What a read is to answer: a body, or the type of its problem.
#[track_caller]
pub(super) fn is_found(answer: &Answer, expected: &[Result<Value, &'static str>], what: &str) {
    let bodies: Vec<Value> = expected.iter().filter_map(|it| it.clone().ok()).collect();
    if !bodies.is_empty() {
        return is_one_of(answer, &bodies, what);
    }
    let word = expected[0].as_ref().unwrap_err();
    assert_eq!(answer.value()["type"], *word, "{what}: {}", answer.body);
}
