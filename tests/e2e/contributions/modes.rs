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
    let shown = server.get("/v1/boards/races/b0/members/u").ok();
    assert_eq!((&shown["rank"], &shown["position"]), (&json!(2), &json!(3)));
    // Pages are by position.
    let range = server
        .get("/v1/boards/races/b0/range?from=3&to=3")
        .entries();
    assert_eq!(range, [at(3, entry(2, "u", &attempt(10, 590), 5))]);
    let members = json!({"members": ["u", "nobody"]});
    let found = server.post("/v1/boards/races/b0/lookup", &members);
    let nobody = json!({"rank": null, "member": "nobody"});
    assert_eq!(found.entries(), [range[0].clone(), nobody]);
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

#[test]
fn ties_are_ordered_by_the_rule_and_then_by_descending_member() {
    let server = Server::with(
        "[kinds.earliest]\nwindows = [\"all\"]\n[kinds.latest]\nwindows = [\"all\"]\n\
         ties = \"latest\"\n[kinds.member]\nwindows = [\"all\"]\nties = \"member\"\n",
    );
    for (kind, expected) in [
        ("earliest", ["b", "é", "z", "a"]),
        ("latest", ["é", "z", "a", "b"]),
        ("member", ["é", "z", "b", "a"]),
    ] {
        let board = format!("{kind}/x");
        let at = |member: &str, at: i64| json!({"board": board, "member": member, "points": 5, "at": START_MS + at});
        let items = json!([at("a", 2), at("b", 1), at("z", 2), at("é", 2)]);
        server.contribute(&items).ok();
        assert_eq!(server.order(&board, "all"), expected, "{kind}");
    }
}

#[test]
fn a_contribution_that_leaves_the_range_in_any_window_is_rejected() {
    let server = Server::start();
    let most = 9_007_199_254_740_991_i64;
    let old = json!({"board": "gifts/a", "member": "u", "points": most, "at": START_MS});
    server.contribute(&old).ok();
    let version = server.versions("gifts/a");
    // Today's windows could take it, `all` cannot.
    let over = json!({"board": "gifts/a", "member": "u", "points": 1});
    server
        .contribute(&over)
        .problem(422, "out-of-range", &["points"]);
    let receipt = server.contribute(&json!([over])).rejected();
    assert_eq!(receipt["rejected"][0]["type"], "out-of-range");
    assert_eq!(server.versions("gifts/a"), version);
    server
        .get("/v1/boards/gifts/a/members/u?window=month")
        .problem(404, "not-ranked", &["u"]);
    // Subtracting twice the maximum gives the other end of the range.
    for days in [1, 2] {
        let at = START_MS + days * 86_400_000;
        let down = json!({"board": "gifts/a", "member": "u", "points": -most, "at": at});
        server.contribute(&down).ok();
    }
    let shown = server.get("/v1/boards/gifts/a/members/u?window=all").ok();
    assert_eq!(shown["points"], -most);
}
