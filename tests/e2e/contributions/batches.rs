//! Batches: rejected items are reported by index, and the others are applied.

use serde_json::{Value, json};
use testkit::{Exposition, Server, ndjson};

#[test]
fn kinds_are_reloaded_once_for_any_number_of_unknown_names() {
    const EVENTS: usize = 1_000;
    const BOARDS: usize = 16;
    let server = Server::start();
    let looks = || {
        let calls = "megaboard_store_call_duration_seconds_count";
        Exposition::of(&server).sum(calls, &[("call", "kinds")])
    };
    let event = |n: usize| {
        let boards = (0..BOARDS).map(|k| format!("kind-{n}-{k}/a"));
        let id = format!("evt-{n}");
        json!({"boards": boards.collect::<Vec<_>>(), "member": "u", "points": 1, "id": id})
    };
    let items: Vec<Value> = (0..EVENTS).map(event).collect();
    let before = looks();
    let response = server.contribute(&items.into());
    response.problem(422, "nothing-applied", &["16000 rejected", "kind-0-0"]);
    let receipt = response.value();
    assert_eq!(receipt["rejected_count"], EVENTS * BOARDS);
    assert_eq!(receipt["rejected"][0]["type"], "unknown-kind");
    // The server also reloads its kinds every few seconds.
    let looks = looks() - before;
    assert!(looks < 16.0, "{looks} looks");
}

#[test]
fn the_list_of_rejected_items_ends_at_1000_and_the_count_continues() {
    let server = Server::start();
    let item = |n: u32| json!({"board": "gifts/a", "member": "u", "points": 1, "at": n});
    let items: Vec<Value> = (0..2500).map(item).collect();
    let lines = ndjson(&items);
    for (receipt, read) in [
        (server.contribute(&items.into()).rejected(), Value::Null),
        (server.lines(&lines).rejected(), json!(2500)),
    ] {
        assert_eq!(
            (&receipt["applied"], &receipt["rejected_count"]),
            (&json!(0), &json!(2500))
        );
        assert_eq!(receipt["read"], read);
        let rejected = receipt["rejected"].as_array().unwrap();
        let indexes: Vec<u64> = rejected
            .iter()
            .map(|r| r["index"].as_u64().unwrap())
            .collect();
        assert_eq!(indexes, (0..1000).collect::<Vec<u64>>());
    }
    server
        .get("/v1/boards/gifts/a/members/u?window=all")
        .problem(404, "not-ranked", &["u"]);
}

#[test]
fn contributions_of_a_member_keep_their_order() {
    let server = Server::start();
    // A set acts when it arrives, so the order is visible.
    let mut items = Vec::new();
    for round in 0..1500 {
        items.push(json!({"board": "gifts/a", "member": "u", "points": round, "set": true}));
        items.push(json!({"board": "gifts/a", "member": "u", "points": 1}));
    }
    let lines = ndjson(&items);
    for receipt in [server.contribute(&items.into()), server.lines(&lines)] {
        assert_eq!(receipt.ok()["applied"], 3000);
        let shown = server.get("/v1/boards/gifts/a/members/u?window=all").ok();
        assert_eq!(shown["points"], 1500);
    }
}

#[test]
fn the_first_100_partial_contributions_are_listed() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"day\", \"all\"]\n");
    let item = |n: usize| json!({"board": "gifts/a", "member": format!("u{n}"), "points": 1, "at": 1_000_000_000_000_i64});
    let many: Vec<Value> = (0..250).map(item).collect();
    for receipt in [
        server.lines(&ndjson(&many)).ok(),
        server.contribute(&many.into()).ok(),
    ] {
        assert_eq!(receipt["partial_count"], 250);
        let listed = receipt["partial"].as_array().unwrap();
        assert_eq!((listed.len(), &listed[99]["index"]), (100, &json!(99)));
    }
}
