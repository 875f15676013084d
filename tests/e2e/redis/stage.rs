//! A server on Redis: how it is started, and where its shards lie.

use std::collections::BTreeSet;

use testkit::redis::{RedisServer, slot_of};
use testkit::{Launch, Server};

/// What a configuration says for a Redis that runs no scripts, within `[redis]`.
pub(crate) const SCRIPT_FREE: &str = "writes = \"script-free\"\n";

/// How a server is started on this store, on a free port, with this configuration.
pub(crate) fn launch(store: &str, config: &str) -> Launch {
    Launch::on_a_free_port(config).args(&format!("--store {store}"))
}

/// A server on this store, with this configuration.
#[track_caller]
pub(crate) fn serve(store: &str, config: &str) -> Server {
    launch(store, config).start()
}

/// The keys of ours on a node that contain this, in order: Valkey lists them otherwise each time.
pub(super) fn keys(node: &RedisServer, part: &str) -> Vec<String> {
    let found = node.command(&["KEYS", &format!("megaboard:*{part}*")]);
    let keys = found.items().iter().map(|key| key.text().to_owned());
    let mut keys: Vec<String> = keys.collect();
    keys.sort_unstable();
    keys
}

/// The slots of those keys.
pub(super) fn slots(node: &RedisServer, part: &str) -> BTreeSet<u16> {
    let keys = keys(node, part).into_iter();
    keys.map(|key| slot_of(&key)).collect()
}

/// The slots on a node that boards and the registry have keys in.
pub(super) fn slots_of_boards(node: &RedisServer) -> BTreeSet<u16> {
    let mut found = slots(node, ":all:scores");
    found.extend(slots(node, "{registry}"));
    found
}
