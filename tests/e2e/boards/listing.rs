//! `GET /v1/boards`: the boards of a kind in pages, ordered by subject.

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
fn errors_name_the_parameter() {
    let server = Server::start();
    for (query, parts) in [
        ("", &["kind"][..]),
        ("?kind=gifts&limit=0", &["limit", "\"0\""]),
        ("?kind=gifts&limit=1001", &["limit", "1001"]),
        ("?kind=gifts&after=", &["after"]),
        ("?kind=gifts&before=a", &["before"]),
        ("?kind=gifts&kind=gifts", &["kind"]),
    ] {
        server
            .get(format!("/v1/boards{query}"))
            .problem(400, "invalid", parts);
    }
}
