//! A server on Redis, and the keys and slots of its shards.

use std::collections::BTreeSet;

use testkit::redis::{RedisServer, slot_of};
use testkit::{Launch, Server};

/// The configuration in `[redis]` for a Redis without scripts.
pub(crate) const SCRIPT_FREE: &str = "writes = \"script-free\"\n";

/// Returns a launch with this store and configuration, on a free port.
pub(crate) fn launch(store: &str, config: &str) -> Launch {
    Launch::on_a_free_port(config).args(&format!("--store {store}"))
}

/// Starts a server with this store and configuration.
#[track_caller]
pub(crate) fn serve(store: &str, config: &str) -> Server {
    launch(store, config).start()
}

/// Returns the keys on a node that start with our prefix and contain `part`, sorted, since Valkey
/// lists them in another order each time.
pub(super) fn keys(node: &RedisServer, part: &str) -> Vec<String> {
    let found = node.command(&["KEYS", &format!("megaboard:*{part}*")]);
    let keys = found.items().iter().map(|key| key.text().to_owned());
    let mut keys: Vec<String> = keys.collect();
    keys.sort_unstable();
    keys
}

/// Returns the slots of those keys.
pub(super) fn slots(node: &RedisServer, part: &str) -> BTreeSet<u16> {
    let keys = keys(node, part).into_iter();
    keys.map(|key| slot_of(&key)).collect()
}

/// Returns the slots on a node that have keys of boards and of the registry.
pub(super) fn slots_of_boards(node: &RedisServer) -> BTreeSet<u16> {
    let mut found = slots(node, ":all:scores");
    found.extend(slots(node, "{registry}"));
    found
}
