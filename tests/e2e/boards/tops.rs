//! `POST /v1/top`: the tops of many boards in one response.

use serde_json::{Value, json};
use testkit::Server;

#[test]
fn boards_are_in_the_requested_order_and_equal_single_reads() {
    let server = Server::start();
    server.give("gifts/a", &[("u", 1), ("v", 2), ("w", 3)]);
    server.give("gifts/b é", &[("x", 7)]);
    let asked = json!({"boards": ["gifts/b é", "gifts/none", "gifts/a"], "window": "all", "n": 2});
    let response = server.post("/v1/top", &asked).ok();
    let boards = response["boards"].as_array().unwrap();
    let names: Vec<&Value> = boards.iter().map(|board| &board["board"]).collect();
    assert_eq!(names, ["gifts/b é", "gifts/none", "gifts/a"]);
    let counts: Vec<(u64, usize)> = boards
        .iter()
        .map(|b| {
            (
                b["members"].as_u64().unwrap(),
                b["entries"].as_array().unwrap().len(),
            )
        })
        .collect();
    assert_eq!(counts, [(1, 1), (0, 0), (3, 2)]);
    let mut alone = server.get("/v1/boards/gifts/a/top?window=all&n=2").ok();
    let mut among = boards[2].clone();
    for board in [&mut alone, &mut among] {
        board.as_object_mut().unwrap().remove("as_of").unwrap();
    }
    assert_eq!(alone, among);
}

#[test]
fn window_and_n_have_defaults_and_fresh_sees_answered_writes() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"1h\"\n");
    for points in 1..=50 {
        server.give("gifts/a", &[("u", 1)]);
        let response = server
            .post("/v1/top", &json!({"boards": ["gifts/a"], "fresh": true}))
            .ok();
        assert_eq!(response["boards"][0]["entries"][0]["points"], points);
        assert_eq!(response["boards"][0]["window"], "all");
    }
    assert_eq!(
        server.post("/v1/top", &json!({"boards": []})).ok()["boards"],
        json!([])
    );
}

#[test]
fn at_most_100_boards_are_accepted_and_errors_are_reported() {
    let server = Server::start();
    let boards = |count: u32| (0..count).map(|n| format!("gifts/{n}")).collect::<Vec<_>>();
    let response = server.post("/v1/top", &json!({"boards": boards(100)})).ok();
    assert_eq!(response["boards"].as_array().unwrap().len(), 100);
    for (body, status, word, parts) in [
        (
            json!({"boards": boards(101)}),
            400,
            "invalid",
            &["boards", "at most 100"][..],
        ),
        (json!({}), 400, "invalid", &["boards"]),
        (
            json!({"boards": ["gifts/a", "gifts"]}),
            400,
            "invalid",
            &["boards[1]", "gifts"],
        ),
        (
            json!({"boards": ["gifts/a", "gifts/b", "gifts/a"]}),
            400,
            "invalid",
            &["boards", "gifts/a", "twice"],
        ),
        (
            json!({"boards": ["nope/a"]}),
            404,
            "unknown-kind",
            &["boards[0]", "nope"],
        ),
        (
            json!({"boards": ["gifts/a"], "n": 0}),
            400,
            "invalid",
            &["n", "0"],
        ),
        (
            json!({"boards": ["gifts/a"], "n": 1001}),
            400,
            "invalid",
            &["n", "1001"],
        ),
        (
            json!({"boards": [], "n": 10_001}),
            400,
            "invalid",
            &["n", "10001"],
        ),
        (
            json!({"boards": ["gifts/a"], "window": "decade"}),
            400,
            "invalid",
            &["window", "decade"],
        ),
        (
            json!({"boards": ["gifts/a"], "count": 1}),
            400,
            "invalid",
            &["count"],
        ),
    ] {
        server.post("/v1/top", &body).problem(status, word, parts);
    }
    server
        .post("/v1/top?n=1", &json!({"boards": []}))
        .problem(400, "invalid", &["n"]);
}
