//! Events: one contribution to up to 16 boards, under one id.

use serde_json::{Value, json};
use testkit::Server;

fn event(boards: &[String]) -> Value {
    json!({"boards": boards, "member": "u", "points": 2, "id": "e1"})
}

fn boards(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("gifts/b{n}")).collect()
}

#[test]
fn an_event_counts_once_on_each_of_its_boards() {
    let server = Server::start();
    let all = boards(16);
    assert_eq!(server.contribute(&event(&all)).ok()["applied"], 16);
    let again = server.contribute(&event(&all)).ok();
    assert_eq!(
        (&again["applied"], &again["duplicates"]),
        (&json!(0), &json!(16))
    );
    for board in &all {
        let shown = server
            .get(format!("/v1/boards/{board}/members/u?window=all"))
            .ok();
        assert_eq!(shown["points"], 2, "{board}");
    }
    // The board that was missing the first time counts now, the others are duplicates.
    let mut some = boards(17);
    some.drain(..15);
    let receipt = server.contribute(&event(&some)).ok();
    assert_eq!(
        (&receipt["applied"], &receipt["duplicates"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn a_board_that_rejects_an_event_does_not_affect_the_others() {
    let server = Server::start();
    let mixed = ["gifts/a", "nope/a", "gifts", "gifts/b"].map(str::to_owned);
    let receipt = server.contribute(&event(&mixed)).ok();
    assert_eq!(
        (&receipt["applied"], &receipt["rejected_count"]),
        (&json!(2), &json!(2))
    );
    let rejected = receipt["rejected"].as_array().unwrap();
    let reported: Vec<(&Value, &Value)> =
        rejected.iter().map(|r| (&r["board"], &r["type"])).collect();
    assert_eq!(
        reported,
        [
            (&json!("nope/a"), &json!("unknown-kind")),
            (&json!("gifts"), &json!("invalid"))
        ]
    );
    assert!(rejected.iter().all(|item| item["index"] == 0), "{receipt}");
    for board in ["gifts/a", "gifts/b"] {
        assert_eq!(server.order(board, "all"), ["u"]);
    }
}

#[test]
fn an_event_rejected_by_all_boards_returns_the_first_error() {
    let server = Server::start();
    let none = ["nope/a", "neither/b"].map(str::to_owned);
    server
        .contribute(&event(&none))
        .problem(404, "unknown-kind", &["nope"]);
}

#[test]
fn invalid_lists_of_boards_are_rejected() {
    let server = Server::start();
    let refused = |item: &Value, parts: &[&str]| {
        server.contribute(item).problem(400, "invalid", parts);
        let receipt = server.contribute(&json!([item])).rejected();
        assert_eq!(receipt["rejected_count"], 1, "{receipt}");
    };
    refused(&event(&boards(17)), &["boards", "at most 16"]);
    refused(&event(&[]), &["boards", "1 to 16"]);
    refused(
        &event(&["gifts/b0".to_owned(), "gifts/b0".to_owned()]),
        &["boards", "gifts/b0"],
    );
    let mut both = event(&boards(1));
    both["board"] = json!("gifts/b0");
    refused(&both, &["board"]);
    let mut without_id = event(&boards(2));
    without_id.as_object_mut().unwrap().remove("id");
    refused(&without_id, &["id"]);
    let listed = server.get("/v1/boards?kind=gifts").ok();
    assert_eq!(listed["boards"], json!([]));
}
