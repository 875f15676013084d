//! The proxy drops what was selected and nothing else, and counts what passes.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use testkit::redis::{FaultProxy, Matching, RedisOptions, RedisServer, RedisWire, Reply};

const LIBRARY: &str = "#!lua name=kit
redis.register_function('kit_add', function(keys) return redis.call('INCR', keys[1]) end)
redis.register_function('kit_see', function(keys) return redis.call('GET', keys[1]) end)";

fn server_and_proxy() -> (RedisServer, FaultProxy) {
    let server = RedisServer::plain();
    let proxy = FaultProxy::before(&server);
    (server, proxy)
}

#[test]
fn the_request_of_a_lost_reply_is_executed() {
    let (server, proxy) = server_and_proxy();
    let mut wire = RedisWire::to(proxy.address());
    proxy.lose_reply_of(&Matching::command("INCR"), 2);
    assert_eq!(wire.command(&["INCR", "n"]).integer(), 1);
    assert_eq!(wire.command(&["GET", "n"]).text(), "1");
    assert_eq!(proxy.losses_to_come(), 1);
    assert!(wire.try_command(&["INCR", "n"]).is_err());
    assert_eq!(proxy.losses_to_come(), 0);
    assert_eq!(server.command(&["GET", "n"]).text(), "2");
    let mut again = RedisWire::to(proxy.address());
    assert_eq!(again.command(&["incr", "n"]).integer(), 3);
    assert_eq!(
        (proxy.requests_of("INCR"), proxy.requests_of("GET")),
        (3, 1)
    );
    assert_eq!(proxy.connections_made(), 2);
}

#[test]
fn a_lost_request_is_not_executed_and_earlier_ones_are_answered() {
    let (server, proxy) = server_and_proxy();
    let mut wire = RedisWire::to(proxy.address());
    proxy.lose_request(&Matching::command("INCR"), 3);
    for _ in 0..5 {
        // Requests after the lost one may find the connection closed.
        let _ = wire.send(&["INCR", "n"]);
    }
    assert_eq!(wire.reply().unwrap().integer(), 1);
    assert_eq!(wire.reply().unwrap().integer(), 2);
    assert!(wire.reply().is_err());
    assert_eq!(server.command(&["GET", "n"]).text(), "2");
}

#[test]
fn a_held_request_is_executed_after_its_client_disconnected() {
    let (server, proxy) = server_and_proxy();
    proxy.hold(&Matching::command("INCR"));
    let mut wire = RedisWire::to(proxy.address());
    wire.send(&["SET", "m", "1"]).unwrap();
    wire.send(&["INCR", "n"]).unwrap();
    wire.send(&["INCR", "n"]).unwrap();
    assert_eq!(wire.reply().unwrap(), Reply::Status("OK".to_owned()));
    testkit::eventually("a request is held", || (proxy.held() == 1).then_some(()));
    drop(wire);
    assert_eq!(server.command(&["GET", "n"]), Reply::Nil);
    proxy.heal();
    testkit::eventually("both requests are executed", || {
        (server.command(&["GET", "n"]) == Reply::Bulk(b"2".to_vec())).then_some(())
    });
    assert_eq!(proxy.held(), 0);
}

#[test]
fn calls_are_counted_by_function() {
    let (server, proxy) = server_and_proxy();
    assert_eq!(server.command(&["FUNCTION", "LOAD", LIBRARY]).text(), "kit");
    let mut wire = RedisWire::to(proxy.address());
    proxy.lose_reply_of(&Matching::function("add"), 1);
    assert_eq!(wire.command(&["FCALL", "kit_see", "1", "n"]), Reply::Nil);
    assert!(wire.try_command(&["FCALL", "kit_add", "1", "n"]).is_err());
    assert_eq!(server.command(&["GET", "n"]).text(), "1");
    assert_eq!((proxy.calls_of("add"), proxy.calls_of("kit_")), (1, 2));
    assert_eq!(proxy.requests_of("FCALL"), 2);
}

#[test]
fn two_equal_losses_apply_to_two_requests() {
    let (server, proxy) = server_and_proxy();
    proxy.lose_request(&Matching::command("INCR"), 1);
    proxy.lose_reply_of(&Matching::command("INCR"), 1);
    for _ in 0..2 {
        let mut wire = RedisWire::to(proxy.address());
        assert!(wire.try_command(&["INCR", "n"]).is_err());
    }
    assert_eq!(server.command(&["GET", "n"]).text(), "1");
    assert_eq!(
        RedisWire::to(proxy.address())
            .command(&["INCR", "n"])
            .integer(),
        2
    );
}

#[test]
fn replies_of_every_type_pass_through() {
    let (_server, proxy) = server_and_proxy();
    let mut wire = RedisWire::to(proxy.address());
    let large = "x".repeat(1 << 20);
    wire.command(&["SET", "large", &large]).ok();
    assert_eq!(wire.command(&["GET", "large"]).text(), large);
    assert_eq!(wire.command(&["GET", "none"]), Reply::Nil);
    assert!(wire.command(&["NO-SUCH-COMMAND"]).is_error("ERR"));
    let nested = ["EVAL", "return {1, {'a', {}}, false}", "0"];
    let nested = wire.command(&nested);
    assert_eq!(nested.items()[1].items()[0].text(), "a");
}

#[test]
fn a_push_message_of_resp3_is_not_a_reply() {
    let (server, proxy) = server_and_proxy();
    let mut wire = RedisWire::to(proxy.address());
    wire.command(&["CLIENT", "ID"]).integer();
    wire.send(&["HELLO", "3"]).unwrap();
    wire.frame().unwrap();
    wire.send(&["CLIENT", "TRACKING", "ON", "BCAST"]).unwrap();
    wire.frame().unwrap();
    server.command(&["SET", "k", "v"]).ok();
    assert_eq!(wire.frame().unwrap()[0], b'>');
    proxy.lose_reply_of(&Matching::command("GET"), 2);
    assert_eq!(wire.command(&["GET", "k"]).text(), "v");
    assert!(wire.try_command(&["GET", "k"]).is_err());
}

#[test]
fn a_delayed_reply_keeps_the_order_of_replies() {
    const DELAY: Duration = Duration::from_millis(100);
    let (_server, proxy) = server_and_proxy();
    proxy.delay_replies_of(&Matching::command("GET"), DELAY);
    let mut wire = RedisWire::to(proxy.address());
    let begun = Instant::now();
    wire.send(&["GET", "k"]).unwrap();
    wire.send(&["PING"]).unwrap();
    assert_eq!(wire.reply().unwrap(), Reply::Nil);
    assert_eq!(wire.reply().unwrap().text(), "PONG");
    assert!(begun.elapsed() >= DELAY);
}

#[test]
fn clients_reconnect_once_the_proxy_accepts_again() {
    let (server, proxy) = server_and_proxy();
    let mut wire = RedisWire::to(proxy.address());
    assert_eq!(wire.command(&["PING"]).text(), "PONG");
    proxy.refuse();
    assert!(wire.try_command(&["PING"]).is_err());
    assert!(TcpStream::connect(proxy.address()).is_err());
    proxy.accept();
    assert_eq!(
        RedisWire::to(proxy.address()).command(&["PING"]).text(),
        "PONG"
    );
    server.kill();
    assert!(
        RedisWire::to(proxy.address())
            .try_command(&["PING"])
            .is_err()
    );
    server.start();
    assert_eq!(
        RedisWire::to(proxy.address()).command(&["PING"]).text(),
        "PONG"
    );
}

#[test]
fn commands_written_together_arrive_together() {
    let (_server, proxy) = server_and_proxy();
    let mut wire = RedisWire::to(proxy.address());
    wire.send_all(&[&["INCR", "a"], &["INCR", "a"], &["INCR", "a"]])
        .unwrap();
    for expected in 1..=3 {
        assert_eq!(wire.reply().unwrap().integer(), expected);
    }
    assert_eq!(proxy.requests_of("INCR"), 3);
    assert_eq!(proxy.arrivals(), 1);
}

#[test]
fn the_url_has_the_login_of_the_server_and_the_address_of_the_proxy() {
    let server = RedisOptions::new().password("secret").start();
    let proxy = FaultProxy::before(&server);
    assert_eq!(proxy.url(), format!("redis://:secret@{}", proxy.address()));
}

#[test]
fn inline_commands_pass_through() {
    let (_server, proxy) = server_and_proxy();
    let mut stream = TcpStream::connect(proxy.address()).unwrap();
    stream.write_all(b"HELLO 3\r\nPING\r\n").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut replies = String::new();
    stream.read_to_string(&mut replies).unwrap();
    assert!(
        replies.starts_with('%') && replies.ends_with("+PONG\r\n"),
        "{replies}"
    );
    assert_eq!(
        (proxy.requests_of("HELLO"), proxy.requests_of("PING")),
        (1, 1)
    );
}
