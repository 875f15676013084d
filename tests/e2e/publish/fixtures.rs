//! The configuration of a published kind, and readers of what is published, independent of the
//! service.

use serde_json::Value;
use testkit::redis::{RedisServer, Reply};
use testkit::{Server, eventually};

/// Returns the configuration of a kind `k` that is published at the target `readers`, with further
/// settings of the kind and of the publication. What is appended belongs to the target.
pub(super) fn published(kind: &str, url: &str, key: &str, more: &str) -> String {
    let target = targets(&[("readers", url)]);
    format!(
        "[kinds.k]\n{kind}\n[kinds.k.publish]\ntarget = \"readers\"\nkey = \"{key}\"\n{more}\n{target}"
    )
}

/// Returns the configuration of these targets.
pub(super) fn targets(named: &[(&str, &str)]) -> String {
    let target =
        |(name, url): &(&str, &str)| format!("[publish.targets.{name}]\nurl = \"{url}\"\n");
    named.iter().map(target).collect()
}

/// Returns members and scores of a sorted set, the highest score first.
pub(super) fn set(redis: &RedisServer, key: &str) -> Vec<(String, i64)> {
    let reply = redis.command(&["ZREVRANGE", key, "0", "-1", "WITHSCORES"]);
    set_of(&reply)
}

/// The same for a reply.
pub(super) fn set_of(reply: &Reply) -> Vec<(String, i64)> {
    let pairs = reply.items().as_chunks::<2>().0.iter();
    let pair =
        |[member, score]: &[Reply; 2]| (member.text().to_owned(), score.text().parse().unwrap());
    pairs.map(pair).collect()
}

/// Returns the published JSON, if there is any.
pub(super) fn json(redis: &RedisServer, key: &str) -> Option<Value> {
    json_of(&redis.command(&["GET", &format!("{key}:json")]))
}

/// The same for a reply.
pub(super) fn json_of(reply: &Reply) -> Option<Value> {
    match reply {
        Reply::Nil => None,
        json => Some(serde_json::from_str(json.text()).unwrap()),
    }
}

/// Waits until the JSON of a key has the version of the server. Returns the JSON.
#[track_caller]
pub(super) fn caught_up(server: &Server, redis: &RedisServer, window: &str, key: &str) -> Value {
    let path = format!("/v1/boards/k/a/top?fresh=true&n=1&window={window}");
    eventually("the current board is published", || {
        let top = server.get(&path).ok();
        let json = json(redis, key)?;
        (json["version"] == top["version"]).then_some(json)
    })
}

/// Returns members and points of entries.
pub(super) fn points(top: &Value) -> Vec<(String, i64)> {
    let entries = top["entries"].as_array().unwrap().iter();
    let pair = |entry: &Value| {
        let member = entry["member"].as_str().unwrap().to_owned();
        (member, entry["points"].as_i64().unwrap())
    };
    entries.map(pair).collect()
}
