//! Boards are published only to configured targets, only with keys that have the right to configure
//! it, and never to a node of the store.

use serde_json::json;
use testkit::redis::{RedisOptions, RedisServer};
use testkit::{Launch, Server, eventually};

use super::fixtures::{published, set};

#[test]
fn nothing_is_published_without_a_configured_target() {
    let redis = RedisServer::plain();
    let server = Server::start();
    let publish = json!({"publish": {"target": "readers", "key": "lb:{subject}:{window}"}});
    let refused = server.put("/v1/kinds/k", &publish);
    refused.problem(400, "invalid", &["publish.target", "none is configured"]);
    // A kind that was published at a target that is no longer configured.
    let kind = "windows = [\"all\"]";
    let server = Server::durable(&published(kind, &redis.url(), "lb:{subject}", ""));
    server.give("k/a", &[("u", 3)]);
    eventually("the board is published", || {
        (set(&redis, "lb:a").len() == 1).then_some(())
    });
    let server = server
        .stop()
        .file("megaboard.toml", "[kinds.k]\nwindows = [\"all\"]\n")
        .start();
    eventually("it is logged", || {
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

/// Starts a server on this store with this target, and waits until its log has the reason for not
/// publishing. `login` is of the target.
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
    eventually("the reason is logged", || {
        server.log().contains(why).then_some(())
    });
    server
}

#[test]
fn a_node_of_the_store_is_rejected_as_target() {
    let store = RedisServer::plain();
    // Another database of the same server.
    let url = format!("redis://{}/3", store.address());
    let _server = refuses(&store, &url, "", "is a node of the store");
    let mut wire = store.connect();
    wire.command(&["SELECT", "3"]).ok();
    assert_eq!(wire.command(&["DBSIZE"]).integer(), 0);
}

#[test]
fn beside_a_redis_store_the_target_user_requires_info() {
    let store = RedisServer::plain();
    let silent = RedisOptions::new()
        .user("megaboard", "s3cret", "~lb:* +@all -info")
        .start();
    let url = format!("redis://{}", silent.address());
    let login = "user = \"megaboard\"\npassword = \"s3cret\"\n";
    let _server = refuses(&store, &url, login, "its user requires INFO");
    assert_eq!(silent.command(&["DBSIZE"]).integer(), 0);
}
