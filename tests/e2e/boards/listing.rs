//! `GET /v1/boards`: the boards of a kind in pages, ordered by subject, and the busiest ones.

use serde_json::Value;
use testkit::Server;

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
