//! Errors in a contribution are reported by field, and nothing is applied.

use serde_json::json;
use testkit::Server;

#[test]
fn invalid_utf8_is_an_error() {
    let server = Server::start();
    let body = b"{\"board\": \"gifts/a\", \"member\": \"u\xff\", \"points\": 1}".to_vec();
    let json = [("content-type", "application/json")];
    let response = server.send("POST", "/v1/contributions", &json, body.clone());
    assert_eq!(response.status, 400, "{}", response.body);
    let ndjson = [("content-type", "application/x-ndjson")];
    let lines = [
        body,
        format!(
            "\n{}",
            json!({"board": "gifts/a", "member": "u", "points": 1})
        )
        .into_bytes(),
    ]
    .concat();
    let receipt = server
        .send("POST", "/v1/contributions", &ndjson, lines)
        .ok();
    assert_eq!(
        (&receipt["applied"], &receipt["rejected_count"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(server.order("gifts/a", "all"), ["u"]);
}
