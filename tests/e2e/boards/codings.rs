//! Tops and files in gzip.

use serde_json::{Value, json};
use testkit::{Response, Server};

/// Forms of a snapshot whose responses are kept, and may be in gzip.
const FORMS_KEPT: usize = 4;

/// Starts a server with a board of a thousand members, which is merged once.
fn merged_once() -> Server {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"1h\"\n");
    let member = |n: u32| json!({"board": "gifts/a", "member": format!("m{n}"), "points": n});
    let items: Vec<Value> = (1..=1000).map(member).collect();
    server.contribute(&items.into()).ok();
    server
}

fn accepting(server: &Server, path: &str, codings: &str) -> Response {
    server.get_with(path, &[("accept-encoding", codings)])
}

#[test]
fn a_top_in_gzip_is_the_same_response() {
    let server = merged_once();
    for (index, n) in [100, 1000, 20, 50, 99, 500].into_iter().enumerate() {
        let path = format!("/v1/boards/gifts/a/top?n={n}");
        let plain = server.get(&path);
        assert_eq!(plain.entries().len(), n);
        for _ in 0..2 {
            let gzip = accepting(&server, &path, "br, gzip");
            assert_eq!(gzip.ok(), plain.ok());
            assert_eq!(gzip.body, plain.body, "{path}");
            let is_kept = index < FORMS_KEPT;
            let used = if is_kept { "gzip" } else { "" };
            assert_eq!(gzip.header("content-encoding"), used, "{path}");
            assert_eq!(gzip.header("content-length"), gzip.bytes.to_string());
            assert_eq!(gzip.bytes * 2 < plain.bytes, is_kept, "{path}");
            for name in ["etag", "vary", "cache-control"] {
                assert_eq!(gzip.header(name), plain.header(name), "{name}");
            }
        }
        assert_eq!(plain.header("vary"), "accept-encoding");
    }
}

#[test]
fn a_file_has_one_tag_in_gzip_and_as_it_is() {
    let server = Server::start();
    for path in ["/openapi.json", "/page/rows.js", "/"] {
        let plain = server.get(path);
        let etag = plain.header("etag");
        let gzip = accepting(&server, path, "gzip");
        assert_eq!(gzip.header("content-encoding"), "gzip", "{path}");
        assert_eq!(gzip.body, plain.body, "{path}");
        assert!(gzip.bytes * 2 < plain.bytes, "{path}");
        assert_eq!(gzip.header("vary"), "accept-encoding");
        assert_eq!(gzip.header("etag"), etag);
        let known = ("if-none-match", etag);
        let again = server.get_with(path, &[("accept-encoding", "gzip"), known]);
        assert_eq!((again.status, again.header("etag")), (304, etag));
    }
}
