//! `If-Match` and `If-None-Match` of a kind.

use serde_json::{Value, json};
use testkit::{Response, Server};

fn put(server: &Server, kind: &Value, header: (&str, &str)) -> Response {
    let headers = [header, ("content-type", "application/json")];
    server.send("PUT", "/v1/kinds/k", &headers, kind.to_string())
}

#[test]
fn a_kind_changed_in_the_meantime_is_not_overwritten() {
    let server = Server::start();
    let kind = |top: u64| json!({"windows": ["all"], "top": top});
    let made = put(&server, &kind(1), ("if-none-match", "*"));
    made.is(201);
    let first = made.header("etag").to_owned();
    put(&server, &kind(2), ("if-none-match", "*")).problem(412, "precondition-failed", &[&first]);
    let shown = server.get("/v1/kinds/k");
    assert_eq!(shown.header("etag"), first);
    let again = server.get_with("/v1/kinds/k", &[("if-none-match", &first)]);
    assert_eq!((again.status, again.header("etag")), (304, &*first));
    let changed = put(&server, &kind(2), ("if-match", &first));
    changed.ok();
    let second = changed.header("etag").to_owned();
    assert_ne!(first, second);
    put(&server, &kind(3), ("if-match", &first)).problem(412, "precondition-failed", &[&second]);
    assert_eq!(server.get("/v1/kinds/k").ok()["top"], 2);
    // Hiding a member does not change the settings.
    server.send("PUT", "/v1/members/u/hidden", &[], "").ok();
    assert_eq!(server.get("/v1/kinds/k").header("etag"), second);
    let delete = |etag: &str| server.delete_with("/v1/kinds/k", &[("if-match", etag)]);
    delete(&first).problem(412, "precondition-failed", &[&second]);
    delete(&second).is_empty();
    put(&server, &kind(2), ("if-match", "*")).problem(412, "precondition-failed", &["none now"]);
}
