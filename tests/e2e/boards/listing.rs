//! `GET /v1/boards`: the boards of a kind in pages, ordered by subject, and the busiest ones.

use serde_json::{Value, json};
use testkit::{Server, encoded};

#[test]
fn a_page_starts_after_the_last_subject_of_the_previous_one() {
    let server = Server::with("[kinds.gifts]\nshards = 2\n[kinds.likes]\n");
    let mut subjects: Vec<String> = (0..25).map(|n| format!("room {n}/é&=")).collect();
    for subject in &subjects {
        server.give(&format!("gifts/{subject}"), &[("u", 1)]);
    }
    server.give("likes/other", &[("u", 1)]);
    // Ordered by bytes, like all ids.
    subjects.sort();
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let page = server
            .get(format!("/v1/boards?kind=gifts&limit=10{after}"))
            .ok();
        let boards = page["boards"].as_array().unwrap();
        assert_eq!(page["kind"], "gifts");
        for board in boards {
            let subject = board["subject"].as_str().unwrap();
            assert_eq!(board["board"], format!("gifts/{subject}"));
            assert_eq!(board["shards"], 2);
            seen.push(subject.to_owned());
        }
        match &page["next"] {
            Value::Null => break,
            next => {
                assert_eq!((boards.len(), next), (10, &boards[9]["subject"]));
                after = format!("&after={}", encoded(next.as_str().unwrap()));
            }
        }
    }
    assert_eq!(seen, subjects);
}

#[test]
fn the_last_page_has_no_next() {
    let server = Server::start();
    for subject in ["a", "b"] {
        server.give(&format!("gifts/{subject}"), &[("u", 1)]);
    }
    let page = server.get("/v1/boards?kind=gifts&limit=2").ok();
    assert_eq!(
        (page["boards"].as_array().unwrap().len(), &page["next"]),
        (2, &Value::Null)
    );
    // The subject to start after need not exist any more.
    let page = server.get("/v1/boards?kind=gifts&after=aa").ok();
    assert_eq!(page["boards"][0]["subject"], "b");
    assert_eq!(
        server.get("/v1/boards?kind=gifts&after=z").ok()["boards"],
        json!([])
    );
}

#[test]
fn a_prefix_selects_boards_page_by_page() {
    let server = Server::start();
    for subject in ["pk", "room", "room-1", "room-10", "room-2", "rooms"] {
        server.give(&format!("gifts/{subject}"), &[("u", 1)]);
    }
    let listed = |query: &str| {
        let page = server.get(format!("/v1/boards?kind=gifts{query}")).ok();
        let boards = page["boards"].as_array().unwrap();
        let subjects = boards
            .iter()
            .map(|it| it["subject"].as_str().unwrap().to_owned());
        (subjects.collect::<Vec<_>>().join(" "), page["next"].clone())
    };
    let all = "pk room room-1 room-10 room-2 rooms".to_owned();
    assert_eq!(listed("&prefix="), (all, Value::Null));
    let first = listed("&prefix=room-&limit=2");
    assert_eq!(first, ("room-1 room-10".to_owned(), json!("room-10")));
    let second = listed("&prefix=room-&limit=2&after=room-10");
    assert_eq!(second, ("room-2".to_owned(), Value::Null));
    assert_eq!(listed("&prefix=q"), (String::new(), Value::Null));
    let long = "x".repeat(129);
    server
        .get(format!("/v1/boards?kind=gifts&prefix={long}"))
        .problem(400, "invalid", &["prefix", "129", "128"]);
}

/// Returns the subjects of the busiest boards, and their contributions per minute.
fn busiest(server: &Server, query: &str) -> Vec<(String, f64)> {
    let path = format!("/v1/boards?kind=gifts&order=activity{query}");
    let page = server.get(path).ok();
    assert_eq!(page["next"], Value::Null);
    let boards = page["boards"].as_array().unwrap().clone();
    let boards = boards.iter().map(|board| {
        let rate = board["contributions_per_minute"].as_f64().unwrap();
        (board["subject"].as_str().unwrap().to_owned(), rate)
    });
    boards.collect()
}

#[test]
fn the_busiest_boards_come_first_until_the_server_restarts() {
    let server = Server::durable("[kinds.gifts]\n[kinds.likes]\n");
    server.give("likes/other", &[("u", 1)]);
    for (subject, contributions) in [("room-1", 2), ("room-2", 20), ("pk", 7), ("quiet", 1)] {
        for _ in 0..contributions {
            server.give(&format!("gifts/{subject}"), &[("u", 1)]);
        }
    }
    let subjects = |query: &str| {
        let boards = busiest(&server, query).into_iter();
        boards.map(|(subject, _)| subject).collect::<Vec<_>>()
    };
    assert_eq!(subjects(""), ["room-2", "pk", "room-1", "quiet"]);
    assert_eq!(subjects("&limit=1"), ["room-2"]);
    assert_eq!(subjects("&prefix=room-"), ["room-2", "room-1"]);
    // 20 contributions at once, halved every minute, are up to 13.9 per minute.
    let rate = busiest(&server, "&limit=1")[0].1;
    assert!((5.0..13.9).contains(&rate), "{rate}");
    // By subject, no board has a rate.
    let page = server.get("/v1/boards?kind=gifts").ok();
    let boards = page["boards"].as_array().unwrap();
    assert_eq!(boards.len(), 4);
    assert!(
        boards
            .iter()
            .all(|it| it.get("contributions_per_minute").is_none())
    );
    let server = server.stop().start();
    assert_eq!(busiest(&server, ""), []);
    server.give("gifts/quiet", &[("u", 1)]);
    assert_eq!(busiest(&server, "").len(), 1);
}

#[test]
fn errors_name_the_parameter() {
    let server = Server::start();
    for (query, parts) in [
        ("", &["kind"][..]),
        ("?kind=gifts&limit=0", &["limit", "\"0\""]),
        ("?kind=gifts&limit=1001", &["limit", "1001"]),
        ("?kind=gifts&after=", &["after"]),
        ("?kind=gifts&before=a", &["before"]),
        (
            "?kind=gifts&order=busy",
            &["order", "\"busy\"", "subject", "activity"],
        ),
        (
            "?kind=gifts&order=activity&after=a",
            &["after", "order=activity", "limit"],
        ),
        ("?kind=gifts&kind=gifts", &["kind"]),
    ] {
        server
            .get(format!("/v1/boards{query}"))
            .problem(400, "invalid", parts);
    }
}
