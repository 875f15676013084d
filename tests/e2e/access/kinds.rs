//! Keys restricted to kinds: in paths, in queries, and item by item.

use serde_json::{Value, json};
use testkit::Server;

use super::{Key, lines};

const KINDS: &str = "[kinds.gifts]\n[kinds.races]\n";

fn stage(scope: &str) -> (Key, Key, Server) {
    let bound = Key::new(&format!("--scope {scope} --kind gifts --name bound"));
    let free = Key::new("--scope admin --name free");
    let server = Server::with(&format!("{KINDS}{}", lines(&[&bound, &free])));
    (bound, free, server)
}

#[test]
fn a_path_of_another_kind_is_403_with_its_name() {
    let (bound, free, server) = stage("admin");
    for path in [
        "/v1/kinds/races",
        "/v1/boards/races/a",
        "/v1/boards/races/a/top",
        "/v1/boards/%72aces/a/top",
        "/v1/boards/races/a/members/u",
        "/v1/boards?kind=races",
        "/v1/boards/nope/a/top",
    ] {
        let kind = if path.contains("nope") {
            "nope"
        } else {
            "races"
        };
        let response = bound.get(&server, path);
        response.problem(403, "forbidden", &["\"bound\"", kind]);
    }
    for path in [
        "/v1/kinds/gifts",
        "/v1/boards/gifts/a/top",
        "/v1/boards/%67ifts/a/top",
        "/v1/boards?kind=gifts",
    ] {
        bound.get(&server, path).ok();
    }
    let shards = json!({"shards": 2});
    for (path, status) in [("/v1/boards/races/a", 403), ("/v1/boards/gifts/a", 200)] {
        let response = bound.ask(&server, "PUT", path, Some(&shards));
        assert_eq!(response.status, status, "{}", response.body);
    }
    let listed = |key: &Key| {
        let all = key.get(&server, "/v1/kinds").ok();
        let all = all["kinds"].as_array().unwrap().clone();
        let names = all
            .iter()
            .map(|kind| kind["kind"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(listed(&bound), ["gifts"]);
    assert_eq!(listed(&free), ["gifts", "races"]);
}

#[test]
fn the_kinds_of_contributions_are_checked_one_by_one() {
    let (bound, free, server) = stage("write");
    let gift = json!({"board": "gifts/a", "member": "u", "points": 1});
    let race = json!({"board": "races/a", "member": "u", "points": 1});
    let post = |body: &Value| bound.ask(&server, "POST", "/v1/contributions", Some(body));
    let receipt = post(&json!([gift, race, gift, race])).ok();
    assert_eq!(receipt["applied"], 2, "{receipt}");
    assert_eq!(receipt["rejected_count"], 2);
    for (position, index) in [1, 3].into_iter().enumerate() {
        let item = &receipt["rejected"][position];
        assert_eq!(item["index"], index);
        assert_eq!(item["board"], "races/a");
        assert_eq!(item["type"], "forbidden");
        assert!(item["detail"].as_str().unwrap().contains("races"), "{item}");
    }
    post(&race).problem(403, "forbidden", &["races"]);
    let both = json!({"boards": ["gifts/a", "races/a"], "member": "u", "points": 1, "id": "e"});
    let receipt = post(&both).ok();
    assert_eq!(
        (&receipt["applied"], &receipt["rejected_count"]),
        (&json!(1), &json!(1))
    );
    let bearer = format!("Bearer {}", bound.text);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/x-ndjson"),
    ];
    let text = format!("{gift}\n{race}\n");
    let receipt = server
        .send("POST", "/v1/contributions", &headers, text)
        .ok();
    assert_eq!(receipt["rejected"][0]["type"], "forbidden", "{receipt}");
    let members = |board: &str| {
        let path = format!("/v1/boards/{board}/top?fresh=true&window=all");
        free.get(&server, &path).ok()["members"].clone()
    };
    assert_eq!(
        (members("gifts/a"), members("races/a")),
        (json!(1), json!(0))
    );
}

#[test]
fn a_request_for_many_tops_names_the_forbidden_board() {
    let (bound, _, server) = stage("read");
    let ask = |boards: Value| {
        let body = json!({"boards": boards});
        bound.ask(&server, "POST", "/v1/top", Some(&body))
    };
    ask(json!(["gifts/a", "gifts/b"])).ok();
    let response = ask(json!(["gifts/a", "races/b"]));
    response.problem(403, "forbidden", &["boards[1]", "races", "bound"]);
}
