//! The scope that each route requires, and what is accessible without a key.

use testkit::Server;

use super::Key;

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
fn metrics_may_be_open() {
    let key = Key::new("--scope read");
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
