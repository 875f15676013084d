//! memcached has the JSON under the key itself.

use serde_json::{Value, json};
use testkit::memcached::Memcached;
use testkit::{Server, eventually};

use super::fixtures::{points, published};

fn shown(memcached: &Memcached, key: &str, expected: &[(&str, i64)]) -> Value {
    eventually("the board is published", || {
        let (json, flags) = memcached.get(key)?;
        let json: Value = serde_json::from_str(&json).unwrap();
        // Clients interpret flags as the type of the value.
        assert_eq!(flags, 0);
        let shown = points(&json);
        let shown: Vec<(&str, i64)> = shown.iter().map(|(m, p)| (m.as_str(), *p)).collect();
        (shown == expected).then_some(json)
    })
}

#[test]
fn the_top_is_one_memcached_item() {
    let mut memcached = Memcached::start();
    let config = published(
        "windows = [\"day\", \"all\"]",
        &memcached.url(),
        "lb:{subject}:{period}",
        "every = \"100ms\"",
    );
    let server = Server::with(&config);
    server.give("k/a b", &[("u", 3), ("v", 5)]);
    let json = shown(&memcached, "lb:a%20b:all", &[("v", 5), ("u", 3)]);
    let mut top = server
        .get("/v1/boards/k/a%20b/top?window=all&fresh=true")
        .ok();
    top["as_of"] = json["as_of"].clone();
    assert_eq!(json, top);
    server.give("k/a b", &[("u", 3)]);
    shown(&memcached, "lb:a%20b:all", &[("u", 6), ("v", 5)]);
    shown(&memcached, "lb:a%20b:day", &[("u", 6), ("v", 5)]);
    // memcached restarts empty, and numbers its items anew.
    memcached.restart();
    server.give("k/other", &[("u", 1)]);
    shown(&memcached, "lb:other:all", &[("u", 1)]);
    server.give("k/a b", &[("u", 1)]);
    shown(&memcached, "lb:a%20b:all", &[("u", 7), ("v", 5)]);
    server.delete("/v1/boards/k/a%20b").is_empty();
    eventually("the deleted board is removed", || {
        let left = ["all", "day"].map(|period| memcached.get(&format!("lb:a%20b:{period}")));
        left.iter().all(Option::is_none).then_some(())
    });
    let kind = server.get("/v1/kinds/k").ok();
    assert_eq!(kind["publish"]["encoding"], json!("none"));
    assert_eq!(server.put("/v1/kinds/k", &kind).ok(), kind);
}
