//! The document and its page are served, to everybody.

use std::path::Path;

use serde_json::Value;
use testkit::{Server, cli};

#[test]
fn the_document_is_the_one_that_is_reviewed() {
    let served = Server::start().get("/openapi.json");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    let kept = std::fs::read_to_string(path).unwrap();
    assert_eq!(served.ok()["openapi"], "3.1.0");
    assert!(
        served.body == kept,
        "the server was built before the file was written"
    );
}

#[test]
fn what_a_client_has_is_not_sent_again() {
    let server = Server::start();
    for path in ["/openapi.json", "/docs"] {
        let answer = server.get(path);
        assert_eq!(answer.header("cache-control"), "no-cache");
        let again = server.get_with(path, &[("if-none-match", answer.header("etag"))]);
        assert_eq!((again.status, &*again.body), (304, ""), "{path}");
        assert_eq!(again.header("etag"), answer.header("etag"));
        let other = server.get_with(path, &[("if-none-match", "\"other\"")]);
        assert_eq!((other.status, other.body), (200, answer.body));
    }
}

#[test]
fn the_page_is_this_servers_own() {
    let server = Server::start();
    let (docs, file) = (server.get("/docs"), server.get("/page/docs.html"));
    assert_eq!(docs.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(docs.body, file.body);
}

#[test]
fn neither_asks_for_a_key() {
    let made = cli::run(&["key", "new", "--scope", "read", "--name", "a"], b"");
    let (_, lines) = made.stdout.split_once("\n\n").unwrap();
    let server = Server::with(lines);
    assert_eq!(server.get("/v1/kinds").status, 401);
    for path in ["/openapi.json", "/docs", "/page/docs.js"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
}

/// What a route asks for is told as `docs/access.md` has it.
#[test]
fn every_operation_names_the_scope_it_needs() {
    let document = Server::start().get("/openapi.json").ok();
    let paths = document["paths"].as_object().unwrap();
    let scope = |path: &str, method: &str| paths[path][method]["security"][0]["key"][0].clone();
    let board = "/v1/boards/{kind}/{subject}";
    for (path, method, needed) in [
        ("/healthz", "get", Value::Null),
        ("/openapi.json", "get", Value::Null),
        (board, "get", "read".into()),
        (&format!("{board}/stream"), "get", "read".into()),
        ("/v1/contributions", "post", "write".into()),
        (board, "delete", "admin".into()),
    ] {
        assert_eq!(scope(path, method), needed, "{method} {path}");
    }
}
