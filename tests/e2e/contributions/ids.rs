//! Ids: a contribution counts once per board and member within the dedupe span.

use serde_json::{Value, json};
use testkit::Server;
use testkit::eventually;

fn item(board: &str, member: &str, points: i64, id: &str) -> Value {
    json!({"board": board, "member": member, "points": points, "id": id})
}

#[test]
fn an_id_counts_once_per_board_and_member() {
    let server = Server::start();
    let first = item("gifts/a", "u1", 5, "i");
    assert_eq!(server.contribute(&first).ok()["applied"], 1);
    let version = server.versions("gifts/a");
    let again = server.contribute(&item("gifts/a", "u1", 7, "i")).ok();
    assert_eq!(
        (&again["applied"], &again["duplicates"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(server.versions("gifts/a"), version);
    for other in [item("gifts/a", "u2", 1, "i"), item("gifts/b", "u1", 1, "i")] {
        assert_eq!(server.contribute(&other).ok()["applied"], 1, "{other}");
    }
    let twice = json!([item("gifts/a", "u3", 1, "j"), item("gifts/a", "u3", 1, "j")]);
    let receipt = server.contribute(&twice).ok();
    assert_eq!(
        (&receipt["applied"], &receipt["duplicates"]),
        (&json!(1), &json!(1))
    );
    let top = server
        .get("/v1/boards/gifts/a/top?window=all&fresh=true")
        .ranked();
    let points: Vec<(String, i64)> = top.into_iter().map(|(_, m, p)| (m, p)).collect();
    assert_eq!(points[0], ("u1".to_owned(), 5));
}

#[test]
fn the_id_of_a_rejected_contribution_can_be_used_again() {
    let server = Server::start();
    let most = 9_007_199_254_740_991_i64;
    server.give("gifts/a", &[("u", most)]);
    let version = server.versions("gifts/a");
    let over = server.contribute(&item("gifts/a", "u", 1, "i"));
    over.problem(422, "out-of-range", &["points"]);
    assert_eq!(server.versions("gifts/a"), version);
    let receipt = server.contribute(&item("gifts/a", "u", -1, "i")).ok();
    assert_eq!(receipt["applied"], 1);
    let shown = server.get("/v1/boards/gifts/a/members/u?window=all").ok();
    assert_eq!(shown["points"], most - 1);
}

#[test]
fn an_id_is_forgotten_after_the_dedupe_span() {
    let server = Server::with("[kinds.gifts]\ndedupe = \"1s\"\n");
    let item = item("gifts/a", "u", 1, "i");
    assert_eq!(server.contribute(&item).ok()["applied"], 1);
    eventually("the id is forgotten", || {
        (server.contribute(&item).ok()["applied"] == 1).then_some(())
    });
    let shown = server.get("/v1/boards/gifts/a/members/u?window=all").ok();
    assert_eq!(shown["points"], 2);
}

#[test]
fn an_id_has_1_to_128_bytes() {
    let server = Server::start();
    for id in ["x".repeat(128), "é".repeat(64), "☃/%00 \"".to_owned()] {
        assert_eq!(
            server.contribute(&item("gifts/a", "u", 1, &id)).ok()["applied"],
            1
        );
        assert_eq!(
            server.contribute(&item("gifts/a", "u", 1, &id)).ok()["duplicates"],
            1
        );
    }
    for id in ["x".repeat(129), "é".repeat(65), String::new()] {
        server
            .contribute(&item("gifts/a", "u", 1, &id))
            .problem(400, "invalid", &["id"]);
    }
}

#[test]
fn a_set_with_an_id_acts_once() {
    let server = Server::start();
    let set = json!({"points": 100, "id": "s"});
    let path = "/v1/boards/gifts/a/members/u";
    assert_eq!(server.put(path, &set).ok()["applied"], 1);
    server.give("gifts/a", &[("u", 1)]);
    assert_eq!(server.put(path, &set).ok()["duplicates"], 1);
    assert_eq!(server.get(format!("{path}?window=all")).ok()["points"], 101);
}
