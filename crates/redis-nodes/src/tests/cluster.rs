//! A cluster: slots that migrate, nodes that stop and start.

use std::time::Duration;

use futures::future::join_all;
use testkit::redis::{RedisCluster, RedisOptions, Reply, slot_of};
use tokio::time::Instant;

use super::counting::{
    DEADLINE, answer, both, count, location_of, make, open, open_with, see, until,
};
use crate::CallError;
use crate::settings::RedisSettings;

fn cluster(primaries: u16, replicas: u16) -> RedisCluster {
    RedisCluster::start(primaries, replicas, &RedisOptions::new())
}

/// Keys all over the slots.
fn keys() -> Vec<String> {
    (0..60).map(|number| format!("board-{number}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_slot_is_found_from_any_node() {
    let cluster = cluster(3, 1);
    for node in cluster.nodes() {
        let url = node.url().replace("redis://", "redis-cluster://");
        let servers = open(&url).await;
        assert_eq!(servers.ready(), Ok(()));
        for key in keys() {
            let name = format!("from {}", node.port());
            make(&servers, &count(&key, &name)).await.unwrap();
        }
    }
    let servers = open(&cluster.url()).await;
    for key in keys() {
        let nodes = cluster.nodes().len().to_string();
        assert_eq!(make(&servers, &see(&key)).await.unwrap(), nodes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slots_that_move_are_followed() {
    let cluster = cluster(2, 0);
    let servers = open(&cluster.url()).await;
    let keys = ["{board}:1", "{board}:2", "{board}:3"];
    for key in keys {
        make(&servers, &count(key, "a")).await.unwrap();
    }
    // New, empty, and without functions.
    let to = cluster.add_primary();
    let slot = slot_of("{board}");
    let migration = cluster.begin_migration(slot, &to);
    migration.move_key(keys[0]);
    // Half of the keys are there (ASK), half are here; one that does not exist yet is created
    // there.
    for key in keys {
        assert_eq!(
            make(&servers, &count(key, "b")).await.unwrap(),
            "2",
            "{key}"
        );
        assert_eq!(
            make(&servers, &count(key, "b")).await.unwrap(),
            "2",
            "{key}"
        );
    }
    assert_eq!(
        make(&servers, &count("{board}:new", "a")).await.unwrap(),
        "1"
    );
    let mut asking = to.connect();
    asking.command(&["ASKING"]).ok();
    let made_there = asking.command(&["HGET", "{board}:new", "n"]);
    assert_eq!(made_there.text(), "1");

    // A call with keys on both sides has to wait: TRYAGAIN on both.
    let split = both(keys[0], keys[1]);
    let short = split.clone().within(Duration::from_millis(300));
    let waiting = make(&servers, &short).await.unwrap_err();
    let CallError::Unavailable(words) = &waiting else {
        panic!("{waiting:?}");
    };
    assert!(words.contains("TRYAGAIN"), "{words}");
    let waits = make(&servers, &split);
    let moves = async {
        while migration.move_keys(10) > 0 {}
        migration.end();
    };
    let (both, ()) = tokio::join!(waits, moves);
    assert_eq!(both.unwrap(), "2");
    for key in keys {
        assert_eq!(
            make(&servers, &count(key, "c")).await.unwrap(),
            "3",
            "{key}"
        );
    }
    until("a map that knows", async || {
        let now = servers.topology.route(location_of("{board}"));
        now.unwrap().address().port == to.port()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_go_on_when_a_primary_is_killed() {
    let cluster = cluster(3, 1);
    // With acks, so that the replicas have the data with which they continue.
    let careful = RedisSettings {
        acks: 1,
        ..RedisSettings::default()
    };
    let careful = open_with(&cluster.url(), &careful).await.unwrap();
    for key in keys() {
        make(&careful, &count(&key, "a")).await.unwrap();
    }
    let servers = open(&cluster.url()).await;
    let before = answer(&servers, &see("board-0")).await.unwrap().epoch;
    let slot = location_of("board-0").slot;
    cluster.kill_primary_of(slot);
    let keys = keys();
    let calls: Vec<_> = keys.iter().map(|key| count(key, "b")).collect();
    let made = join_all(calls.iter().map(|call| make(&servers, call))).await;
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    let after = answer(&servers, &see("board-0")).await.unwrap();
    assert_eq!(&after.payload[..], b"2");
    assert_ne!(after.epoch, before);
    until("a cluster that is ready", async || servers.ready().is_ok()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_waits_for_replicas_follows_its_slot() {
    let cluster = cluster(2, 1);
    let settings = RedisSettings {
        acks: 1,
        ..RedisSettings::default()
    };
    let servers = open_with(&cluster.url(), &settings).await.unwrap();
    make(&servers, &count("n", "a")).await.unwrap();
    let slot = location_of("n").slot;
    let from = cluster.primary_of(slot);
    let mut others = cluster.primaries().into_iter();
    let to = others.find(|node| node.port() != from.port()).unwrap();
    // It stays a primary, of other slots, and no replica confirms its writes.
    cluster.replicas_of(&from)[0].kill();
    let calls = [count("n", "b"), count("n", "c")];
    let made = join_all(calls.iter().map(|call| make(&servers, call)));
    let moves = async {
        until("writes that wait", async || {
            from.command(&["HGET", "n", "n"]).text() == "3"
        })
        .await;
        let migration = cluster.begin_migration(slot, &to);
        while migration.move_keys(10) > 0 {}
        migration.end();
    };
    let (made, ()) = tokio::join!(made, moves);
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    assert_eq!(to.command(&["HGET", "n", "n"]).text(), "3");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_hangs_holds_up_no_other() {
    let options = RedisOptions::new();
    // It must not be declared failed: nothing else of the cluster would be left.
    let cluster = RedisCluster::with_node_timeout(3, 0, &options, Duration::from_mins(1));
    let servers = open(&cluster.url()).await;
    let hung = cluster.primary_of(location_of("board-0").slot);
    let (there, elsewhere): (Vec<_>, Vec<_>) = keys()
        .into_iter()
        .partition(|key| cluster.primary_of(slot_of(key)).port() == hung.port());
    hung.pause();
    let stuck: Vec<_> = there.iter().map(|key| see(key)).collect();
    let stuck = join_all(stuck.iter().map(|call| make(&servers, call)));
    let begun = Instant::now();
    let others = async {
        for round in 0..20 {
            for key in &elsewhere {
                make(&servers, &count(key, &round.to_string()))
                    .await
                    .unwrap();
            }
        }
        until("the missing node", async || servers.ready().is_err()).await;
        let why = servers.ready().unwrap_err();
        assert!(why.contains(&hung.address().to_string()), "{why}");
        for key in &elsewhere {
            assert_eq!(make(&servers, &see(key)).await.unwrap(), "20");
        }
        hung.resume();
    };
    let (stuck, ()) = tokio::join!(stuck, others);
    assert!(stuck.iter().all(Result::is_ok), "{stuck:?}");
    assert!(begun.elapsed() < DEADLINE);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_primary_has_its_markers_set_again() {
    let cluster = cluster(3, 0);
    let servers = open(&cluster.url()).await;
    let node = cluster.primary_of(0);
    let mark = format!("megaboard:{{{}}}:mark", crate::tag_of(0));
    // While the cluster is down there is no reply.
    let marked = || node.command(&["EXISTS", &mark]) == Reply::Integer(1);
    until("a mark", async || marked()).await;
    node.kill();
    node.start();
    until("a mark again", async || marked()).await;
    assert!(servers.topology.nodes().len() == 3);
}
