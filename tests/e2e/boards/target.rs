//! `?target=`: the change that is told is made, and is the smallest that does it.

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

/// Members `a` to `e`, a step of 10 apart, and `u` at the end.
fn given(server: &Server, step: i64) {
    let mut items = Vec::new();
    for (place, member) in (1..).zip(["a", "b", "c", "x", "y", "u"]) {
        items.push(
            json!({"board": "k/a", "member": member, "values": {"s": -step * place},
                          "at": 1_700_000_000_000_i64 + place}),
        );
    }
    server.contribute(&items.into()).ok();
}

#[test]
fn the_change_that_is_shown_reaches_the_target_and_one_less_does_not() {
    for (order, step) in [("desc", 10), ("asc", -10)] {
        for ties in ["earliest", "latest", "member"] {
            for target in 1..=5 {
                let told = {
                    let server = Server::with(&config(order, ties));
                    given(&server, step);
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
                given(&server, step);
                contribute(&server, "k", told - told.signum());
                let shown = member(&server, "k", target);
                assert!(
                    shown["position"].as_u64() > Some(target),
                    "{order} {ties} {target} {told}"
                );
            }
        }
    }
}

#[test]
fn who_is_there_needs_nothing() {
    let server = Server::with(&config("desc", "earliest"));
    given(&server, 10);
    assert_eq!(member(&server, "k", 6)["to_target"], 0);
    assert_eq!(member(&server, "k", 1000)["to_target"], 0);
    let first = server.get("/v1/boards/k/a/members/a?target=1").ok();
    assert_eq!(first["to_target"], 0);
}

#[test]
fn what_no_change_reaches_is_null() {
    let server = Server::with(
        "[kinds.k]\nwindows = [\"all\"]\nfields = [{ name = \"s\", op = \"max\", order = \"asc\" }]\n",
    );
    given(&server, -10);
    let shown = member(&server, "k", 1);
    assert_eq!(
        (&shown["position"], &shown["to_target"]),
        (&json!(6), &Value::Null)
    );
}
