//! Cross-origin requests: allowed for the configured origins only.

use testkit::{RawResponse, Server};

use super::Key;

const OURS: &str = "https://a.example";

fn ask(server: &Server, method: &str, path: &str, headers: &str) -> RawResponse {
    let mut wire = server.wire();
    wire.write(format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n"
    ));
    wire.response_to(method)
}

fn preflight(server: &Server, origin: &str) -> RawResponse {
    let headers = format!(
        "origin: {origin}\r\naccess-control-request-method: POST\r\n\
         access-control-request-headers: authorization,content-type,prefer\r\n"
    );
    ask(server, "OPTIONS", "/v1/contributions", &headers)
}

fn get(server: &Server, path: &str, origin: &str) -> RawResponse {
    ask(server, "GET", path, &format!("origin: {origin}\r\n"))
}

fn allowed(response: &RawResponse) -> &str {
    response.header("access-control-allow-origin")
}

#[test]
fn without_the_setting_no_cors_header_is_sent() {
    let server = Server::start();
    for response in [preflight(&server, OURS), get(&server, "/v1/kinds", OURS)] {
        assert!(
            !response
                .head
                .iter()
                .any(|line| line.starts_with("access-control"))
        );
    }
    assert_eq!(preflight(&server, OURS).status, 405);
}

#[test]
fn only_configured_origins_are_allowed() {
    let key = Key::new("");
    let setting = format!("[server.cors]\norigins = [\"{OURS}\", \"http://localhost:3000\"]\n");
    let server = Server::with(&format!("{setting}{}", key.lines));
    for origin in [OURS, "http://localhost:3000"] {
        // Browsers send a preflight first, without the key.
        let response = preflight(&server, origin);
        assert!([200, 204].contains(&response.status), "{response:?}");
        assert_eq!(allowed(&response), origin);
        let methods = response
            .header("access-control-allow-methods")
            .to_ascii_uppercase();
        assert!(
            methods.contains("POST") && methods.contains("DELETE"),
            "{methods}"
        );
        let headers = response.header("access-control-allow-headers");
        for header in ["authorization", "content-type", "if-none-match", "prefer"] {
            assert!(headers.contains(header), "{headers}");
        }
        assert!(!response.header("access-control-max-age").is_empty());
        // A page can read why its request was refused.
        for (path, status) in [("/v1/kinds", 401), ("/healthz", 200), ("/nowhere", 404)] {
            let response = get(&server, path, origin);
            assert_eq!((response.status, allowed(&response)), (status, origin));
            let exposed = response.header("access-control-expose-headers");
            assert!(exposed.contains("etag") && exposed.contains("retry-after"));
            assert!(response.header("vary").contains("origin"));
        }
    }
    for other in [
        "https://b.example",
        "https://a.example.b",
        "http://a.example",
        "null",
    ] {
        assert_eq!(allowed(&get(&server, "/healthz", other)), "", "{other}");
        assert_eq!(allowed(&preflight(&server, other)), "", "{other}");
    }
}

#[test]
fn a_wildcard_allows_any_origin() {
    let server = Server::with("[server.cors]\norigins = [\"*\"]\n");
    assert_eq!(allowed(&preflight(&server, OURS)), "*");
    assert_eq!(allowed(&get(&server, "/v1/kinds", OURS)), "*");
}
