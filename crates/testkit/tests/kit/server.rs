//! A single server: persistence, logins, replicas, locales.

use std::net::TcpStream;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use testkit::redis::{Fsync, RedisOptions, RedisServer, RedisWire, Reply};

#[test]
fn without_persistence_a_killed_server_restarts_empty_on_its_port() {
    let server = RedisServer::plain();
    let address = server.address();
    server.command(&["SET", "k", "v"]).ok();
    server.kill();
    assert!(TcpStream::connect(address).is_err());
    server.start();
    assert_eq!(server.address(), address);
    assert_eq!(server.command(&["GET", "k"]), Reply::Nil);
}

#[test]
fn with_appendfsync_always_a_killed_server_keeps_answered_writes() {
    let server = RedisOptions::new().append_only(Fsync::Always).start();
    server.command(&["SET", "k", "v"]).ok();
    server.kill();
    server.start();
    assert_eq!(server.command(&["GET", "k"]).text(), "v");
}

#[test]
fn with_snapshots_a_stop_keeps_everything_and_a_kill_the_last_snapshot() {
    let server = RedisOptions::new().snapshots().start();
    server.command(&["SET", "k", "kept"]).ok();
    server.stop();
    server.start();
    server.command(&["SET", "k", "lost"]).ok();
    server.kill();
    server.start();
    assert_eq!(server.command(&["GET", "k"]).text(), "kept");
}

#[test]
fn a_paused_server_answers_when_it_is_resumed() {
    let server = RedisServer::plain();
    let mut wire = server.connect();
    server.pause();
    wire.send(&["PING"]).unwrap();
    let (sender, answered) = channel();
    let reader = thread::spawn(move || sender.send(wire.reply().unwrap()).unwrap());
    let early = answered.recv_timeout(Duration::from_millis(50));
    assert_eq!(early, Err(RecvTimeoutError::Timeout));
    server.resume();
    reader.join().unwrap();
    assert_eq!(answered.recv().unwrap().text(), "PONG");
}

#[test]
fn a_paused_server_ends_when_it_is_dropped() {
    let server = RedisServer::plain();
    let address = server.address();
    let folder = server.folder().to_owned();
    server.pause();
    drop(server);
    assert!(TcpStream::connect(address).is_err());
    assert!(!folder.exists());
}

#[test]
fn a_password_is_required_and_part_of_the_url() {
    let server = RedisOptions::new().password("secret").start();
    let refused = RedisWire::to(server.address()).command(&["PING"]);
    assert!(refused.is_error("NOAUTH"), "{refused:?}");
    let port = server.port();
    assert_eq!(server.url(), format!("redis://:secret@127.0.0.1:{port}"));
}

#[test]
fn a_user_has_the_rights_of_its_rules() {
    let options = RedisOptions::new().user("board", "secret", "~b:* +get +set");
    let server = options.start();
    let port = server.port();
    assert_eq!(
        server.url(),
        format!("redis://board:secret@127.0.0.1:{port}")
    );
    let mut wire = RedisWire::to(server.address());
    assert!(wire.command(&["PING"]).is_error("NOAUTH"));
    wire.command(&["AUTH", "board", "secret"]).ok();
    wire.command(&["SET", "b:1", "v"]).ok();
    assert!(wire.command(&["SET", "c:1", "v"]).is_error("NOPERM"));
    assert!(wire.command(&["FLUSHALL"]).is_error("NOPERM"));
    server.command(&["FLUSHALL"]).ok();
}

#[test]
fn a_replica_is_in_sync_with_and_without_users() {
    for options in [
        RedisOptions::new(),
        RedisOptions::new().password("secret"),
        RedisOptions::new().user("board", "secret", "~* +@all"),
    ] {
        let primary = options.start();
        primary.command(&["SET", "k", "v"]).ok();
        let replica = options.clone().replica_of(&primary).start();
        assert_eq!(replica.command(&["GET", "k"]).text(), "v");
        assert!(replica.command(&["SET", "k", "w"]).is_error("READONLY"));
    }
}

#[test]
fn lua_compares_by_the_locale_of_the_server() {
    let before = |options: RedisOptions| {
        let server = options.start();
        let asked = ["EVAL", "return 'a' < 'B' and 1 or 0", "0"];
        server.command(&asked).integer()
    };
    assert_eq!(before(RedisOptions::new()), 0, "by bytes");
    assert_eq!(before(RedisOptions::new().locale("en_US.UTF-8")), 1);
}

#[test]
fn configuration_lines_are_applied() {
    let server = RedisOptions::new()
        .config("maxmemory-policy allkeys-lru")
        .start();
    let policy = server.command(&["CONFIG", "GET", "maxmemory-policy"]);
    assert_eq!(policy.items()[1].text(), "allkeys-lru");
}

#[test]
fn an_invalid_configuration_fails_with_the_error_of_the_server() {
    let options = RedisOptions::new().config("no-such-setting 1");
    let failed = thread::spawn(move || drop(options.start())).join();
    let message = *failed.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("no-such-setting"), "{message}");
}

/// Set by the test below in a process that it starts.
const LEFT_BEHIND: &str = "END_TO_END_LEAVES_A_REDIS_BEHIND";

#[test]
fn a_server_that_is_never_dropped_ends_with_the_test_process() {
    if std::env::var_os(LEFT_BEHIND).is_some() {
        let server = RedisServer::plain();
        println!("left behind: {}", server.address());
        std::mem::forget(server);
        return;
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args([
        "--exact",
        "--nocapture",
        "server::a_server_that_is_never_dropped_ends_with_the_test_process",
    ]);
    let output = again.env(LEFT_BEHIND, "1").output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let address = stdout
        .lines()
        .find_map(|line| line.split_once("left behind: "));
    let (_, address) = address.unwrap_or_else(|| panic!("{stdout}"));
    testkit::eventually("the server ends", || {
        TcpStream::connect(address).is_err().then_some(())
    });
}
