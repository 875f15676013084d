//! `?target=`: the returned change reaches the target, and no smaller one does.

use serde_json::{Value, json};
use testkit::Server;

fn member(server: &Server, kind: &str, target: u64) -> Value {
    let path = format!("/v1/boards/{kind}/a/members/u?target={target}");
    server.get(path).ok()
}

fn contribute(server: &Server, kind: &str, change: i64) {
    let item = json!({"board": format!("{kind}/a"), "member": "u", "values": {"s": change}});
    assert_eq!(server.contribute(&item).ok()["applied"], 1);
}

fn config(order: &str, ties: &str) -> String {
    format!(
        "[kinds.k]\nwindows = [\"all\"]\nties = \"{ties}\"\n\
         fields = [{{ name = \"s\", order = \"{order}\" }}]\n"
    )
}

/// Contributes for five members, a step of 10 apart, and `u` in last position.
fn fill(server: &Server, step: i64) {
    let mut items = Vec::new();
    for (position, member) in (1..).zip(["a", "b", "c", "x", "y", "u"]) {
        items.push(
            json!({"board": "k/a", "member": member, "values": {"s": -step * position},
                          "at": 1_700_000_000_000_i64 + position}),
        );
    }
    server.contribute(&items.into()).ok();
}

#[test]
fn the_change_reaches_the_target_and_a_smaller_one_does_not() {
    for (order, step) in [("desc", 10), ("asc", -10)] {
        for ties in ["earliest", "latest", "member"] {
            for target in 1..=5 {
                let change = {
                    let server = Server::with(&config(order, ties));
                    fill(&server, step);
                    let shown = member(&server, "k", target);
                    assert_eq!(shown["position"], 6);
                    let change = shown["to_target"].as_i64().unwrap();
                    contribute(&server, "k", change);
                    let position = member(&server, "k", target)["position"].as_u64().unwrap();
                    assert!(
                        position <= target,
                        "{order} {ties} {target}: {position} by {change}"
                    );
                    change
                };
                let server = Server::with(&config(order, ties));
                fill(&server, step);
                contribute(&server, "k", change - change.signum());
                let shown = member(&server, "k", target);
                assert!(
                    shown["position"].as_u64() > Some(target),
                    "{order} {ties} {target} {change}"
                );
            }
        }
    }
}

#[test]
fn a_member_at_the_target_needs_no_change() {
    let server = Server::with(&config("desc", "earliest"));
    fill(&server, 10);
    assert_eq!(member(&server, "k", 6)["to_target"], 0);
    assert_eq!(member(&server, "k", 1000)["to_target"], 0);
    let first = server.get("/v1/boards/k/a/members/a?target=1").ok();
    assert_eq!(first["to_target"], 0);
}

#[test]
fn an_unreachable_target_is_null() {
    let server = Server::with(
        "[kinds.k]\nwindows = [\"all\"]\nfields = [{ name = \"s\", op = \"max\", order = \"asc\" }]\n",
    );
    fill(&server, -10);
    let shown = member(&server, "k", 1);
    assert_eq!(
        (&shown["position"], &shown["to_target"]),
        (&json!(6), &Value::Null)
    );
}
