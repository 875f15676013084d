//! The `Host` check: without keys a server accepts only its own names.

use testkit::{Launch, RawResponse, Server, Wire};

use super::Key;

fn ask(server: &Server, path: &str, version: &str, head: &str) -> RawResponse {
    let port = server.address().rsplit(':').next().unwrap();
    let mut wire = Wire::to(&format!("127.0.0.1:{port}"));
    wire.write(format!(
        "GET {path} HTTP/{version}\r\n{head}connection: close\r\n\r\n"
    ));
    wire.response()
}

fn status_for(server: &Server, host: &str) -> u16 {
    ask(server, "/v1/kinds", "1.1", &format!("host: {host}\r\n")).status
}

#[test]
fn without_keys_a_local_server_accepts_only_its_own_names() {
    let server = Server::with("[server]\nhosts = [\"boards.example\"]\n");
    for own in [
        "localhost",
        "localhost:8080",
        "127.0.0.1",
        "[::1]:80",
        "boards.example:80",
    ] {
        assert_eq!(status_for(&server, own), 200, "{own}");
    }
    for other in ["evil.example", "evil.example:8080", "10.0.0.7", "a"] {
        assert_eq!(status_for(&server, other), 421, "{other}");
    }
    let refused = ask(&server, "/", "1.1", "host: evil.example\r\n");
    assert_eq!(refused.value()["type"], "unknown-host");
    assert!(refused.body.contains("evil.example"), "{}", refused.body);
    // Probes are answered under any name.
    assert_eq!(
        ask(&server, "/healthz", "1.1", "host: evil.example\r\n").status,
        200
    );
}

#[test]
fn an_open_server_accepts_addresses_and_names_of_its_network() {
    let launch = Launch::new().args("--store memory: --listen 0.0.0.0:0 --open");
    let server = launch.start();
    for (host, status) in [
        ("10.0.0.7:8080", 200),
        ("megaboard", 200),
        ("evil.example", 421),
    ] {
        assert_eq!(status_for(&server, host), status, "{host}");
    }
    let any = Launch::new()
        .file("megaboard.toml", "[server]\nhosts = [\"*\"]\n")
        .args("--store memory: --listen 0.0.0.0:0 --open");
    assert_eq!(status_for(&any.start(), "evil.example"), 200);
}

#[test]
fn with_keys_any_host_is_accepted_but_one_is_required() {
    let key = Key::new("--scope read");
    let server = Server::with(&key.lines);
    assert_eq!(status_for(&server, "evil.example"), 401);
    for head in ["", "host: a\r\nhost: a\r\n", "host: a b\r\n"] {
        let response = ask(&server, "/healthz", "1.1", head);
        assert_eq!(
            (response.status, response.value()["type"].as_str()),
            (400, Some("invalid")),
            "{head}"
        );
    }
    assert_eq!(ask(&server, "/healthz", "1.0", "").status, 200);
}
