//! What tops cost Redis, counted at a proxy: from the cache nothing, merged one round trip to all shards,
//! and once for all servers.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::dice::Dice;
use testkit::redis::{FaultProxy, Matching, RedisServer};
use testkit::{Server, eventually, ndjson};

use super::stage::serve;

const TOP: &str = "/v1/boards/k/a/top?n=1000";

/// What servers ask by themselves, now and then: who else is about, what is due, which kinds there are.
const IN_PASSING: [&str; 7] = [
    "present", "take_due", "set_due", "dying", "kinds", "survey", "ping",
];

/// Readers of each server.
const READERS: usize = 2;

/// How long merges are counted.
const COUNTED: Duration = Duration::from_secs(2);

/// What a top may be old.
const STALENESS: Duration = Duration::from_millis(200);

fn filled(server: &Server, members: usize) {
    let mut dice = Dice::of_this_run();
    let item = |number| json!({"board": "k/a", "member": format!("m{number}"), "points": dice.below(1_000_000)});
    let items: Vec<Value> = (0..members).map(item).collect();
    assert_eq!(server.lines(&ndjson(&items)).ok()["applied"], members);
}

/// Calls of functions so far, but for those in passing.
fn calls(proxy: &FaultProxy) -> BTreeMap<String, u64> {
    let in_passing = |name: &str| {
        let mut others = IN_PASSING.iter();
        others.any(|other| name.starts_with(&format!("megaboard_{other}_")))
    };
    let mut calls = proxy.functions();
    calls.retain(|name, _| !in_passing(name));
    calls
}

fn reads(proxy: &FaultProxy) -> u64 {
    proxy.calls_of("megaboard_read_")
}

#[test]
fn a_top_in_the_cache_asks_redis_nothing() {
    let redis = RedisServer::plain();
    let proxy = FaultProxy::before(&redis);
    let kind = "[kinds.k]\nwindows = [\"all\"]\nmax_staleness = \"1h\"\n";
    let server = serve(proxy.url(), kind);
    filled(&server, 2_000);
    let first = server.get(TOP);
    let before = calls(&proxy);
    for n in 1..=1_000 {
        let shown = server.get(format!("/v1/boards/k/a/top?n={n}"));
        assert_eq!(shown.entries().len(), n);
    }
    assert_eq!(server.get(TOP).body, first.body);
    assert_eq!(calls(&proxy), before);
    // One that has to be fresh asks each shard.
    server.get(format!("{TOP}&fresh=true")).ok();
    assert_eq!(reads(&proxy), 2 * 16);
}

#[test]
fn a_merge_is_one_call_to_each_shard() {
    const SHARDS: u64 = 64;
    const MERGES: usize = 10;
    let redis = RedisServer::plain();
    let proxy = FaultProxy::before(&redis);
    let kind = format!("[kinds.k]\nwindows = [\"all\"]\nshards = {SHARDS}\n");
    let server = serve(proxy.url(), &kind);
    filled(&server, 20_000);
    let merge = || {
        // Of no shard what it said before still holds.
        filled(&server, 1_000);
        let before = reads(&proxy);
        let connections = proxy.connections_made();
        let entries = server.get(format!("{TOP}&fresh=true")).entries();
        assert_eq!(entries.len(), 1_000);
        // What a connection took with it is asked again: that is no part of a merge.
        let is_counted = proxy.connections_made() == connections;
        is_counted.then(|| reads(&proxy) - before)
    };
    let mut merges = Vec::new();
    for _ in 0..2 * MERGES {
        merges.extend(merge());
        if merges.len() == MERGES {
            break;
        }
    }
    assert_eq!(merges.len(), MERGES, "connections that last");
    println!("calls of each merge: {merges:?}");
    // Now and then a shard has more of the top than was asked for, and is asked again.
    let in_one_round = merges.iter().filter(|calls| **calls == SHARDS);
    assert!(in_one_round.count() >= MERGES - 1, "{merges:?}");
    assert!(
        merges
            .iter()
            .all(|calls| (SHARDS..SHARDS + 8).contains(calls))
    );
}

#[test]
fn all_shards_are_asked_before_one_has_answered() {
    const SHARDS: u64 = 64;
    let redis = RedisServer::plain();
    let proxy = FaultProxy::before(&redis);
    let config = format!(
        "[redis]\nread_deadline = \"30s\"\n\
         [kinds.k]\nwindows = [\"all\"]\nshards = {SHARDS}\n"
    );
    let server = serve(proxy.url(), &config);
    filled(&server, 1_000);
    // Until a connection has answered a few calls, few are under way on it.
    server.get(format!("{TOP}&fresh=true")).ok();
    let (before, connections) = (reads(&proxy), proxy.connections_made());
    // Longer than a connection without answers is kept.
    let never = Duration::from_secs(20);
    proxy.delay_replies_of(&Matching::function("megaboard_read_"), never);
    thread::scope(|scope| {
        let top = scope.spawn(|| server.get(format!("{TOP}&fresh=true")));
        eventually("calls to all shards", || {
            (reads(&proxy) >= before + SHARDS).then_some(())
        });
        // None is asked again yet.
        assert_eq!(proxy.connections_made(), connections);
        proxy.heal();
        proxy.end_connections();
        assert_eq!(top.join().unwrap().entries().len(), 1_000);
    });
}

/// Polls the tops of servers for a while, while somebody writes.
fn polled(servers: &[&Server]) -> Duration {
    let begun = Instant::now();
    thread::scope(|scope| {
        for server in servers {
            for _ in 0..READERS {
                scope.spawn(move || {
                    while begun.elapsed() < COUNTED {
                        server.get(TOP).ok();
                        // Often enough to meet every merge.
                        thread::sleep(STALENESS / 50);
                    }
                });
            }
        }
        while begun.elapsed() < COUNTED {
            // On every shard, so that a merge has something new of each.
            filled(servers[0], 200);
            thread::sleep(STALENESS / 10);
        }
    });
    begun.elapsed()
}

#[test]
fn servers_do_not_multiply_merges() {
    const SHARDS: u64 = 16;
    let redis = RedisServer::plain();
    let proxies = [(); 2].map(|()| FaultProxy::before(&redis));
    let kind = format!(
        "[kinds.k]\nwindows = [\"all\"]\nshards = {SHARDS}\nmax_staleness = \"{}ms\"\n",
        STALENESS.as_millis()
    );
    let servers = proxies.each_ref().map(|proxy| serve(proxy.url(), &kind));
    let [here, there] = &servers;
    filled(here, 2_000);
    eventually("servers that know of each other", || {
        let calls = proxies.each_ref().map(|proxy| {
            let taken = proxy.calls_of("megaboard_take_");
            taken - proxy.calls_of("megaboard_take_due")
        });
        here.get(TOP).ok();
        there.get(TOP).ok();
        calls.iter().all(|calls| *calls > 0).then_some(())
    });
    let all_reads = || proxies.iter().map(reads).sum::<u64>();
    let before = all_reads();
    let took = polled(&[here, there]);
    let merges = (all_reads() - before) / SHARDS;
    // One server alone merges as often as what it shows has become too old, and no more.
    let alone = took.as_millis() / STALENESS.as_millis() + 1;
    println!("{merges} merges in {took:?}; one server alone: at most {alone}");
    assert!(u128::from(merges) * 2 <= alone * 3, "{merges}, {alone}");
    // The board has not stood still for that.
    let last = here.get(format!("{TOP}&fresh=true")).ok()["version"].clone();
    for server in &servers {
        eventually("the last board", || {
            (server.get(TOP).ok()["version"] == last).then_some(())
        });
    }
}
