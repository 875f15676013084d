//! Errors of commands that cannot use a server, or a store: what is wrong, and what to do.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use testkit::{Launch, Server, cli};

#[track_caller]
fn fails(arguments: &[&str], parts: &[&str]) {
    let run = cli::run(arguments, b"");
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    for part in parts {
        assert!(run.stderr.contains(part), "{part:?} is not in {run:?}");
    }
}

#[test]
fn a_server_that_is_not_running_is_named_with_how_to_start_one() {
    let url = "http://127.0.0.1:1";
    let refused = "cannot reach http://127.0.0.1:1: connection refused: no server listens there";
    for command in [
        "top gifts/a",
        "add gifts/a u 1",
        "kinds",
        "boards gifts",
        "member hide u",
        "load",
    ] {
        let words: Vec<&str> = command.split(' ').chain(["--server", url]).collect();
        fails(&words, &[refused, "`megaboard serve` starts a server"]);
    }
}

#[test]
fn a_host_that_is_not_found_is_reported_once() {
    let url = "http://no-such-host.invalid:8080";
    let message = "cannot reach http://no-such-host.invalid:8080: failed to lookup address ";
    fails(&["kinds", "--server", url], &[message]);
}

#[test]
fn the_wrong_scheme_is_reported() {
    let server = Server::start();
    let https = server.url().replace("http://", "https://");
    let http = "does not use TLS on this port: write http:// in its URL";
    fails(&["kinds", "--server", &https], &[&https, http]);

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
fn a_missing_key_is_reported_with_the_option() {
    let key = cli::run(&["key", "new"], b"").stdout;
    let server = Server::with(key.split_once("\n\n").unwrap().1);
    let option = "; set MEGABOARD_KEY or pass --key";
    fails(&["kinds", "--server", server.url()], &[option]);
    fails(
        &[
            "top",
            "gifts/a",
            "--key",
            "mb_other",
            "--server",
            server.url(),
        ],
        &[option],
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
fn a_configuration_that_cannot_be_used_is_named() {
    for (flags, parts) in [
        ("--config nofile", &["--config", "nofile: No such file"][..]),
        (
            "--token-secret short",
            &["has fewer than 32 bytes; --token-secret or MEGABOARD_TOKEN_SECRET sets it"],
        ),
    ] {
        let (_, stderr) = Launch::new().args(flags).refused();
        for part in parts {
            assert!(stderr.contains(part), "{part:?} is not in: {stderr}");
        }
    }
}

#[test]
fn an_address_or_a_store_that_cannot_be_used_is_explained() {
    let server = Server::start();
    let in_use = format!("--listen {}", server.address());
    for (flags, part) in [
        (
            &*in_use,
            "another program listens there: stop it, or choose another port",
        ),
        ("--listen :8080", "write PORT or HOST:PORT, such as 8080"),
        (
            "--listen 192.0.2.1:0 --open",
            "this machine does not have that address",
        ),
        ("--store ./boards", "for the folder write embedded:./boards"),
        (
            "--store redis://127.0.0.1:1",
            "start it, or correct the address of the store: --store",
        ),
        ("--store rediss://127.0.0.1:1", "Connection refused"),
        (
            "--store redis://127.0.0.1:1:2",
            "store: the address of host",
        ),
        (
            "--store embedded:/dev/null/boards",
            "; choose another folder: --store, MEGABOARD_STORE or server.store",
        ),
    ] {
        // The last of two addresses counts.
        let listens = flags.contains("--listen");
        let launch = if listens {
            Launch::new()
        } else {
            Launch::on_a_free_port("")
        };
        let (status, stderr) = launch.args(flags).refused();
        assert_eq!(status, Some(1), "{flags}: {stderr}");
        assert!(stderr.contains(part), "{part:?} is not in: {stderr}");
    }
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
