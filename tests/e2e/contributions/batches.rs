//! Batches: rejected items are reported by index, and the others are applied.

use serde_json::{Value, json};
use testkit::{Exposition, Server, ndjson};

#[test]
fn rejected_items_are_reported_by_index_and_the_others_count() {
    let server = Server::start();
    let items = json!([
        {"board": "gifts/a", "member": "u1", "points": 1},
        {"board": "nope/a", "member": "u1", "points": 1},
        {"board": "gifts/a", "member": "", "points": 1},
        {"board": "gifts/a", "member": "u2", "points": 9_007_199_254_740_992_i64},
        "words",
        {"board": "gifts/a", "member": "u3", "points": 1, "at": 9_000_000_000_000_i64},
        {"board": "gifts/a", "member": "u4", "points": 2, "weight": 3},
        {"board": "gifts/a", "member": "u5", "points": 5},
    ]);
    let receipt = server.contribute(&items).ok();
    assert_eq!(receipt["applied"], 2);
    assert_eq!(receipt["rejected_count"], 6);
    let rejected = receipt["rejected"].as_array().unwrap();
    let mut reported: Vec<(u64, &str)> = rejected
        .iter()
        .map(|item| {
            (
                item["index"].as_u64().unwrap(),
                item["type"].as_str().unwrap(),
            )
        })
        .collect();
    reported.sort_unstable();
    assert_eq!(
        reported,
        [
            (1, "unknown-kind"),
            (2, "invalid"),
            (3, "out-of-range"),
            (4, "invalid"),
            (5, "from-the-future"),
            (6, "invalid"),
        ]
    );
    let detail = |index: u64| {
        let item = rejected.iter().find(|item| item["index"] == index);
        item.unwrap()["detail"].as_str().unwrap().to_owned()
    };
    assert!(detail(1).contains("nope"));
    assert!(detail(2).contains("member"));
    assert!(detail(3).contains("points") && detail(3).contains("9007199254740992"));
    assert!(detail(5).contains("2255-"), "{}", detail(5));
    assert!(detail(6).contains("weight"));
    let of_board = rejected.iter().find(|item| item["index"] == 5).unwrap();
    assert_eq!(of_board["board"], "gifts/a");
    assert_eq!(server.order("gifts/a", "all"), ["u5", "u1"]);
}

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
fn a_batch_can_contain_several_boards_and_kinds() {
    let server = Server::with("[kinds.gifts]\n[kinds.likes]\nshards = 1\n");
    let items: Vec<Value> = (0..300)
        .map(|n| {
            let kind = ["gifts", "likes"][n % 2];
            json!({"board": format!("{kind}/room-{}", n % 30), "member": "u", "points": 1})
        })
        .collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], 300);
    for room in 0..30 {
        let kind = ["gifts", "likes"][room % 2];
        let path = format!("/v1/boards/{kind}/room-{room}/members/u?window=all");
        assert_eq!(server.get(&path).ok()["points"], 10, "{path}");
    }
}

#[test]
fn a_batch_of_which_nothing_is_applied_is_a_problem_with_its_receipt() {
    let server = Server::start();
    let good = json!({"board": "gifts/a", "member": "u", "points": 1, "id": "i"});
    let wrong = json!({"board": "gifts/a", "member": "", "points": 1});
    let all_wrong = json!([wrong, wrong]);
    let response = server.contribute(&all_wrong);
    response.problem(422, "nothing-applied", &["2 rejected", "member"]);
    let receipt = response.value();
    assert_eq!(
        (&receipt["applied"], &receipt["rejected_count"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(receipt["rejected"][1]["index"], 1);
    let response = server.lines(&ndjson(std::slice::from_ref(&wrong)));
    response.problem(422, "nothing-applied", &["1 rejected"]);
    assert_eq!(response.value()["read"], 1);
    // What counts, now or before, makes it a success, and so does nothing at all.
    assert_eq!(server.contribute(&json!([wrong, good])).ok()["applied"], 1);
    assert_eq!(
        server.contribute(&json!([good, wrong])).ok()["duplicates"],
        1
    );
    assert_eq!(server.contribute(&json!([])).ok()["applied"], 0);
    // A single object is its own problem.
    server
        .contribute(&wrong)
        .problem(400, "invalid", &["member"]);
}

#[test]
fn contributions_that_count_in_some_windows_only_are_told() {
    let server = Server::with(
        "[kinds.gifts]\nwindows = [\"hour\", \"day\", \"all\"]\nclose = { hour = \"1h\" }\n",
    );
    let item = |n: usize, at: i64| json!({"board": "gifts/a", "member": format!("u{n}"), "points": 1, "at": at});
    // Within an hour and a day of its end, but not of the hour's.
    let late = testkit::clock::now_ms() - 3 * 3_600_000;
    let single = server.contribute(&item(0, late)).ok();
    assert_eq!(
        (&single["applied"], &single["partial_count"]),
        (&json!(1), &json!(1))
    );
    let partial = json!([{"index": 0, "board": "gifts/a", "left_out": ["hour"]}]);
    assert_eq!(single["partial"], partial);
    let ancient = 1_000_000_000_000;
    let items = json!([item(1, testkit::clock::now_ms()), item(2, ancient)]);
    let receipt = server.contribute(&items).ok();
    assert_eq!(
        (&receipt["applied"], &receipt["partial_count"]),
        (&json!(2), &json!(1))
    );
    let partial = json!([{"index": 1, "board": "gifts/a", "left_out": ["hour", "day"]}]);
    assert_eq!(receipt["partial"], partial);
    // The first 100 are listed, of an array and of a stream.
    let many: Vec<Value> = (0..250).map(|n| item(n, ancient)).collect();
    for receipt in [
        server.lines(&ndjson(&many)).ok(),
        server.contribute(&many.into()).ok(),
    ] {
        assert_eq!(
            (&receipt["applied"], &receipt["partial_count"]),
            (&json!(250), &json!(250))
        );
        let listed = receipt["partial"].as_array().unwrap();
        assert_eq!((listed.len(), &listed[99]["index"]), (100, &json!(99)));
    }
    // A set of one window, a removal and a whole contribution are not partial.
    let whole = json!([
        item(3, testkit::clock::now_ms()),
        {"board": "gifts/a", "member": "u9", "points": 1, "at": ancient, "set": true, "window": "all"},
        {"board": "gifts/a", "member": "u3", "remove": true},
    ]);
    let receipt = server.contribute(&whole).ok();
    assert_eq!(
        (&receipt["applied"], receipt.get("partial_count")),
        (&json!(3), None)
    );
    let set = server
        .put(
            "/v1/boards/gifts/a/members/u9",
            &json!({"points": 2, "at": ancient}),
        )
        .ok();
    assert_eq!(set["partial"][0]["left_out"], json!(["hour", "day"]));
}
