//! In a cluster all keys of a board are in one slot.

use testkit::redis::{RedisCluster, RedisOptions, RedisServer, Reply, slot_of};
use testkit::{Server, eventually};

use super::fixtures::{json_of, published, set_of};

fn on_any<'a>(nodes: impl Iterator<Item = &'a RedisServer>, words: &[&str]) -> Option<Reply> {
    let mut replies = nodes.map(|node| node.command(words));
    replies.find(|reply| !reply.is_error("MOVED"))
}

#[test]
fn boards_are_distributed_over_the_nodes_of_a_cluster() {
    const BOARDS: usize = 30;
    let cluster = RedisCluster::start(3, 0, &RedisOptions::new());
    let url = cluster.url();
    let (first, _) = url.split_once(',').unwrap_or((&url, ""));
    let config = published(
        "windows = [\"all\"]",
        first,
        "lb:{subject}",
        "every = \"100ms\"",
    );
    let server = Server::with(&config);
    for round in 1..=2 {
        for number in 0..BOARDS {
            server.give(&format!("k/{number}"), &[("u", 3)]);
        }
        for number in 0..BOARDS {
            let key = format!("lb:{number}");
            eventually("the board is published", || {
                let nodes = cluster.primaries();
                let words = ["ZREVRANGE", &key, "0", "-1", "WITHSCORES"];
                let set = set_of(&on_any(nodes.iter().map(AsRef::as_ref), &words)?);
                let json = format!("{{{key}}}:json");
                assert_eq!(slot_of(&json), slot_of(&key));
                let json = on_any(nodes.iter().map(AsRef::as_ref), &["GET", &json]);
                let json = json_of(&json?)?;
                let expected = [("u".to_owned(), 3 * round)];
                (set == expected && json["members"] == 1).then_some(())
            });
        }
    }
}
