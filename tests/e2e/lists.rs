//! Top lists: responses about members on and off the list, which are the same on every store.

use serde_json::{Value, json};
use testkit::Server;
use testkit::redis::RedisServer;

use crate::redis::serve;

const CONFIG: &str = "[kinds.gifts]\nwindows = [\"all\"]\nshards = 4\n\
                      retain = { keep = 20, trim_at = 25, approximate = true }\n";

/// The time of all contributions, in milliseconds: long ago.
const AT: i64 = 1_700_000_000_000;

#[test]
fn in_memory() {
    test_list(&Server::with(CONFIG));
}

#[test]
fn in_a_folder() {
    test_list(&Server::durable(CONFIG));
}

#[test]
fn on_redis() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), CONFIG);
    test_list(&server);
    // Four shards, each with its best 20 and at most the members of one request.
    let keys = redis.command(&["KEYS", "megaboard:*:all:rank"]);
    for key in keys.items() {
        assert!(redis.command(&["ZCARD", key.text()]).integer() <= 20 + 100);
    }
}

/// Tests a list with `m1` at 1 point to `m500` at 500.
fn test_list(server: &Server) {
    let item =
        |n: i64| json!({"board": "gifts/a", "member": format!("m{n}"), "points": n, "at": AT});
    for first in (1..=500).step_by(100) {
        let items: Vec<Value> = (first..first + 100).map(item).collect();
        assert_eq!(server.contribute(&items.into()).ok()["applied"], 100);
    }
    pages_end_with_the_list(server);
    members_off_the_list_have_a_standing(server);
    values_have_a_rank_within_the_list(server);
    a_removed_member_is_replaced(server);
}

fn on_a(rest: &str) -> String {
    format!("/v1/boards/gifts/a{rest}")
}

fn names(response: &Value) -> Vec<&str> {
    let entries = response["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| entry["member"].as_str().unwrap())
        .collect()
}

/// Returns the names of the members with these points, best first.
fn with_points(from: i64, to: i64) -> Vec<String> {
    (to..=from).rev().map(|n| format!("m{n}")).collect()
}

fn pages_end_with_the_list(server: &Server) {
    for (path, from, to) in [
        ("/top?n=20", 500, 481),
        ("/top?n=3&fresh=true", 500, 498),
        ("/range?from=1&to=500", 500, 481),
        ("/range?from=19&to=30", 482, 481),
        ("/range?min=400&max=490", 490, 481),
        ("/range?min=1", 500, 481),
        ("/members/m482/around?above=2&below=5", 484, 481),
    ] {
        let response = server.get(on_a(path)).ok();
        assert_eq!(names(&response), with_points(from, to), "{path}");
        assert_eq!(response["members"], 20, "{path}");
        assert_eq!(response["listed"], 20, "{path}");
    }
    for path in ["/range?from=21&to=30", "/range?min=1&max=480"] {
        let response = server.get(on_a(path)).ok();
        assert_eq!(response["entries"], json!([]), "{path}");
    }
    for (path, count) in [("/count?min=1", 20), ("/count?min=470&max=490", 10)] {
        assert_eq!(server.get(on_a(path)).ok()["count"], count);
    }
    let board = server.get(on_a("")).ok();
    assert_eq!(board["windows"], json!([{"window": "all", "members": 20}]));
    server
        .get(on_a("/top?n=21"))
        .problem(400, "invalid", &["n", "21", "20"]);
    let tops = json!({"boards": ["gifts/a"], "n": 2});
    let tops = server.post("/v1/top", &tops).ok();
    assert_eq!(tops["boards"][0]["listed"], 20);
}

fn members_off_the_list_have_a_standing(server: &Server) {
    let listed = server.get(on_a("/members/m481?target=1")).ok();
    assert_eq!(
        (&listed["position"], &listed["rank"]),
        (&json!(20), &json!(20))
    );
    assert_eq!(listed["percentile"], 0.0);
    assert_eq!(
        (&listed["below"], &listed["to_target"]),
        (&json!(null), &json!(20))
    );
    let off = server.get(on_a("/members/m100?target=20")).ok();
    assert_eq!((&off["points"], &off["members"]), (&json!(100), &json!(20)));
    assert_eq!(off["reached_at"], "2023-11-14T22:13:20.000000Z");
    for name in ["rank", "position", "percentile", "above", "below"] {
        assert_eq!(off.get(name), Some(&Value::Null), "{name}");
    }
    // Reached later than m481's value, so one more point is needed.
    assert_eq!(off["to_target"], 382);
    server
        .get(on_a("/members/m100?target=21"))
        .problem(400, "invalid", &["target", "21", "20"]);
    server
        .get(on_a("/members/m100/around"))
        .problem(404, "not-listed", &["m100", "20"]);
    for path in ["/members/nobody", "/members/nobody/around"] {
        server
            .get(on_a(path))
            .problem(404, "not-ranked", &["nobody"]);
    }
    let asked = json!({"members": ["m100", "m499", "nobody"]});
    let found = server.post(on_a("/lookup"), &asked).ok();
    let time = "2023-11-14T22:13:20.000000Z";
    let expected = json!([
        {"rank": null, "member": "m100", "points": 100, "reached_at": time},
        {"rank": 2, "member": "m499", "points": 499, "reached_at": time},
        {"rank": null, "member": "nobody"},
    ]);
    assert_eq!(found["entries"], expected);
}

fn values_have_a_rank_within_the_list(server: &Server) {
    for (points, position) in [
        (501, json!(1)),
        (482, json!(20)),
        (481, json!(null)),
        (0, json!(null)),
    ] {
        let rank = server.get(on_a(&format!("/rank?points={points}"))).ok();
        assert_eq!((&rank["rank"], &rank["position"]), (&position, &position));
    }
    let item = json!({"board": "gifts/a", "member": "m7", "points": 1, "at": AT});
    let response = server.post("/v1/contributions?return=ranks", &json!([item]));
    let shown = response.ok()["standings"][0]["windows"][0].clone();
    assert_eq!(
        (&shown["points"], &shown["rank"]),
        (&json!(8), &json!(null))
    );
    assert_eq!(shown.get("position"), Some(&Value::Null));
}

fn a_removed_member_is_replaced(server: &Server) {
    for n in 491..=500 {
        server.delete(on_a(&format!("/members/m{n}"))).ok();
    }
    let put = json!({"points": 3});
    server.put(on_a("/members/m490"), &put).ok();
    let top = server.get(on_a("/top?n=20&fresh=true")).ok();
    assert_eq!(names(&top), with_points(489, 470));
    server
        .get(on_a("/members/m500"))
        .problem(404, "not-ranked", &["m500"]);
    assert_eq!(server.get(on_a("/members/m490")).ok()["points"], 3);
}

#[test]
fn responses_of_other_kinds_have_no_listed() {
    let server = Server::start();
    server.give("gifts/a", &[("u1", 5)]);
    for path in ["/top", "/members/u1?window=all", "/count?min=1", ""] {
        let response = server.get(on_a(path));
        assert!(!response.body.contains("listed"), "{}", response.body);
        response.ok();
    }
    let kind = server.get("/v1/kinds/gifts").ok();
    assert_eq!(kind.get("retain"), None);
}

#[test]
fn the_list_settings_of_a_kind_are_shown_and_fixed() {
    let server = Server::start();
    let sums = json!({"retain": {"keep": 50}});
    server.put("/v1/kinds/sums", &sums).problem(
        400,
        "invalid",
        &["retain", "points", "sum", "approximate = true"],
    );
    let best = json!({"mode": "best", "retain": {"keep": 50}});
    let shown = server.put("/v1/kinds/best", &best).is(201);
    assert_eq!(shown["top"], 50);
    let retain = json!({"keep": 50, "trim_at": 60, "approximate": false});
    assert_eq!(shown["retain"], retain);
    server.give("best/a", &[("u1", 5)]);
    for other in [
        json!({"mode": "best"}),
        json!({"mode": "best", "retain": {"keep": 60}}),
        json!({"mode": "best", "retain": {"keep": 50, "trim_at": 61}}),
    ] {
        server
            .put("/v1/kinds/best", &other)
            .problem(409, "kind-has-boards", &["retain"]);
    }
    let narrower = json!({"mode": "best", "top": 10, "retain": {"keep": 50}});
    assert_eq!(server.put("/v1/kinds/best", &narrower).ok()["top"], 10);
}
