//! Stream tokens of several servers.

use serde_json::json;
use testkit::{Launch, Server};

use super::Key;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

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
    let body = json!({"board": "gifts/a"});
    let response = key.ask(&one, "POST", "/v1/stream-tokens", Some(&body));
    let token = response.ok()["token"].as_str().unwrap().to_owned();
    let opened = [&one, &same, &other, &alone].map(|server| {
        let mut wire = server.wire();
        let path = format!("/v1/boards/gifts/a/stream?token={token}");
        wire.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        wire.response().status == 200
    });
    assert_eq!(opened, [true, true, false, false]);
    let short = launch()
        .env("MEGABOARD_TOKEN_SECRET", &SECRET[1..])
        .refused();
    assert_eq!(short.0, Some(1));
    assert!(short.1.contains("token_secret") && !short.1.contains(&SECRET[1..]));
}
