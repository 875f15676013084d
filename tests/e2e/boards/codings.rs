//! Content codings: tops and files in zstd and gzip.

use serde_json::{Value, json};
use testkit::{Response, Server};

const CODINGS: [&str; 2] = ["zstd", "gzip"];

/// Forms of a snapshot whose responses have codings.
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
fn each_coding_of_a_top_decodes_to_the_same_response() {
    let server = merged_once();
    for (index, n) in [100, 1000, 20, 50, 99, 500].into_iter().enumerate() {
        let path = format!("/v1/boards/gifts/a/top?n={n}");
        let plain = server.get(&path);
        assert_eq!(plain.entries().len(), n);
        for coding in CODINGS {
            for _ in 0..2 {
                let coded = accepting(&server, &path, coding);
                assert_eq!(coded.ok(), plain.ok());
                assert_eq!(coded.body, plain.body, "{path} {coding}");
                let is_coded = index < FORMS_KEPT;
                let used = if is_coded { coding } else { "" };
                assert_eq!(coded.header("content-encoding"), used, "{path}");
                assert_eq!(coded.header("content-length"), coded.bytes.to_string());
                assert_eq!(coded.bytes * 2 < plain.bytes, is_coded, "{path} {coding}");
                for name in ["etag", "vary", "cache-control"] {
                    assert_eq!(coded.header(name), plain.header(name), "{name}");
                }
            }
        }
        assert_eq!(plain.header("vary"), "accept-encoding");
    }
}

#[test]
fn all_codings_of_a_file_have_one_tag() {
    let server = Server::start();
    for path in ["/openapi.json", "/page/rows.js", "/"] {
        let plain = server.get(path);
        let etag = plain.header("etag");
        for coding in CODINGS {
            let coded = accepting(&server, path, coding);
            assert_eq!(coded.header("content-encoding"), coding, "{path}");
            assert_eq!(coded.body, plain.body, "{path} {coding}");
            assert!(coded.bytes * 2 < plain.bytes, "{path} {coding}");
            assert_eq!(coded.header("vary"), "accept-encoding");
            assert_eq!(coded.header("etag"), etag);
            let known = ("if-none-match", etag);
            let again = server.get_with(path, &[("accept-encoding", coding), known]);
            assert_eq!((again.status, again.header("etag")), (304, etag));
        }
    }
}
