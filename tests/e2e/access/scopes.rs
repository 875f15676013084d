//! The scope that each route requires, and what is accessible without a key.

use serde_json::{Value, json};
use testkit::Server;

use super::{Key, ask, lines};

/// Method, path, body, and the index of the lowest scope that is accepted.
fn requests() -> Vec<(&'static str, &'static str, Option<Value>, usize)> {
    let one = json!({"board": "gifts/a", "member": "u", "points": 1});
    vec![
        ("GET", "/v1/kinds", None, 0),
        ("GET", "/v1/kinds/gifts", None, 0),
        ("GET", "/v1/boards?kind=gifts", None, 0),
        ("GET", "/v1/boards/gifts/a", None, 0),
        ("GET", "/v1/boards/gifts/a/top", None, 0),
        ("GET", "/v1/boards/gifts/a/range?from=1&to=2", None, 0),
        ("GET", "/v1/boards/gifts/a/count?min=1", None, 0),
        ("GET", "/v1/boards/gifts/a/rank?points=1", None, 0),
        ("GET", "/v1/boards/gifts/a/members/u?window=all", None, 0),
        (
            "GET",
            "/v1/boards/gifts/a/members/u/around?window=all",
            None,
            0,
        ),
        ("POST", "/v1/top", Some(json!({"boards": ["gifts/a"]})), 0),
        (
            "POST",
            "/v1/boards/gifts/a/lookup",
            Some(json!({"members": ["u"]})),
            0,
        ),
        (
            "POST",
            "/v1/boards/gifts/a/rank",
            Some(json!({"values": {"points": 1}})),
            0,
        ),
        ("POST", "/v1/contributions", Some(one), 1),
        (
            "PUT",
            "/v1/boards/gifts/a/members/v",
            Some(json!({"points": 1})),
            1,
        ),
        ("DELETE", "/v1/boards/gifts/a/members/v", None, 1),
        (
            "PUT",
            "/v1/kinds/gifts/members/u/profile",
            Some(json!({"name": "Ann"})),
            1,
        ),
        ("GET", "/v1/kinds/gifts/members/u/profile", None, 0),
        ("DELETE", "/v1/kinds/gifts/members/u/profile", None, 1),
        ("PUT", "/v1/boards/gifts/b", Some(json!({"shards": 2})), 2),
        ("DELETE", "/v1/boards/gifts/a/members?below_rank=9", None, 2),
        ("DELETE", "/v1/boards/gifts/a", None, 2),
        ("PUT", "/v1/kinds/k", Some(json!({"windows": ["all"]})), 2),
        ("DELETE", "/v1/kinds/k", None, 2),
        ("GET", "/v1/keys", None, 2),
    ]
}

#[test]
fn each_route_accepts_exactly_its_scopes() {
    let names = ["read", "write", "admin"];
    let keys = names.map(|name| Key::new(&format!("--scope {name} --name the-{name}")));
    let server = Server::with(&lines(&keys.each_ref()));
    let one = json!({"board": "gifts/a", "member": "u", "points": 1});
    keys[1]
        .ask(&server, "POST", "/v1/contributions", Some(&one))
        .ok();
    for (method, path, body, least) in requests() {
        // The lowest accepted scope comes last, so that its changes are not undone before.
        for (scope, key) in keys.iter().enumerate() {
            if scope < least {
                let response = key.ask(&server, method, path, body.as_ref());
                let own = format!("the-{}", names[scope]);
                let problem = response.problem(403, "forbidden", &[names[least], &own]);
                assert!(!problem.to_string().contains(&key.text), "{problem}");
            }
        }
        for key in &keys[least..=least] {
            let response = key.ask(&server, method, path, body.as_ref());
            assert!(response.status < 300, "{method} {path}: {response:?}");
        }
        let none = ask(&server, &[], method, path, body.as_ref());
        none.problem(401, "unauthorized", &["authorization"]);
        assert_eq!(none.header("www-authenticate"), "Bearer", "{path}");
    }
}

#[test]
fn a_scope_includes_the_lower_ones() {
    let admin = Key::new("--scope admin");
    let server = Server::with(&admin.lines);
    let one = json!({"board": "gifts/a", "member": "u", "points": 1});
    let written = admin.ask(&server, "POST", "/v1/contributions", Some(&one));
    assert_eq!(written.ok()["applied"], 1);
    admin.get(&server, "/v1/boards/gifts/a/top").ok();
}

#[test]
fn a_wrong_key_is_401_and_never_repeated() {
    let key = Key::new("--scope admin");
    let server = Server::with(&key.lines);
    let other = Key::new("--scope admin").text;
    let hash = key.lines.split('"').find(|part| part.contains("sha256:"));
    let wrong = [
        other.as_str(),
        &key.text[..45],
        &key.text.to_uppercase(),
        hash.unwrap(),
        "mb_",
        "x",
    ];
    for text in wrong {
        for value in [
            format!("Bearer {text}"),
            format!("Basic {text}"),
            text.to_owned(),
        ] {
            let headers = [("authorization", value.as_str())];
            // From here on the server may refuse further guesses with 429.
            let response = server.get_with("/v1/kinds", &headers);
            let problem = response.problem(401, "unauthorized", &[]);
            assert_eq!(response.header("www-authenticate"), "Bearer");
            assert!(
                text == "x" || !problem.to_string().contains(text),
                "{problem}"
            );
        }
    }
    let right = format!("bearer {}", key.text);
    let response = server.get_with("/v1/kinds", &[("authorization", &right)]);
    response.ok();
    let twice = [("authorization", &*right), ("authorization", &*right)];
    server
        .get_with("/v1/kinds", &twice)
        .problem(401, "unauthorized", &[]);
    assert!(!server.log().contains(&key.text) && !server.log().contains(&other));
}

#[test]
fn probes_need_no_key_and_unknown_paths_reveal_nothing() {
    let key = Key::new("--scope read");
    let server = Server::with(&key.lines);
    for path in ["/healthz", "/readyz"] {
        server.get(path).ok();
    }
    server
        .get("/nowhere")
        .problem(404, "unknown-path", &["/nowhere"]);
    let unknown = [
        "/v1/nowhere",
        "/v1/boards/gifts",
        "/v1/kinds/",
        "/v1/boards//a/top",
    ];
    for path in unknown {
        server.get(path).problem(401, "unauthorized", &[]);
        key.get(&server, path).problem(404, "unknown-path", &[path]);
    }
    let wrong = key.ask(&server, "PUT", "/v1/top", Some(&json!({})));
    wrong.problem(405, "method-not-allowed", &["PUT", "/v1/top"]);
    assert_eq!(wrong.header("allow"), "POST");
    ask(&server, &[], "PUT", "/v1/top", Some(&json!({}))).problem(401, "unauthorized", &[]);
    let metrics = server.get("/metrics");
    metrics.problem(401, "unauthorized", &[]);
    assert_eq!(key.get(&server, "/metrics").status, 200);
    let open = Server::with(&format!("[server]\nmetrics_open = true\n{}", key.lines));
    assert_eq!(open.get("/metrics").status, 200);
}

#[test]
fn a_refused_body_does_not_spoil_the_connection() {
    let key = Key::new("--scope read");
    let server = Server::with(&key.lines);
    let mut wire = server.wire();
    for _ in 0..3 {
        wire.write(
            "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: 2\r\n\r\n{}",
        );
        assert_eq!(wire.response().status, 401);
    }
}
