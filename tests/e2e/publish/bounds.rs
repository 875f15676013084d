//! Boards go to configured targets alone, by keys alone that may say so, and never where boards are kept.

use serde_json::{Value, json};
use testkit::redis::{RedisOptions, RedisServer};
use testkit::{Answer, Launch, Server, cli, eventually};

use super::stage::{published, set, targets};

/// A key of this sort: its text, and what the configuration says of it.
fn key(flags: &str) -> (String, String) {
    let mut arguments = vec!["key", "new"];
    arguments.extend(flags.split(' '));
    let run = cli::run(&arguments, b"");
    let (text, lines) = run.stdout.split_once("\n\n").unwrap();
    (text.to_owned(), lines.to_owned())
}

#[track_caller]
fn put(server: &Server, key: &str, kind: &Value) -> Answer {
    let bearer = format!("Bearer {key}");
    let headers = [
        ("authorization", &*bearer),
        ("content-type", "application/json"),
    ];
    server.send("PUT", "/v1/kinds/k", &headers, kind.to_string())
}

#[track_caller]
fn delete(server: &Server, key: &str) -> Answer {
    let bearer = format!("Bearer {key}");
    server.delete_with("/v1/kinds/k", &[("authorization", &bearer)])
}

#[track_caller]
fn shown(server: &Server, key: &str) -> Value {
    let bearer = format!("Bearer {key}");
    server
        .get_with("/v1/kinds/k", &[("authorization", &bearer)])
        .ok()
}

#[test]
fn only_an_admin_of_all_kinds_says_what_is_published() {
    let redis = RedisServer::plain();
    let (admin, of_admin) = key("--scope admin --name all");
    let (bound, of_bound) = key("--scope admin --kind k --name bound");
    let config = format!(
        "[kinds.k]\nwindows = [\"all\"]\n{of_admin}{of_bound}{}",
        targets(&[("readers", &redis.url())])
    );
    let server = Server::with(&config);
    let publish = json!({"target": "readers", "key": "lb:{subject}"});
    let with =
        |publish: &Value, top: u64| json!({"windows": ["all"], "top": top, "publish": publish});
    put(&server, &bound, &with(&publish, 10)).problem(403, "forbidden", &["publish"]);
    put(&server, &bound, &with(&Value::Null, 10)).ok();
    put(&server, &admin, &with(&publish, 10)).ok();
    // Other settings are the other's business, too, as long as this one stays.
    let mut kind = shown(&server, &bound);
    kind["top"] = json!(20);
    let changed = put(&server, &bound, &kind).ok();
    assert_eq!(changed["publish"]["target"], "readers");
    put(&server, &bound, &with(&Value::Null, 20)).problem(403, "forbidden", &["publish"]);
    kind["publish"]["key"] = json!("other:{subject}");
    put(&server, &bound, &kind).problem(403, "forbidden", &["publish"]);
    // Nor is it taken away with the kind.
    delete(&server, &bound).problem(403, "forbidden", &["publish"]);
    put(&server, &admin, &with(&Value::Null, 20)).ok();
    assert_eq!(delete(&server, &bound).status, 204);
    put(&server, &admin, &with(&publish, 10)).is(201);
    assert_eq!(delete(&server, &admin).status, 204);
}

#[test]
fn without_a_configured_target_nothing_is_published() {
    let redis = RedisServer::plain();
    let server = Server::start();
    let publish = json!({"publish": {"store": redis.url(), "key": "lb:{subject}:{window}"}});
    let refused = server.put("/v1/kinds/k", &publish);
    refused.problem(400, "invalid", &["publish.store", "none is configured"]);
    // A kind that was published at a target which is configured no longer.
    let kind = "windows = [\"all\"]";
    let server = Server::durable(&published(kind, &redis.url(), "lb:{subject}", ""));
    server.give("k/a", &[("u", 3)]);
    eventually("the board", || {
        (set(&redis, "lb:a").len() == 1).then_some(())
    });
    let server = server
        .stop()
        .file("megaboard.toml", "[kinds.k]\nwindows = [\"all\"]\n")
        .start();
    eventually("that it is told", || {
        server
            .log()
            .contains("a kind is not published")
            .then_some(())
    });
    server.give("k/a", &[("v", 3)]);
    assert_eq!(
        server.get("/v1/kinds/k").ok()["publish"]["target"],
        "readers"
    );
    assert_eq!(server.order("k/a", "all"), ["u", "v"]);
    assert_eq!(set(&redis, "lb:a").len(), 1);
}

/// A server on this store that publishes at this target, once its log says why it does not; `login` is of the target.
fn refuses(store: &RedisServer, target: &str, login: &str, why: &str) -> Server {
    let config = published(
        "windows = [\"all\"]",
        target,
        "lb:{subject}",
        "every = \"100ms\"",
    );
    let launch = Launch::on_a_free_port(&format!("{config}{login}"));
    let server = launch.args(&format!("--store {}", store.url())).start();
    server.give("k/a", &[("u", 3)]);
    eventually("the log says why", || {
        server.log().contains(why).then_some(())
    });
    server
}

#[test]
fn the_nodes_of_the_store_are_no_targets() {
    let store = RedisServer::plain();
    // Another database of the same server.
    let url = format!("redis://{}/3", store.address());
    let _server = refuses(&store, &url, "", "is a node of the store");
    let mut wire = store.connect();
    wire.command(&["SELECT", "3"]).ok();
    assert_eq!(wire.command(&["DBSIZE"]).integer(), 0);
}

#[test]
fn beside_a_store_on_redis_a_target_has_to_say_that_it_is_another() {
    let store = RedisServer::plain();
    let silent = RedisOptions::new()
        .user("megaboard", "s3cret", "~lb:* +@all -info")
        .start();
    let url = format!("redis://{}", silent.address());
    let login = "user = \"megaboard\"\npassword = \"s3cret\"\n";
    let _server = refuses(&store, &url, login, "its user requires INFO");
    assert_eq!(silent.command(&["DBSIZE"]).integer(), 0);
}

#[test]
fn a_subject_that_spells_a_key_of_a_store_is_not_published() {
    let redis = RedisServer::plain();
    let config = published(
        "windows = [\"all\"]",
        &redis.url(),
        "{subject}",
        "every = \"100ms\"",
    );
    let server = Server::with(&config);
    server.give("k/megaboard:{registry}:kinds", &[("u", 3)]);
    server.give("k/other", &[("u", 3)]);
    eventually("the other board", || {
        (set(&redis, "other").len() == 1).then_some(())
    });
    eventually("that it is told", || {
        server
            .log()
            .contains("begins with megaboard:")
            .then_some(())
    });
    let left = redis.command(&["KEYS", "megaboard:*"]);
    assert!(left.items().is_empty(), "{left:?}");
}
