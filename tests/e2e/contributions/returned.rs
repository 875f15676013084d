//! `?return=standings` and `?return=ranks`: the standings after a contribution.

use serde_json::{Value, json};
use testkit::clock::{now_ms, rfc3339};
use testkit::{Server, ndjson};

const PATH: &str = "/v1/contributions";

fn names(windows: &Value) -> Vec<&str> {
    let windows = windows.as_array().unwrap().iter();
    windows
        .map(|w| w["window"].as_str().unwrap().split(':').next().unwrap())
        .collect()
}

#[test]
fn standings_are_those_after_each_contribution() {
    let server = Server::start();
    let at = now_ms();
    let item = |member: &str, points: i64| json!({"board": "gifts/a", "member": member, "points": points, "at": at});
    let items = json!([item("u", 5), item("v", 9), item("u", 3)]);
    let receipt = server.post(format!("{PATH}?return=standings"), &items).ok();
    assert_eq!(receipt["applied"], 3);
    let standings = receipt["standings"].as_array().unwrap();
    let short: Vec<_> = standings
        .iter()
        .map(|s| (s["index"].as_u64().unwrap(), s["member"].as_str().unwrap()))
        .collect();
    assert_eq!(short, [(0, "u"), (1, "v"), (2, "u")]);
    for (standing, points) in standings.iter().zip([5, 9, 8]) {
        assert_eq!(standing["board"], "gifts/a");
        assert_eq!(
            names(&standing["windows"]),
            ["hour", "day", "week", "month", "all"]
        );
        for window in standing["windows"].as_array().unwrap() {
            assert_eq!(window["points"], points, "{standing}");
            assert_eq!(window["reached_at"], rfc3339(at));
            assert_eq!(window.get("rank"), None);
        }
    }
}

#[test]
fn ranks_are_returned_if_requested() {
    let server = Server::with(
        "[kinds.gifts]\n[kinds.races]\nmode = \"best\"\nrank = \"competition\"\n\
         windows = [\"all\"]\nfields = [{ name = \"laps\" }]\n",
    );
    server.give("gifts/a", &[("u", 5), ("v", 9)]);
    let item = json!({"board": "gifts/a", "member": "u", "points": 1});
    let receipt = server.post(format!("{PATH}?return=ranks"), &item).ok();
    for window in receipt["standings"][0]["windows"].as_array().unwrap() {
        let standing = (&window["points"], &window["rank"], &window["position"]);
        assert_eq!(standing, (&json!(6), &json!(2), &json!(2)), "{window}");
    }
    let race = |member: &str, at: i64| json!({"board": "races/a", "member": member, "values": {"laps": 3}, "at": at});
    server.contribute(&race("a", 1_700_000_000_000)).ok();
    let receipt = server
        .post(
            format!("{PATH}?return=ranks"),
            &race("b", 1_700_000_000_001),
        )
        .ok();
    let window = &receipt["standings"][0]["windows"][0];
    assert_eq!(window["values"], json!({"laps": 3}));
    assert_eq!(
        (&window["rank"], &window["position"]),
        (&json!(1), &json!(2))
    );
}

#[test]
fn duplicates_return_the_current_standing_and_rejected_ones_nothing() {
    let server = Server::start();
    let item = json!({"board": "gifts/a", "member": "u", "points": 5, "id": "i"});
    let refused = json!({"board": "nope/a", "member": "u", "points": 5});
    let items = json!([item, refused, item]);
    let receipt = server.post(format!("{PATH}?return=standings"), &items).ok();
    let standings = receipt["standings"].as_array().unwrap();
    let indexes: Vec<_> = standings.iter().map(|s| &s["index"]).collect();
    assert_eq!(indexes, [0, 2]);
    for standing in standings {
        assert_eq!(standing["windows"][4]["points"], 5, "{standing}");
    }
}

#[test]
fn standings_are_returned_for_lines_and_events() {
    let server = Server::start();
    let event = json!({"boards": ["gifts/a", "gifts/b"], "member": "u", "points": 5, "id": "i"});
    let headers = [("content-type", "application/x-ndjson")];
    let path = format!("{PATH}?return=ranks");
    let receipt = server
        .send("POST", &path, &headers, format!("\n{event}\n"))
        .ok();
    let standings = receipt["standings"].as_array().unwrap();
    let mut returned: Vec<_> = standings
        .iter()
        .map(|s| (s["index"].as_u64().unwrap(), s["board"].as_str().unwrap()))
        .collect();
    returned.sort_unstable();
    assert_eq!(returned, [(1, "gifts/a"), (1, "gifts/b")]);
}

#[test]
fn at_most_1000_contributions_and_two_values_of_return_are_accepted() {
    let server = Server::start();
    let items: Vec<Value> = (0..1001)
        .map(|n| json!({"board": "gifts/a", "member": format!("u{n}"), "points": 1}))
        .collect();
    let lines = ndjson(&items);
    let ndjson = [("content-type", "application/x-ndjson")];
    for wanted in ["standings", "ranks"] {
        let path = format!("{PATH}?return={wanted}");
        let response = server.post(&path, &items.clone().into());
        response.problem(400, "invalid", &["return", "1000", "1001"]);
        let response = server.send("POST", &path, &ndjson, lines.clone());
        response.problem(400, "invalid", &["return", "1000"]);
    }
    for query in [
        "return=all",
        "return=",
        "retrun=ranks",
        "return=ranks&return=ranks",
        "previous_rank=true",
        "previous_rank=1&return=ranks",
    ] {
        let response = server.post(format!("{PATH}?{query}"), &items[0]);
        response.problem(400, "invalid", &[query.split('=').next().unwrap()]);
    }
    let board = server.get("/v1/boards/gifts/a?window=all").ok();
    assert_eq!(board["members"], 0);
    let receipt = server.post(
        format!("{PATH}?return=ranks"),
        &items[..1000].to_vec().into(),
    );
    let receipt = receipt.ok();
    // Counted on each board.
    let many = |n: usize| json!({"boards": ["gifts/b", "gifts/c"], "member": format!("u{n}"), "points": 1, "id": format!("i{n}")});
    let many: Vec<Value> = (0..501).map(many).collect();
    let response = server.post(format!("{PATH}?return=ranks"), &many.into());
    response.problem(400, "invalid", &["return", "1000", "1002"]);
    assert_eq!(
        server.get("/v1/boards/gifts/b?window=all").ok()["members"],
        0
    );
    let standings = receipt["standings"].as_array().unwrap();
    let mut ranks: Vec<u64> = standings
        .iter()
        .map(|standing| standing["windows"][4]["rank"].as_u64().unwrap())
        .collect();
    ranks.sort_unstable();
    assert_eq!(ranks, (1..=1000).collect::<Vec<_>>());
}

#[test]
fn the_rank_before_the_request_is_returned_if_requested() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\", \"day\"]\n");
    server.give("gifts/a", &[("u1", 9), ("u2", 5), ("u3", 1)]);
    let path = format!("{PATH}?return=ranks&previous_rank=true");
    let items = json!([
        {"board": "gifts/a", "member": "u3", "points": 5},
        {"board": "gifts/a", "member": "u3", "points": 5},
        {"board": "gifts/a", "member": "u4", "points": 1},
        {"board": "gifts/b", "member": "u3", "points": 1},
        {"board": "gifts/a", "member": "u1", "remove": true},
    ]);
    let receipt = server.post(&path, &items).ok();
    let standings = receipt["standings"].as_array().unwrap();
    let ranks = |n: usize| {
        let windows = standings[n]["windows"].as_array().unwrap();
        assert_eq!(windows[0]["rank"], windows[1]["rank"], "{windows:?}");
        (
            windows[1]["previous_rank"].clone(),
            windows[1]["rank"].clone(),
        )
    };
    // Ranks are those of the whole request: u1 is removed, u3 has 11.
    assert_eq!(ranks(0), (json!(3), json!(1)));
    assert_eq!(ranks(1), (json!(3), json!(1)));
    assert_eq!(ranks(2), (Value::Null, json!(3)));
    assert_eq!(ranks(3), (Value::Null, json!(1)));
    assert_eq!(standings.len(), 4);
    // A hidden member has no rank, before or after.
    server.put("/v1/members/u2/hidden", &json!({})).ok();
    let item = json!({"board": "gifts/a", "member": "u2", "points": 100});
    let receipt = server.post(&path, &item).ok();
    let window = &receipt["standings"][0]["windows"][0];
    assert_eq!(
        (&window["previous_rank"], &window["rank"]),
        (&Value::Null, &Value::Null)
    );
    assert!(window.as_object().unwrap().contains_key("previous_rank"));
}

#[test]
fn a_standing_that_is_set_returns_its_ranks() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\", \"day\"]\n");
    server.give("gifts/a", &[("u1", 9), ("u2", 5)]);
    let member = "/v1/boards/gifts/a/members/u2";
    let set = |query: &str, points: i64| {
        server.put(format!("{member}{query}"), &json!({"points": points}))
    };
    let receipt = set("?return=ranks&previous_rank=true&window=all", 10).ok();
    let windows = receipt["standings"][0]["windows"].as_array().unwrap();
    assert_eq!(windows.len(), 1);
    let window = &windows[0];
    let ranks = (&window["previous_rank"], &window["rank"], &window["points"]);
    assert_eq!(ranks, (&json!(2), &json!(1), &json!(10)));
    assert_eq!(receipt["standings"][0]["member"], "u2");
    let receipt = set("?return=standings", 3).ok();
    assert_eq!(names(&receipt["standings"][0]["windows"]), ["all", "day"]);
    assert_eq!(receipt["standings"][0]["windows"][0].get("rank"), None);
    assert_eq!(set("", 3).ok().get("standings"), None);
    set("?previous_rank=true", 3).problem(400, "invalid", &["previous_rank", "return"]);
}
