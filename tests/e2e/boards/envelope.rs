//! The common properties of all responses about a board; empty boards; unknown kinds.

use serde_json::json;
use testkit::Server;
use testkit::clock::{now_us, rfc3339_us};

/// Every `GET` path, and its property that is empty on an empty board.
const READS: [(&str, &str); 6] = [
    ("", "windows"),
    ("/top", "entries"),
    ("/range?from=1&to=10", "entries"),
    ("/range?min=0&max=10", "entries"),
    ("/count?min=0&max=10", "count"),
    ("/rank?points=5", "rank"),
];

#[test]
fn all_responses_have_the_common_properties() {
    let server = Server::start();
    server.give("gifts/a", &[("u", 5), ("v", 4)]);
    let before = rfc3339_us(now_us());
    let mut versions = Vec::new();
    let mut check = |path: &str, response: serde_json::Value| {
        let after = rfc3339_us(now_us());
        assert_eq!(response["board"], "gifts/a", "{path}");
        assert_eq!(response["window"], "all", "{path}");
        assert_eq!(response["members"], 2, "{path}");
        assert_eq!(response.get("final"), None, "{path}");
        assert_eq!(response.get("stale"), None, "{path}");
        let as_of = response["as_of"].as_str().unwrap();
        assert!(*before <= *as_of && *as_of <= *after, "{path}: {response}");
        versions.push(response["version"].as_str().unwrap().to_owned());
    };
    let more = ["/members/u", "/members/u/around"];
    for path in READS.map(|(path, _)| path).iter().chain(&more) {
        let and = if path.contains('?') { '&' } else { '?' };
        let path = format!("/v1/boards/gifts/a{path}{and}window=all&fresh=true");
        check(&path, server.get(&path).ok());
    }
    for (path, body) in [
        ("/lookup", json!({"members": ["u"]})),
        ("/rank", json!({"points": 1})),
    ] {
        let path = format!("/v1/boards/gifts/a{path}?window=all&fresh=true");
        check(&path, server.post(&path, &body).ok());
    }
    assert!(
        versions.iter().all(|version| *version == versions[0]),
        "{versions:?}"
    );
}

#[test]
fn a_board_without_contributions_is_empty() {
    let server = Server::start();
    for (path, name) in READS {
        let response = server.get(format!("/v1/boards/gifts/new{path}")).ok();
        assert_eq!(
            (&response["members"], &response["version"]),
            (&json!(0), &json!("0")),
            "{path}"
        );
        let expected = match name {
            "count" => json!(0),
            "rank" => json!(1),
            _ => json!([]),
        };
        assert_eq!(response[name], expected, "{path}");
    }
    let found = server.post("/v1/boards/gifts/new/lookup", &json!({"members": ["u"]}));
    assert_eq!(found.entries(), [json!({"rank": null, "member": "u"})]);
    for path in ["/members/u", "/members/u/around"] {
        let response = server.get(format!("/v1/boards/gifts/new{path}"));
        response.problem(404, "not-ranked", &["u"]);
    }
}

/// That a board does not exist is cached once, for all its windows.
#[test]
fn an_empty_board_returns_the_requested_window() {
    let server = Server::start();
    for window in ["all", "month:2026-11", "day:2026-11-20", "all"] {
        let path = format!("/v1/boards/gifts/new/top?window={window}");
        assert_eq!(server.get(path).ok()["window"], json!(window));
    }
}

#[test]
fn an_unknown_kind_is_404_on_every_path() {
    let server = Server::start();
    let more = ["/members/u", "/members/u/around"];
    for path in READS.map(|(path, _)| path).iter().chain(&more) {
        let response = server.get(format!("/v1/boards/nope/a{path}"));
        response.problem(404, "unknown-kind", &["nope"]);
    }
    for (method, path) in [
        ("POST", "/lookup"),
        ("POST", "/rank"),
        ("PUT", ""),
        ("PUT", "/members/u"),
    ] {
        let response = server.json(method, &format!("/v1/boards/nope/a{path}"), "{}");
        response.problem(404, "unknown-kind", &["nope"]);
    }
    server
        .delete("/v1/boards/nope/a")
        .problem(404, "unknown-kind", &["nope"]);
    server
        .get("/v1/boards?kind=nope")
        .problem(404, "unknown-kind", &["nope"]);
}

#[test]
fn the_default_window_is_the_first_of_the_kind() {
    let server = Server::with(
        "[kinds.k]\nwindows = [\"month\", \"all\"]\n[kinds.l]\nwindows = [\"all\", \"month\"]\n",
    );
    let window = |kind: &str| {
        server.get(format!("/v1/boards/{kind}/a/top")).ok()["window"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(window("k").starts_with("month:20"));
    assert_eq!(window("l"), "all");
}
