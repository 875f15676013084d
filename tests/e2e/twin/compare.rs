//! Comparison of responses with the expected ones.

use serde_json::Value;
use testkit::Response;

/// Properties that the twin cannot know: the time of the read, and the version.
const VOLATILE: [&str; 2] = ["version", "as_of"];

/// Returns the response without these properties, with rounded percentages.
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

/// An expected response: a body, or the type of a problem.
pub(super) type Expected = Result<Value, &'static str>;

/// Returns which of the expected responses were returned.
#[track_caller]
pub(super) fn those_of(
    (status, shown): (u16, Value),
    expected: &[Expected],
    what: &str,
) -> Vec<bool> {
    let shown = settled(shown);
    let is_it = |expected: &Expected| match expected {
        Ok(body) => status == 200 && settled(body.clone()) == shown,
        Err(word) => status != 200 && shown["type"] == *word,
    };
    let are: Vec<bool> = expected.iter().map(is_it).collect();
    if !are.contains(&true) {
        let mut texts: Vec<String> = Vec::new();
        for expected in expected {
            let text = match expected {
                Ok(body) => settled(body.clone()).to_string(),
                Err(word) => (*word).to_owned(),
            };
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        panic!(
            "{what}\nanswered {shown}\nexpected {}",
            texts.join("\n      or ")
        );
    }
    are
}

/// Asserts a 200 with this body.
#[track_caller]
pub(super) fn is(response: &Response, expected: Value, what: &str) {
    those_of((response.status, response.value()), &[Ok(expected)], what);
}
