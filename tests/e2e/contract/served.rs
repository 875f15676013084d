//! The document and its page are served, without a key.

use std::path::Path;

use serde_json::Value;
use testkit::{Server, cli};

#[test]
fn the_served_document_is_the_file() {
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
fn an_unchanged_document_is_304() {
    let server = Server::start();
    for path in ["/openapi.json", "/docs"] {
        let response = server.get(path);
        assert_eq!(response.header("cache-control"), "no-cache");
        let again = server.get_with(path, &[("if-none-match", response.header("etag"))]);
        assert_eq!((again.status, &*again.body), (304, ""), "{path}");
        assert_eq!(again.header("etag"), response.header("etag"));
        let other = server.get_with(path, &[("if-none-match", "\"other\"")]);
        assert_eq!((other.status, other.body), (200, response.body));
    }
}

#[test]
fn the_page_is_served_by_the_server() {
    let server = Server::start();
    let (docs, file) = (server.get("/docs"), server.get("/page/docs.html"));
    assert_eq!(docs.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(docs.body, file.body);
}

#[test]
fn neither_requires_a_key() {
    let made = cli::run(&["key", "new", "--scope", "read", "--name", "a"], b"");
    let (_, lines) = made.stdout.split_once("\n\n").unwrap();
    let server = Server::with(lines);
    assert_eq!(server.get("/v1/kinds").status, 401);
    for path in ["/openapi.json", "/docs", "/page/docs.js"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
}

/// The required scopes in the document are those of `docs/access.md`.
#[test]
fn every_operation_documents_its_scope() {
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
