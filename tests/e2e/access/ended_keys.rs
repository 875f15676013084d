//! Streams and streamed requests end with their key.

use std::thread;

use serde_json::json;
use testkit::clock::{now_ms, rfc3339};
use testkit::{Events, RawResponse, Server, eventually};

use super::{Key, lines};

/// How long a key is valid that expires within a test.
const GOOD_FOR_MS: i64 = 6_000;

fn write(server: &Server, config: &str) {
    std::fs::write(server.folder().join("megaboard.toml"), config).unwrap();
}

fn token(server: &Server, key: &Key) -> String {
    let body = json!({"board": "gifts/a"});
    let response = key
        .ask(server, "POST", "/v1/stream-tokens", Some(&body))
        .ok();
    response["token"].as_str().unwrap().to_owned()
}

fn stream_path(token: &str) -> String {
    format!("/v1/boards/gifts/a/stream?n=3&window=all&token={token}")
}

/// Contributes until the stream ends, so that the end does not depend on keep-alive comments.
/// Returns the last event.
fn end_of(server: &Server, writer: &Key, mut events: Events) -> serde_json::Value {
    assert_eq!(events.event().name, "board");
    thread::scope(|scope| {
        let ended = scope.spawn(move || {
            let last = events.named("problem");
            assert!(events.try_next().is_none());
            last.value
        });
        eventually("the stream ends", || {
            let one = json!({"board": "gifts/a", "member": "u", "points": 1});
            writer
                .ask(server, "POST", "/v1/contributions", Some(&one))
                .ok();
            ended.is_finished().then_some(())
        });
        ended.join().unwrap()
    })
}

#[test]
fn a_stream_of_lines_cannot_write_to_kinds_that_its_key_lost() {
    const KINDS: &str = "[kinds.gifts]\n[kinds.races]\n";
    let stays = Key::new("--scope write --name stays");
    let bound = Key::new("--scope write --name bound");
    let server = Server::with(&format!("{KINDS}{}", lines(&[&stays, &bound])));
    let mut wire = server.wire();
    wire.write(format!(
        "POST /v1/contributions HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\n\
         authorization: Bearer {}\r\ntransfer-encoding: chunked\r\n\r\n",
        bound.text
    ));
    let chunk = |board: &str| {
        let line = format!("{{\"board\":\"{board}\",\"member\":\"u\",\"points\":1}}\n");
        format!("{:x}\r\n{line}\r\n", line.len())
    };
    wire.write(chunk("races/a"));
    eventually("the first line is applied", || {
        let top = stays
            .get(&server, "/v1/boards/races/a/top?window=all&fresh=true")
            .ok();
        (top["members"] == 1).then_some(())
    });
    let narrowed = format!("{}kinds = [\"gifts\"]\n", bound.lines);
    write(&server, &format!("{KINDS}{}{narrowed}", stays.lines));
    eventually("the key is restricted", || {
        (bound.get(&server, "/v1/kinds/races").status == 403).then_some(())
    });
    wire.write(chunk("races/a") + &chunk("gifts/a") + "0\r\n\r\n");
    let receipt = wire.response().value();
    assert_eq!(
        (&receipt["applied"], &receipt["rejected_count"]),
        (&json!(2), &json!(1)),
        "{receipt}"
    );
    let rejected = &receipt["rejected"][0];
    assert_eq!(
        (&rejected["type"], &rejected["board"]),
        (&json!("forbidden"), &json!("races/a"))
    );
}

#[test]
fn a_key_and_its_streams_end_at_its_expiry() {
    let stays = Key::new("--scope write --name stays");
    let mut goes = Key::new("--scope write --name goes");
    let end = rfc3339(now_ms() + GOOD_FOR_MS);
    goes.lines = format!("{}expires_at = \"{end}\"\n", goes.lines);
    let server = Server::with(&lines(&[&stays, &goes]));
    let token = token(&server, &goes);
    let stream = Events::of(&server, &stream_path(&token));
    // A stream of lines is accepted while its key is valid.
    let mut wire = server.wire();
    wire.write(format!(
        "POST /v1/contributions HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\n\
         authorization: Bearer {}\r\ntransfer-encoding: chunked\r\n\r\n",
        goes.text
    ));
    let line = "{\"board\":\"gifts/b\",\"member\":\"u\",\"points\":1}\n";
    let chunk = format!("{:x}\r\n{line}\r\n", line.len());
    wire.write(&chunk);
    eventually("the first line is applied", || {
        let top = stays
            .get(&server, "/v1/boards/gifts/b/top?window=all&fresh=true")
            .ok();
        (top["members"] == 1).then_some(())
    });
    let ended = end_of(&server, &stays, stream);
    assert!(
        ended["detail"].as_str().unwrap().contains("expired"),
        "{ended}"
    );
    goes.get(&server, "/v1/kinds")
        .problem(401, "unauthorized", &["\"goes\" expired at"]);
    server
        .get(stream_path(&token))
        .problem(401, "unauthorized", &["expired"]);
    wire.write(&chunk);
    let response: RawResponse = wire.response();
    assert_eq!(response.status, 401, "{response:?}");
    let top = stays
        .get(&server, "/v1/boards/gifts/b/top?window=all&fresh=true")
        .ok();
    assert_eq!(top["entries"][0]["points"], 1);
    let printed = Key::new("--expires-after 90d");
    assert!(
        printed.lines.contains("expires_at = \"20"),
        "{}",
        printed.lines
    );
}
