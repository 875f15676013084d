//! How contributions fold: ops, whole attempts, nulls, in any order of arrival.

use serde_json::{Value, json};
use testkit::Server;
use testkit::clock::rfc3339;
use testkit::dice::Dice;

const START_MS: i64 = 1_700_000_000_000;

fn item(board: &str, member: &str, at: i64, values: &Value) -> Value {
    json!({"board": board, "member": member, "values": values, "at": START_MS + at})
}

/// Contributes the items in the given order, reversed and shuffled, each time to another board, and
/// asserts that all show `expected`.
fn assert_in_any_order(
    server: &Server,
    kind: &str,
    items: &[(&str, i64, Value)],
    expected: &Value,
) {
    let mut orders = vec![items.to_vec(); 4];
    orders[1].reverse();
    let mut dice = Dice::of_this_run();
    orders[2..].iter_mut().for_each(|order| dice.shuffle(order));
    for (number, order) in orders.iter().enumerate() {
        let board = format!("{kind}/b{number}");
        let items: Vec<Value> = order
            .iter()
            .map(|(member, at, values)| item(&board, member, *at, values))
            .collect();
        assert_eq!(server.contribute(&items.into()).ok()["rejected"], json!([]));
        let top = server.get(format!("/v1/boards/{board}/top?fresh=true"));
        assert_eq!(Value::from(top.entries()), *expected, "{order:?}");
    }
}

fn entry(rank: u64, member: &str, values: &Value, at: i64) -> Value {
    json!({"rank": rank, "member": member, "values": values, "reached_at": rfc3339(START_MS + at)})
}

#[test]
fn accumulate_folds_each_field_by_its_op() {
    let server = Server::with(
        "[kinds.k]\nwindows = [\"all\"]\nfields = [{ name = \"s\" }, { name = \"hi\", op = \"max\" }, \
         { name = \"lo\", op = \"min\", order = \"asc\" }, { name = \"now\", op = \"last\" }]\n",
    );
    let items = [
        ("u", 1, json!({"s": 2, "hi": 5, "lo": 5, "now": 5})),
        ("u", 2, json!({"s": 3, "hi": 9, "lo": 2, "now": 4})),
        ("u", 3, json!({"s": -1, "hi": 9, "lo": 2, "now": 7})),
        ("u", 3, json!({"hi": 1, "lo": 3, "now": 6})),
        ("v", 1, json!({"s": 4})),
        ("v", 5, json!({"hi": -4, "s": 0})),
    ];
    let expected = json!([
        entry(1, "u", &json!({"s": 4, "hi": 9, "lo": 2, "now": 7}), 3),
        entry(
            2,
            "v",
            &json!({"s": 4, "hi": -4, "lo": null, "now": null}),
            5
        ),
    ]);
    assert_in_any_order(&server, "k", &items, &expected);
}

#[test]
fn reached_at_is_the_latest_change_or_the_earliest_zero() {
    let server = Server::with("[kinds.k]\nwindows = [\"all\"]\nfields = [{ name = \"s\" }]\n");
    let items = [
        ("u", 4, json!({"s": 0})),
        ("u", 2, json!({"s": 0})),
        ("v", 1, json!({"s": 5})),
        ("v", 6, json!({"s": -5})),
        ("v", 9, json!({"s": 0})),
    ];
    let expected = json!([
        entry(1, "u", &json!({"s": 0}), 2),
        entry(2, "v", &json!({"s": 0}), 6),
    ]);
    assert_in_any_order(&server, "k", &items, &expected);
}

#[test]
fn best_keeps_the_whole_best_attempt_and_competition_shares_ranks() {
    let server = Server::with(
        "[kinds.races]\nmode = \"best\"\nrank = \"competition\"\nwindows = [\"all\"]\n\
         fields = [{ name = \"laps\" }, { name = \"seconds\", order = \"asc\" }]\n",
    );
    let attempt = |laps: i64, seconds: i64| json!({"laps": laps, "seconds": seconds});
    let items = [
        ("u", 3, attempt(10, 600)),
        ("u", 1, attempt(9, 1)),
        ("u", 5, attempt(10, 590)),
        ("u", 7, attempt(10, 590)),
        ("v", 2, attempt(10, 580)),
        ("w", 4, attempt(10, 590)),
        ("x", 1, attempt(9, 1)),
    ];
    let at = |position: u64, mut entry: Value| {
        entry["position"] = position.into();
        entry
    };
    let expected = json!([
        at(1, entry(1, "v", &attempt(10, 580), 2)),
        at(2, entry(2, "w", &attempt(10, 590), 4)),
        at(3, entry(2, "u", &attempt(10, 590), 5)),
        at(4, entry(4, "x", &attempt(9, 1), 1)),
    ]);
    assert_in_any_order(&server, "races", &items, &expected);
}

#[test]
fn latest_keeps_the_latest_attempt_and_of_equal_times_the_better() {
    let server = Server::with(
        "[kinds.k]\nmode = \"latest\"\nwindows = [\"all\"]\nfields = [{ name = \"points\" }]\n",
    );
    let items = [
        ("u", 5, json!({"points": 3})),
        ("u", 1, json!({"points": 9})),
        ("v", 4, json!({"points": 1})),
        ("v", 4, json!({"points": 2})),
    ];
    let points = |rank, member: &str, points: i64, at: i64| {
        let at = rfc3339(START_MS + at);
        json!({"rank": rank, "member": member, "points": points, "reached_at": at})
    };
    let expected = json!([points(1, "u", 3, 5), points(2, "v", 2, 4)]);
    assert_in_any_order(&server, "k", &items, &expected);
}
