//! [`RedisCluster`](testkit::redis::RedisCluster): slots, migrations, announced proxies, failovers.

use testkit::redis::{FaultProxy, RedisCluster, RedisOptions, RedisServer, Reply, SLOTS, slot_of};

/// Returns keys of one slot, and the slot.
fn keys_of_one_slot() -> (Vec<String>, u16) {
    let keys = (0..25)
        .map(|number| format!("{{board}}:{number}"))
        .collect();
    (keys, slot_of("{board}"))
}

fn write(server: &RedisServer, keys: &[String]) {
    for key in keys {
        server.command(&["SET", key, key]).ok();
    }
}

#[test]
fn slots_are_assigned_evenly_and_move_with_their_keys() {
    let options = RedisOptions::new().user("board", "secret", "~* +@all");
    let cluster = RedisCluster::start(3, 0, &options);
    let nodes = cluster.nodes();
    for (node, slot) in [
        (0, 0),
        (0, 5_460),
        (1, 5_461),
        (1, 10_921),
        (2, 10_922),
        (2, SLOTS - 1),
    ] {
        assert_eq!(
            cluster.primary_of(slot).port(),
            nodes[node].port(),
            "{slot}"
        );
    }
    let (keys, slot) = keys_of_one_slot();
    let from = cluster.primary_of(slot);
    write(&from, &keys);

    let to = cluster.add_primary();
    assert_eq!(cluster.primaries().len(), 4);
    cluster.move_slots(slot - 1..=slot + 1, &to);
    for slot in slot - 1..=slot + 1 {
        assert_eq!(cluster.primary_of(slot).port(), to.port());
    }
    for key in &keys {
        assert_eq!(to.command(&["GET", key]).text(), key);
        assert!(from.command(&["GET", key]).is_error("MOVED"));
    }
}

#[test]
fn keys_of_a_migrating_slot_are_on_both_nodes() {
    let cluster = RedisCluster::start(2, 0, &RedisOptions::new());
    let (keys, slot) = keys_of_one_slot();
    let from = cluster.primary_of(slot);
    let to = cluster.primary_of(if slot < SLOTS / 2 { SLOTS - 1 } else { 0 });
    write(&from, &keys);
    let migration = cluster.begin_migration(slot, &to);
    migration.move_key(&keys[7]);
    assert_eq!(migration.move_keys(4), 4);
    let moved = |key: &&String| from.command(&["GET", *key]).is_error("ASK");
    assert!(moved(&&keys[7]));
    assert_eq!(keys.iter().filter(moved).count(), 5);
    assert!(to.command(&["GET", &keys[7]]).is_error("MOVED"));
    let mut asking = to.connect();
    asking.command(&["ASKING"]).ok();
    assert_eq!(asking.command(&["GET", &keys[7]]).text(), keys[7]);
    while migration.move_keys(10) > 0 {}
    migration.end();
    cluster.wait_until_settled();
    assert_eq!(cluster.primary_of(slot).port(), to.port());

    let back = cluster.begin_migration(slot, &from);
    back.abandon();
    assert_eq!(to.command(&["GET", &keys[0]]).text(), keys[0]);
}

#[test]
fn clients_are_redirected_to_an_announced_proxy() {
    let cluster = RedisCluster::start(2, 0, &RedisOptions::new());
    let nodes = cluster.nodes();
    let proxy = FaultProxy::before(&nodes[1]);
    cluster.announce(&proxy);
    let key = ["a", "b", "c"]
        .into_iter()
        .find(|key| slot_of(key) >= SLOTS / 2);
    let key = key.expect("a key in the upper half of the slots");
    let sent_on = nodes[0].command(&["GET", key]);
    let moved = format!("MOVED {} {}", slot_of(key), proxy.address());
    assert_eq!(sent_on, Reply::Error(moved));
    assert_eq!(cluster.primary_of(slot_of(key)).port(), nodes[1].port());
    cluster.wait_until_settled();
}

#[test]
fn slot_of_agrees_with_redis() {
    let server = RedisOptions::new().config("cluster-enabled yes").start();
    let mut wire = server.connect();
    for key in [
        "",
        "a",
        "{a}b",
        "a{}b",
        "a{b}{c}",
        "{{a}}",
        "a}b{c",
        "{",
        "\u{e9}{\u{fc}}",
    ] {
        let slot = wire.command(&["CLUSTER", "KEYSLOT", key]).integer();
        assert_eq!(i64::from(slot_of(key)), slot, "{key:?}");
    }
}

#[test]
fn a_replica_takes_over_from_a_killed_primary() {
    let cluster = RedisCluster::start(3, 1, &RedisOptions::new());
    let (keys, slot) = keys_of_one_slot();
    let primary = cluster.primary_of(slot);
    // WAIT refers to the writes of its own connection.
    let mut wire = primary.connect();
    for key in &keys {
        wire.command(&["SET", key, key]).ok();
    }
    assert_eq!(wire.command(&["WAIT", "1", "0"]).integer(), 1);
    let killed = cluster.kill_primary_of(slot);
    cluster.wait_until_settled();
    let next = cluster.primary_of(slot);
    assert_ne!(next.port(), killed.port());
    for key in &keys {
        assert_eq!(next.command(&["GET", key]).text(), key);
    }
    killed.start();
    cluster.wait_until_settled();
    assert_eq!(cluster.primaries().len(), 3);
}
