//! `?target=`: the returned change reaches the target, and no smaller one does.

use serde_json::{Value, json};
use testkit::Server;

fn member(server: &Server, board: &str, target: u64) -> Value {
    let path = format!("/v1/boards/{board}/members/u?target={target}");
    server.get(path).ok()
}

/// Contributes for five members, a step of 10 apart, and `u` in last position.
fn fill(server: &Server, board: &str, step: i64) {
    let item = |(position, member): (i64, &str)| json!({"board": board, "member": member, "points": -step * position, "at": 1_700_000_000_000_i64 + position});
    let items = (1..).zip(["a", "b", "c", "x", "y", "u"]).map(item);
    server.contribute(&items.collect::<Vec<_>>().into()).ok();
}

#[test]
fn the_change_reaches_the_target_and_a_smaller_one_does_not() {
    let server = Server::start();
    for (order, step) in [("desc", 10), ("asc", -10)] {
        for ties in ["earliest", "latest", "member"] {
            let kind = json!({"windows": ["all"], "ties": ties, "fields": [{"name": "points", "order": order}]});
            server
                .put(format!("/v1/kinds/{order}-{ties}"), &kind)
                .is(201);
            for target in 1..=5 {
                let [board, other] =
                    ["enough", "less"].map(|name| format!("{order}-{ties}/{name}-{target}"));
                fill(&server, &board, step);
                fill(&server, &other, step);
                let shown = member(&server, &board, target);
                assert_eq!(shown["position"], 6);
                let change = shown["to_target"].as_i64().unwrap();
                server.give(&board, &[("u", change)]);
                server.give(&other, &[("u", change - change.signum())]);
                let position = |board| member(&server, board, target)["position"].as_u64().unwrap();
                assert!(position(&board) <= target, "{board}: {change}");
                assert!(position(&other) > target, "{other}: {change}");
            }
        }
    }
}
