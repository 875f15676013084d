//! Removals: of one member, of many by points and ranks, from all windows and from one, in contributions.

use serde_json::{Value, json};
use testkit::clock::{DAY_MS, now_ms};
use testkit::{Server, ndjson};

const KINDS: &str = "[kinds.gifts]\nwindows = [\"all\", \"day\"]\nshards = 4\n\
    [kinds.laps]\nwindows = [\"all\"]\nrank = \"competition\"\nties = \"member\"\n";

const MEMBERS: &str = "/v1/boards/gifts/a/members";

/// Returns a server with members m1 to m600 with as many points.
fn filled() -> Server {
    let server = Server::durable(KINDS);
    let items: Vec<Value> = (1..=600)
        .map(|n| json!({"board": "gifts/a", "member": format!("m{n}"), "points": n}))
        .collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], 600);
    server
}

fn members(server: &Server, board: &str, window: &str) -> u64 {
    let top = server.get(format!(
        "/v1/boards/{board}/top?n=1&fresh=true&window={window}"
    ));
    top.ok()["members"].as_u64().unwrap()
}

#[test]
fn members_are_removed_by_points_and_by_rank() {
    let server = filled();
    let removed = |query: &str| server.delete(format!("{MEMBERS}?{query}")).ok();
    assert_eq!(
        removed("min=301&max=600"),
        json!({"removed": 300, "window": "all", "more": false})
    );
    assert_eq!(
        removed("min=301"),
        json!({"removed": 0, "window": "all", "more": false})
    );
    assert_eq!(
        removed("below_rank=280"),
        json!({"removed": 20, "window": "all", "more": false})
    );
    assert_eq!(
        removed("max=30"),
        json!({"removed": 10, "window": "all", "more": false})
    );
    for window in ["all", "day"] {
        assert_eq!(members(&server, "gifts/a", window), 270, "{window}");
        let path = format!("/v1/boards/gifts/a/range?from=1&to=1000&window={window}");
        let expected = (31..=300).rev().zip(1..);
        let expected = expected.map(|(points, rank)| (rank, format!("m{points}"), points));
        assert_eq!(server.get(path).ranked(), expected.collect::<Vec<_>>());
    }
    assert_eq!(
        removed("below_rank=0"),
        json!({"removed": 270, "window": "all", "more": false})
    );
    assert_eq!(members(&server, "gifts/a", "all"), 0);
}

#[test]
fn members_may_be_removed_from_one_window() {
    let server = filled();
    let yesterday = json!({"board": "gifts/a", "member": "m1", "points": 5000,
                           "at": now_ms() - DAY_MS});
    server.contribute(&yesterday).ok();
    let removed = |path: &str| server.delete(format!("{MEMBERS}{path}")).ok()["removed"].clone();
    assert_eq!(removed("?min=501&window=day"), 100);
    assert_eq!(removed("?below_rank=490&window=day"), 10);
    assert_eq!(removed("/m600?window=day"), 0);
    assert_eq!(removed("/m600?window=all"), 1);
    assert_eq!(removed("/m1?window=day:previous"), 1);
    assert_eq!(members(&server, "gifts/a", "all"), 599);
    assert_eq!(members(&server, "gifts/a", "day"), 490);
    assert_eq!(server.order("gifts/a", "all")[..2], ["m1", "m599"]);
    let server = server.kill().start();
    assert_eq!(members(&server, "gifts/a", "all"), 599);
    assert_eq!(members(&server, "gifts/a", "day"), 490);
    assert_eq!(members(&server, "gifts/a", "day:previous"), 0);
}

#[test]
fn shared_ranks_are_removed_together() {
    let server = Server::with(KINDS);
    // 400 with 2 points, 300 with 1.
    let item = |n: u32| {
        let points = if n < 400 { 2 } else { 1 };
        json!({"board": "laps/a", "member": format!("m{n}"), "points": points})
    };
    let items: Vec<Value> = (0..700).map(item).collect();
    server.contribute(&items.into()).ok();
    let removed = |rank: u32| {
        let path = format!("/v1/boards/laps/a/members?below_rank={rank}");
        server.delete(path).ok()["removed"].clone()
    };
    assert_eq!(removed(401), 0);
    assert_eq!(removed(700), 0);
    assert_eq!(removed(1), 300);
    assert_eq!(removed(1), 0);
    assert_eq!(members(&server, "laps/a", "all"), 400);
}

#[test]
fn contributions_may_remove_members() {
    let server = filled();
    let items = [
        json!({"board": "gifts/a", "member": "m600", "remove": true}),
        json!({"board": "gifts/a", "member": "m599", "remove": true, "window": "day"}),
        json!({"boards": ["gifts/a", "gifts/b"], "member": "m598", "remove": true}),
        json!({"board": "gifts/a", "member": "nobody", "remove": true}),
        json!({"board": "gifts/a", "member": "m600", "points": 7}),
    ];
    let receipt = json!({"applied": 6, "duplicates": 0, "removed": 3, "rejected_count": 0, "rejected": [],
                         "failed_count": 0, "failed": []});
    assert_eq!(server.contribute(&json!(items)).ok(), receipt);
    let point = |member: &str, window: &str| {
        let path = format!("{MEMBERS}/{member}?window={window}");
        let shown = server.get(path);
        if shown.status == 404 {
            0
        } else {
            shown.ok()["points"].as_i64().unwrap()
        }
    };
    let points: Vec<_> = ["m600", "m599", "m598"]
        .into_iter()
        .map(|member| (point(member, "all"), point(member, "day")))
        .collect();
    assert_eq!(points, [(7, 7), (599, 0), (0, 0)]);
    // No board is created by a removal.
    assert_eq!(
        server.get("/v1/boards?kind=gifts").ok()["boards"][1],
        Value::Null
    );
    let mut receipt = server.lines(&ndjson(&items[..1])).ok();
    assert_eq!(receipt["removed"].take(), 1);
    let one = server.contribute(&items[0]).ok();
    assert_eq!((&one["applied"], &one["removed"]), (&json!(1), &json!(0)));
}

#[test]
fn wrong_removals_are_refused() {
    let server = Server::with(KINDS);
    let with = |name: &str, value: Value| {
        let mut item = json!({"board": "gifts/a", "member": "u", "remove": true});
        item[name] = value;
        item
    };
    for (item, part) in [
        (with("points", json!(1)), "points"),
        (with("values", json!({})), "values"),
        (with("set", json!(true)), "set"),
        (with("at", json!(1)), "at"),
        (with("id", json!("i")), "id"),
        (with("window", json!("decade")), "window"),
    ] {
        let response = server.contribute(&item);
        response.problem(400, "invalid", &[part]);
    }
    for (query, part) in [
        ("", "min"),
        ("?min=2&max=1", "min"),
        ("?min=1&below_rank=1", "below_rank"),
        ("?below_rank=-1", "below_rank"),
        ("?below_rank=9223372036854775808", "below_rank"),
        ("?below_rank=1&limit=5", "limit"),
    ] {
        let response = server.delete(format!("{MEMBERS}{query}"));
        response.problem(400, "invalid", &[part]);
    }
    let path = format!("{MEMBERS}?min=1&window=hour");
    server
        .delete(path)
        .problem(404, "unknown-window", &["hour"]);
}

#[test]
fn a_member_may_be_removed_from_a_closed_window() {
    let server = Server::with(KINDS);
    let yesterday = now_ms() - DAY_MS;
    let late =
        |member: &str| json!({"board": "gifts/a", "member": member, "points": 1, "at": yesterday});
    server.contribute(&json!([late("u"), late("v")])).ok();
    let mut kind = server.get("/v1/kinds/gifts").ok();
    kind["close"] = json!({"day": "1ms"});
    server.put("/v1/kinds/gifts", &kind).ok();
    assert_eq!(server.contribute(&late("w")).ok()["applied"], 1);
    let top = || server.get("/v1/boards/gifts/a/top?window=day:previous&fresh=true");
    let closed = top();
    assert_eq!(
        (&closed.value()["members"], &closed.value()["final"]),
        (&json!(2), &json!(true))
    );
    let path = format!("{MEMBERS}/u?window=day:previous");
    assert_eq!(server.delete(path).ok()["removed"], 1);
    assert_eq!(top().value()["members"], 1);
    assert_ne!(top().value()["version"], closed.value()["version"]);
    assert_eq!(members(&server, "gifts/a", "all"), 3);
}

#[test]
fn ranges_are_those_of_all_time_unless_a_window_is_named() {
    // The first window of this kind is the current hour.
    let server = Server::with("[kinds.gifts]\n");
    let item = |member: &str, points: i64, at: i64| json!({"board": "gifts/a", "member": member, "points": points, "at": at});
    let now = now_ms();
    let items = json!([
        item("old", 100, now - 2 * DAY_MS),
        item("new", 5, now),
        item("low", 1, now - 2 * DAY_MS)
    ]);
    server.contribute(&items).ok();
    let removed = server.delete(format!("{MEMBERS}?below_rank=2")).ok();
    assert_eq!(
        removed,
        json!({"removed": 1, "window": "all", "more": false})
    );
    assert_eq!(server.order("gifts/a", "all"), ["old", "new"]);
}
