//! Kinds that everybody may read, on a server with keys.

use std::thread;

use serde_json::json;
use testkit::redis::RedisServer;
use testkit::{Events, Exposition, Launch, Server, eventually};

use super::rates::refused;
use super::tokens::lets_in;
use super::{Key, lines};

const KINDS: &str = "[kinds.open]\npublic_read = true\nwindows = [\"all\", \"day\"]\n\
                     close = { day = \"1h\" }\n[kinds.closed]\n";

fn stage() -> (Key, Server) {
    let admin = Key::new("--scope admin --name admin");
    let config = format!("[server]\nmetrics_open = true\n{KINDS}{}", admin.lines);
    let server = Server::with(&config);
    for board in ["open/a", "closed/a"] {
        give(&server, &admin, board, "u");
        give(&server, &admin, board, "v");
    }
    (admin, server)
}

fn give(server: &Server, key: &Key, board: &str, member: &str) {
    let one = json!({"board": board, "member": member, "points": 1});
    key.ask(server, "POST", "/v1/contributions", Some(&one))
        .ok();
}

#[test]
fn a_key_of_other_kinds_gets_a_token_of_a_public_board() {
    let (admin, other) = (
        Key::new("--scope admin --name admin"),
        Key::new("--scope write --kind closed --name other"),
    );
    let server = Server::with(&format!("{KINDS}{}", lines(&[&admin, &other])));
    give(&server, &admin, "open/a", "u");
    // The live page asks for a token if it has a key.
    let wanted = Some(json!({"board": "open/a"}));
    let token = other.ask(&server, "POST", "/v1/stream-tokens", wanted.as_ref());
    let token = token.ok()["token"].as_str().unwrap().to_owned();
    assert!(lets_in(&server, "open/a", &token));
}

#[test]
fn a_kind_becomes_public_and_private_while_the_server_runs() {
    const TOP: &str = "/v1/boards/open/a/top";
    let (admin, server) = stage();
    let put = |public: bool| {
        let mut kind = admin.get(&server, "/v1/kinds/open").ok();
        kind["public_read"] = json!(public);
        let changed = admin.ask(&server, "PUT", "/v1/kinds/open", Some(&kind));
        assert_eq!(changed.ok().get("public_read").is_some(), public);
    };
    let mut events = Events::of(&server, "/v1/boards/open/a/stream");
    assert_eq!(events.event().name, "board");
    let repeated = || Exposition::of(&server).sum("megaboard_http_repeated_total", &[]);
    for _ in 0..4 {
        server.get(TOP).ok();
    }
    // Prepared responses are sent without a key, too, and no longer than the kind is public.
    assert!(repeated() > 0.0);
    put(false);
    for _ in 0..4 {
        server.get(TOP).problem(401, "unauthorized", &[]);
    }
    thread::scope(|scope| {
        let ended = scope.spawn(move || {
            let problem = events.named("problem");
            assert!(events.try_next().is_none());
            problem.value
        });
        eventually("the stream ends", || {
            give(&server, &admin, "open/a", "w");
            ended.is_finished().then_some(())
        });
        assert_eq!(ended.join().unwrap()["type"], "unauthorized");
    });
    put(true);
    assert_eq!(server.get(TOP).ok()["members"], 3);
}

#[test]
fn other_servers_of_the_store_see_that_a_kind_is_public() {
    let redis = RedisServer::plain();
    let admin = Key::new("--scope admin");
    let start = || {
        let config = format!("[kinds.open]\n{}", admin.lines);
        Launch::on_a_free_port(&config)
            .args(&format!("--store {}", redis.url()))
            .start()
    };
    let (one, other) = (start(), start());
    other
        .get("/v1/boards/open/a/top")
        .problem(401, "unauthorized", &[]);
    let public = json!({"public_read": true});
    admin.ask(&one, "PUT", "/v1/kinds/open", Some(&public)).ok();
    one.get("/v1/boards/open/a/top").ok();
    eventually("the other server reads the kind again", || {
        (other.get("/v1/boards/open/a/top").status == 200).then_some(())
    });
}

#[test]
fn callers_without_a_key_have_the_budget_of_their_address() {
    let key = Key::new("--scope admin");
    let limits = "[server.limits.address]\nrequests_per_second = 1\nburst = 5\n";
    let server = Server::with(&format!("{limits}{KINDS}{}", key.lines));
    let (before, response) = refused(|| server.get("/v1/boards/open/a/top"));
    assert!((5..8).contains(&before), "{before}");
    response.problem(429, "too-many-requests", &["127.0.0.1"]);
}

#[test]
fn callers_without_a_key_are_told_no_addresses_of_nodes() {
    let redis = RedisServer::plain();
    let key = Key::new("--scope admin");
    let launch = Launch::on_a_free_port(&format!("{KINDS}{}", key.lines));
    let server = launch.args(&format!("--store {}", redis.url())).start();
    give(&server, &key, "open/a", "u");
    redis.kill();
    let node = redis.address().to_string();
    let path = "/v1/boards/open/a/count?min=0";
    eventually("a caller with a key gets the node", || {
        let response = key.get(&server, path);
        (response.status == 503 && response.body.contains(&node)).then_some(())
    });
    let response = server.get(path);
    response.problem(503, "unavailable", &["with a key"]);
    assert!(!response.body.contains(&node), "{response:?}");
    assert!(!response.header("retry-after").is_empty());
}
