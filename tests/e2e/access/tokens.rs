//! Stream tokens, which open the streams of one board instead of a key.

use serde_json::{Value, json};
use testkit::{Launch, Response, Server, eventually};

use super::Key;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

fn token_of(response: &Response) -> String {
    response.ok()["token"].as_str().unwrap().to_owned()
}

fn request_token(key: &Key, server: &Server, body: &Value) -> Response {
    key.ask(server, "POST", "/v1/stream-tokens", Some(body))
}

/// Returns the status of a stream requested without a key, without waiting for its events.
fn status(server: &Server, path: &str) -> u16 {
    let mut wire = server.wire();
    wire.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    wire.response().status
}

/// Returns whether the streams of a board accept a token.
pub(super) fn lets_in(server: &Server, board: &str, token: &str) -> bool {
    let path = format!("/v1/boards/{board}/stream?n=3&token={token}");
    status(server, &path) == 200
}

#[test]
fn a_token_opens_the_streams_of_its_board_and_nothing_else() {
    let key = Key::new("--scope read --kind gifts");
    let server = Server::with(&format!("[kinds.gifts]\n[kinds.races]\n{}", key.lines));
    let response = request_token(&key, &server, &json!({"board": "gifts/röm 1"}));
    let token = token_of(&response);
    assert_eq!(response.header("cache-control"), "no-store");
    assert!(response.ok()["expires_at"].as_str().unwrap().ends_with('Z'));
    assert!(lets_in(&server, "gifts/r%C3%B6m%201", &token));
    assert!(lets_in(&server, "%67ifts/r%c3%b6m%201", &token));
    for board in ["gifts/b", "races/r%C3%B6m%201", "gifts/rom%201"] {
        assert!(!lets_in(&server, board, &token), "{board}");
    }
    for path in [
        "/v1/boards/gifts/r%C3%B6m%201/top",
        "/v1/boards/gifts/r%C3%B6m%201",
        "/v1/kinds",
        "/v1/boards/gifts/r%C3%B6m%201/members/u/stream",
    ] {
        assert_eq!(
            status(&server, &format!("{path}?token={token}")),
            401,
            "{path}"
        );
    }
    for wrong in ["", "x", &key.text, &token[..token.len() - 1]] {
        assert!(!lets_in(&server, "gifts/r%C3%B6m%201", wrong), "{wrong}");
    }
    // Nor is it accepted as a key.
    let bearer = format!("Bearer {token}");
    let response = server.get_with("/v1/kinds", &[("authorization", &bearer)]);
    response.problem(401, "unauthorized", &[]);
    assert!(!server.log().contains(&token));
}

#[test]
fn a_token_expires_after_its_ttl() {
    let key = Key::new("");
    let server = Server::with(&key.lines);
    let long = token_of(&request_token(
        &key,
        &server,
        &json!({"board": "gifts/a", "ttl": "1h"}),
    ));
    let short = token_of(&request_token(
        &key,
        &server,
        &json!({"board": "gifts/a", "ttl": "1s"}),
    ));
    eventually("the token expires", || {
        (!lets_in(&server, "gifts/a", &short)).then_some(())
    });
    assert!(lets_in(&server, "gifts/a", &long));
    let path = format!("/v1/boards/gifts/a/stream?token={short}");
    server
        .get(&path)
        .problem(401, "unauthorized", &["has expired"]);
}

#[test]
fn servers_that_share_a_secret_accept_each_others_tokens() {
    let key = Key::new("");
    // Each server knows the key that the token was issued for.
    let launch = || Launch::on_a_free_port(&key.lines).args("--store memory:");
    let start = |secret: &str| launch().env("MEGABOARD_TOKEN_SECRET", secret).start();
    let (one, other) = (start(SECRET), start(&SECRET.to_uppercase()));
    let file = format!("[server]\ntoken_secret = \"{SECRET}\"\n{}", key.lines);
    let same = Server::with(&file);
    let alone = launch().start();
    let token = token_of(&request_token(&key, &one, &json!({"board": "gifts/a"})));
    let opened = [&one, &same, &other, &alone].map(|server| lets_in(server, "gifts/a", &token));
    assert_eq!(opened, [true, true, false, false]);
    let short = launch()
        .env("MEGABOARD_TOKEN_SECRET", &SECRET[1..])
        .refused();
    assert_eq!(short.0, Some(1));
    assert!(short.1.contains("token_secret") && !short.1.contains(&SECRET[1..]));
}

#[test]
fn without_keys_tokens_are_issued_and_ignored() {
    let server = Server::start();
    let body = json!({"board": "gifts/a"});
    let token = token_of(&server.post("/v1/stream-tokens", &body));
    for token in [&*token, "x"] {
        assert!(lets_in(&server, "gifts/a", token));
        let path = format!("/v1/boards/gifts/a/stream?n=3&%74oken={token}");
        assert_eq!(status(&server, &path), 200);
    }
}
