//! Kinds that everybody may read, on a server with keys.

use std::thread;

use serde_json::{Value, json};
use testkit::clock::{DAY_MS, date, now_ms};
use testkit::redis::RedisServer;
use testkit::{Events, Exposition, Launch, Response, Server, eventually};

use super::rates::refused;
use super::tokens::lets_in;
use super::{Key, ask, lines};

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

/// Sends a request without a key.
#[track_caller]
fn keyless(server: &Server, method: &str, path: &str, body: Option<&Value>) -> Response {
    ask(server, &[], method, path, body)
}

/// Every read of boards of a kind.
fn reads(kind: &str) -> Vec<(&'static str, String, Option<Value>)> {
    let get = |path: &str| ("GET", path.replace("KIND", kind), None);
    let post = |path: &str, body| ("POST", path.replace("KIND", kind), Some(body));
    vec![
        get("/v1/kinds/KIND"),
        get("/v1/boards?kind=KIND"),
        get("/v1/boards?kind=KIND&order=activity"),
        get("/v1/members/u?kind=KIND"),
        get("/v1/boards/KIND/a"),
        get("/v1/boards/KIND/a/top"),
        get("/v1/boards/KIND/a/range?from=1&to=2"),
        get("/v1/boards/KIND/a/count?min=1"),
        get("/v1/boards/KIND/a/rank?points=1"),
        get("/v1/boards/KIND/a/members/u"),
        get("/v1/boards/KIND/a/members/u/around"),
        get("/v1/kinds/KIND/members/u/profile"),
        post("/v1/boards/KIND/a/rank", json!({"values": {"points": 1}})),
        post("/v1/boards/KIND/a/lookup", json!({"members": ["u"]})),
        post("/v1/top", json!({"boards": [format!("{kind}/a")]})),
    ]
}

fn kinds_of(response: &Response) -> Vec<String> {
    let kinds = response.ok()["kinds"].as_array().unwrap().clone();
    let names = kinds.iter().map(|kind| kind["kind"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

#[test]
fn boards_of_a_public_kind_are_read_without_a_key() {
    let (admin, server) = stage();
    for kind in ["open", "closed"] {
        let path = format!("/v1/kinds/{kind}/members/u/profile");
        admin
            .ask(&server, "PUT", &path, Some(&json!({"name": "Ann"})))
            .ok();
    }
    for (method, path, body) in reads("open") {
        let response = keyless(&server, method, &path, body.as_ref());
        assert_eq!(response.status, 200, "{method} {path}: {response:?}");
    }
    for (method, path, body) in reads("closed") {
        let response = keyless(&server, method, &path, body.as_ref());
        response.problem(401, "unauthorized", &["authorization"]);
        assert_eq!(response.header("www-authenticate"), "Bearer", "{path}");
    }
    assert_eq!(kinds_of(&server.get("/v1/kinds")), ["open"]);
    assert_eq!(
        kinds_of(&admin.get(&server, "/v1/kinds")),
        ["closed", "open"]
    );
    assert_eq!(server.get("/v1/kinds/open").ok()["public_read"], true);
    let both = json!({"boards": ["open/a", "closed/a"]});
    keyless(&server, "POST", "/v1/top", Some(&both)).problem(401, "unauthorized", &["boards[1]"]);
    let mut events = Events::of(&server, "/v1/boards/open/a/stream");
    assert_eq!(events.event().value["members"], 2);
    server
        .get("/v1/boards/closed/a/stream")
        .problem(401, "unauthorized", &[]);
    // What is no kind is no more than what is not public.
    server
        .get("/v1/boards/nothing/a/top")
        .problem(401, "unauthorized", &[]);
}

#[test]
fn everything_else_of_a_public_kind_requires_its_key() {
    let (_, server) = stage();
    let one = json!({"board": "open/a", "member": "u", "points": 1});
    let profile = json!({"name": "Ann"});
    for (method, path, body) in [
        ("POST", "/v1/contributions", Some(&one)),
        (
            "PUT",
            "/v1/boards/open/a/members/u",
            Some(&json!({"points": 1})),
        ),
        ("DELETE", "/v1/boards/open/a/members/u", None),
        ("DELETE", "/v1/boards/open/a/members?min=0", None),
        ("PUT", "/v1/boards/open/b", Some(&json!({"shards": 2}))),
        ("DELETE", "/v1/boards/open/a", None),
        ("PUT", "/v1/kinds/open/members/u/profile", Some(&profile)),
        ("DELETE", "/v1/kinds/open/members/u/profile", None),
        ("PUT", "/v1/kinds/open", Some(&json!({}))),
        ("DELETE", "/v1/kinds/open", None),
        ("GET", "/v1/members/u/hidden?kind=open", None),
        ("PUT", "/v1/members/u/hidden?kind=open", Some(&json!({}))),
        ("GET", "/v1/hidden?kind=open", None),
        ("DELETE", "/v1/members/u?kind=open", None),
        (
            "POST",
            "/v1/stream-tokens",
            Some(&json!({"board": "open/a"})),
        ),
        ("GET", "/v1/nothing", None),
    ] {
        let response = keyless(&server, method, path, body);
        response.problem(401, "unauthorized", &[]);
    }
    assert_eq!(server.get("/v1/boards/open/a").ok()["members"], 2);
}

#[test]
fn a_key_of_other_kinds_reads_public_boards_and_a_wrong_key_reads_none() {
    let (admin, other) = (
        Key::new("--scope admin --name admin"),
        Key::new("--scope write --kind closed --name other"),
    );
    let server = Server::with(&format!("{KINDS}{}", lines(&[&admin, &other])));
    give(&server, &admin, "open/a", "u");
    for (method, path, body) in reads("open") {
        let response = other.ask(&server, method, &path, body.as_ref());
        assert!(
            [200, 404].contains(&response.status),
            "{method} {path}: {response:?}"
        );
    }
    assert_eq!(
        kinds_of(&other.get(&server, "/v1/kinds")),
        ["closed", "open"]
    );
    // The live page asks for a token if it has a key.
    let wanted = Some(json!({"board": "open/a"}));
    let token = other.ask(&server, "POST", "/v1/stream-tokens", wanted.as_ref());
    let token = token.ok()["token"].as_str().unwrap().to_owned();
    assert!(lets_in(&server, "open/a", &token));
    let set = Some(json!({"points": 1}));
    other
        .ask(&server, "PUT", "/v1/boards/open/a/members/u", set.as_ref())
        .problem(403, "forbidden", &["\"other\"", "open"]);
    let wrong = [("authorization", "Bearer mb_wrong")];
    server
        .get_with("/v1/boards/open/a/top", &wrong)
        .problem(401, "unauthorized", &["unknown"]);
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
fn a_hidden_member_stays_hidden() {
    let (admin, server) = stage();
    let hidden = admin.ask(&server, "PUT", "/v1/members/u/hidden?kind=open", None);
    hidden.ok();
    let top = server.get("/v1/boards/open/a/top?fresh=true").ok();
    assert_eq!(top["members"], 1);
    assert_eq!(top["entries"][0]["member"], "v");
    server
        .get("/v1/boards/open/a/members/u")
        .problem(404, "not-ranked", &[]);
    let boards = server.get("/v1/members/u?kind=open").ok();
    assert_eq!(boards["boards"], json!([]));
}

#[test]
fn final_responses_of_a_public_kind_are_for_all_caches() {
    let (_, server) = stage();
    let day = format!("day:{}", date(now_ms() - 2 * DAY_MS));
    let shown = server.get(format!("/v1/boards/open/a/top?window={day}"));
    assert_eq!(shown.ok()["final"], true);
    assert_eq!(shown.header("cache-control"), "public, max-age=60");
    assert_eq!(shown.header("vary"), "accept-encoding");
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
