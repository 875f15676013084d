//! The shards of a board are distributed evenly over the nodes.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::Server;
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};

use super::fixtures::{keys, serve};

const KIND: &str = "[kinds.k]\nwindows = [\"all\"]\nshards = 32\n";

const SHARDS: usize = 32;

/// Enough that no shard is empty.
const MEMBERS: usize = 2_000;

/// The maximum deviation of a node's number of shards from the average, in percent.
const OFF_MAX_PERCENT: usize = 15;

fn filled(server: &Server) {
    let item = |number| json!({"board": "k/a", "member": format!("m{number}"), "points": 1});
    let items: Vec<Value> = (0..MEMBERS).map(item).collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], MEMBERS);
}

/// Returns the number of shards on a node, and asserts that each has all of its keys there.
fn shards_of(node: &RedisServer) -> usize {
    let shards = |suffix: &str| -> BTreeSet<String> {
        let keys = keys(node, ":k/a:").into_iter();
        let keys = keys.filter_map(|key| Some(key.strip_suffix(suffix)?.to_owned()));
        keys.collect()
    };
    let ranked = shards(":all:rank");
    assert_eq!(ranked, shards(":all:scores"));
    assert_eq!(ranked, shards(":meta"));
    ranked.len()
}

#[track_caller]
fn assert_even(nodes: &[&RedisServer]) {
    let shards: Vec<usize> = nodes.iter().map(|node| shards_of(node)).collect();
    println!("shards by node: {shards:?}");
    assert_eq!(shards.iter().sum::<usize>(), SHARDS, "{shards:?}");
    for here in &shards {
        // In fractions of a shard: the average is SHARDS / nodes.
        let off = (here * nodes.len()).abs_diff(SHARDS);
        assert!(off * 100 <= OFF_MAX_PERCENT * SHARDS, "{shards:?}");
    }
}

#[test]
fn over_independent_servers() {
    for count in 3..=8 {
        let servers: Vec<_> = (0..count).map(|_| RedisServer::plain()).collect();
        let addresses = servers.iter().map(|server| server.address().to_string());
        let addresses: Vec<_> = addresses.collect();
        let server = serve(&format!("redis://{}", addresses.join(",")), KIND);
        filled(&server);
        assert_even(&servers.iter().collect::<Vec<_>>());
    }
}

#[test]
fn over_the_primaries_of_a_cluster() {
    let cluster = RedisCluster::start(3, 0, &RedisOptions::new());
    let server = serve(&cluster.url(), KIND);
    filled(&server);
    let nodes = cluster.nodes();
    assert_even(&nodes.iter().map(AsRef::as_ref).collect::<Vec<_>>());
}
