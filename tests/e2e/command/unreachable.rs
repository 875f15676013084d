//! Errors of commands that cannot use a server, or a store: what is wrong, and what to do.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use testkit::{Launch, cli};

#[track_caller]
fn fails(arguments: &[&str], parts: &[&str]) {
    let run = cli::run(arguments, b"");
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    for part in parts {
        assert!(run.stderr.contains(part), "{part:?} is not in {run:?}");
    }
}

#[test]
fn a_server_with_tls_is_recognized_by_its_alert() {
    // A server with TLS answers with an alert.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"\x15\x03\x01\x00\x02\x02\x46");
    });
    fails(
        &["kinds", "--server", &url],
        &[&url, "; if the server uses TLS, write https:// in its URL"],
    );
}

#[test]
fn a_server_that_closes_the_connection_may_use_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
    });
    let hint = "; if the server uses TLS, write https:// in its URL";
    fails(&["kinds", "--server", &url], &[&url, hint]);
}

#[test]
fn a_port_alone_is_one_of_this_machine() {
    let server = Launch::new().args("--listen 0 --store memory:").start();
    assert!(
        server.url().starts_with("http://127.0.0.1:"),
        "{}",
        server.url()
    );
    assert_eq!(server.get("/healthz").status, 200);
}
