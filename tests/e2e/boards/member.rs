//! `GET .../members/{member}`: the entry, its percentile, its neighbours.

use serde_json::{Value, json};
use testkit::Server;

use super::{ladder, on_a};

fn read_member(server: &Server, member: &str) -> Value {
    server.get(on_a(&format!("/members/{member}"))).ok()
}

#[test]
fn a_member_is_returned_with_its_neighbours() {
    let server = Server::start();
    server.give("gifts/a", &[("a", 100), ("b", 70), ("c", 69), ("d", -5)]);
    let shown = read_member(&server, "b");
    for (name, value) in [
        ("rank", json!(2)),
        ("position", json!(2)),
        ("member", json!("b")),
        ("points", json!(70)),
        ("members", json!(4)),
    ] {
        assert_eq!(shown[name], value, "{name}");
    }
    for (side, member, rank, gap) in [("above", "a", 1, 30), ("below", "c", 3, 1)] {
        let other = &shown[side];
        let neighbour = (&other["member"], &other["rank"], &other["gap"]);
        assert_eq!(neighbour, (&json!(member), &json!(rank), &json!(gap)));
        assert!(other["reached_at"].is_string(), "{other}");
    }
    assert_eq!(shown.get("to_target"), None);
    let (first, last) = (read_member(&server, "a"), read_member(&server, "d"));
    assert_eq!(
        (&first["above"], &first["below"]["gap"]),
        (&Value::Null, &json!(30))
    );
    assert_eq!(
        (&last["below"], &last["above"]["gap"]),
        (&Value::Null, &json!(74))
    );
}

#[test]
fn percentiles_range_from_100_to_0() {
    let server = ladder(5);
    for (member, percentile) in [("m01", 100.0), ("m02", 75.0), ("m03", 50.0), ("m05", 0.0)] {
        assert_eq!(
            read_member(&server, member)["percentile"].as_f64(),
            Some(percentile)
        );
    }
    let alone = ladder(1);
    let shown = read_member(&alone, "m01");
    assert_eq!(shown["percentile"].as_f64(), Some(100.0));
    assert_eq!(
        (&shown["above"], &shown["below"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn percentiles_follow_positions_under_shared_ranks() {
    let server = Server::with(
        "[kinds.k]\nwindows = [\"all\"]\nrank = \"competition\"\nfields = [{ name = \"points\" }]\n",
    );
    let item = |member: &str, points: i64, at: i64| json!({"board": "k/a", "member": member, "points": points, "at": 1_700_000_000_000 + at});
    let items = json!([
        item("a", 9, 0),
        item("b", 5, 1),
        item("c", 5, 2),
        item("d", 5, 3),
        item("e", 1, 4)
    ]);
    server.contribute(&items).ok();
    for (member, rank, position, percentile) in [
        ("a", 1, 1, 100.0),
        ("b", 2, 2, 75.0),
        ("c", 2, 3, 50.0),
        ("d", 2, 4, 25.0),
        ("e", 5, 5, 0.0),
    ] {
        let shown = server.get(format!("/v1/boards/k/a/members/{member}")).ok();
        assert_eq!(
            (&shown["rank"], &shown["position"]),
            (&json!(rank), &json!(position))
        );
        assert_eq!(shown["percentile"].as_f64(), Some(percentile), "{member}");
    }
    let shown = server.get("/v1/boards/k/a/members/c").ok();
    assert_eq!(
        (&shown["above"]["gap"], &shown["below"]["rank"]),
        (&json!(0), &json!(2))
    );
}

#[test]
fn errors_name_the_parameter() {
    let server = ladder(2);
    server
        .get(on_a("/members/nobody"))
        .problem(404, "not-ranked", &["nobody", "all"]);
    for (query, parts) in [
        ("?target=0", &["target", "\"0\""][..]),
        ("?target=-1", &["target", "-1"]),
        ("?target=x", &["target", "\"x\""]),
        ("?goal=1", &["goal"]),
        ("?fresh=yes", &["fresh", "yes"]),
    ] {
        server
            .get(on_a(&format!("/members/m01{query}")))
            .problem(400, "invalid", parts);
    }
    let long = "x".repeat(129);
    server
        .get(on_a(&format!("/members/{long}")))
        .problem(400, "invalid", &["member", "128"]);
}
