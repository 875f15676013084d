//! The cost of tops, counted with a proxy: none from the cache, one round trip to all shards for a
//! merge, in calls of up to 32 shards, and one merge for all servers.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::dice::Dice;
use testkit::redis::{FaultProxy, Matching, RedisServer};
use testkit::{Server, eventually, ndjson};

use super::fixtures::serve;

const TOP: &str = "/v1/boards/k/a/top?n=1000";

/// Periodic calls of servers: other servers, expired boards, the kinds.
const PERIODIC: [&str; 7] = [
    "present", "take_due", "set_due", "dying", "kinds", "survey", "ping",
];

/// The maximum number of shards of one call.
const SHARDS_A_CALL: u64 = 32;

/// Readers of each server.
const READERS: usize = 2;

/// How long merges are counted.
const COUNTED: Duration = Duration::from_secs(2);

/// The `max_staleness` of the kind.
const STALENESS: Duration = Duration::from_millis(200);

/// Adds fewer than a million points to each of the first `members` members.
fn filled(server: &Server, members: usize) {
    let mut dice = Dice::of_this_run();
    apply(server, members, || dice.below(1_000_000));
}

fn apply(server: &Server, members: usize, mut points: impl FnMut() -> usize) {
    let item = |number| json!({"board": "k/a", "member": format!("m{number}"), "points": points()});
    let items: Vec<Value> = (0..members).map(item).collect();
    assert_eq!(server.lines(&ndjson(&items)).ok()["applied"], members);
}

/// Returns the number of calls by function, without the periodic ones.
fn calls(proxy: &FaultProxy) -> BTreeMap<String, u64> {
    let in_passing = |name: &str| {
        let mut others = PERIODIC.iter();
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
fn a_cached_top_makes_no_calls_to_redis() {
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
    // A fresh read merges: one call for all shards.
    let merged = reads(&proxy);
    server.get(format!("{TOP}&fresh=true")).ok();
    assert_eq!((merged, reads(&proxy)), (1, 2));
}

#[test]
fn a_merge_is_one_call_for_32_shards() {
    const SHARDS: u64 = 64;
    const MERGES: usize = 10;
    let redis = RedisServer::plain();
    let proxy = FaultProxy::before(&redis);
    let kind = format!("[kinds.k]\nwindows = [\"all\"]\nshards = {SHARDS}\n");
    let server = serve(proxy.url(), &kind);
    filled(&server, 20_000);
    // The top always has the same members, so no shard's share of it is a matter of chance: one that
    // has more of the top than was requested would be called again.
    apply(&server, 1_000, || 1_000_000_000);
    let merge = || {
        // The cached parts of no shard are still valid.
        filled(&server, 1_000);
        let before = reads(&proxy);
        let connections = proxy.connections_made();
        let entries = server.get(format!("{TOP}&fresh=true")).entries();
        assert_eq!(entries.len(), 1_000);
        // Calls that were lost with their connection are repeated and are not part of a merge.
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
    assert_eq!(merges.len(), MERGES, "no connection was lost");
    println!("calls of each merge: {merges:?}");
    assert_eq!(merges, [SHARDS / SHARDS_A_CALL; MERGES]);
}

#[test]
fn all_shards_are_called_concurrently() {
    const SHARDS: u64 = 64;
    let redis = RedisServer::plain();
    let proxy = FaultProxy::before(&redis);
    let config = format!(
        "[redis]\nread_deadline = \"30s\"\n\
         [kinds.k]\nwindows = [\"all\"]\nshards = {SHARDS}\n"
    );
    let server = serve(proxy.url(), &config);
    filled(&server, 1_000);
    // A new connection has few calls under way until it has answered some.
    server.get(format!("{TOP}&fresh=true")).ok();
    let (before, connections) = (reads(&proxy), proxy.connections_made());
    // Longer than the timeout of a connection that does not answer.
    let never = Duration::from_secs(20);
    proxy.delay_replies_of(&Matching::function("megaboard_read_"), never);
    thread::scope(|scope| {
        let top = scope.spawn(|| server.get(format!("{TOP}&fresh=true")));
        eventually("all shards have been called", || {
            (reads(&proxy) >= before + SHARDS / SHARDS_A_CALL).then_some(())
        });
        // None is called a second time yet.
        assert_eq!(proxy.connections_made(), connections);
        proxy.heal();
        proxy.end_connections();
        assert_eq!(top.join().unwrap().entries().len(), 1_000);
    });
}

/// Polls the tops of servers for a while, during writes.
fn polled(servers: &[&Server]) -> Duration {
    let begun = Instant::now();
    thread::scope(|scope| {
        for server in servers {
            for _ in 0..READERS {
                scope.spawn(move || {
                    while begun.elapsed() < COUNTED {
                        server.get(TOP).ok();
                        // Frequently enough that no merge is missed.
                        thread::sleep(STALENESS / 50);
                    }
                });
            }
        }
        while begun.elapsed() < COUNTED {
            // On every shard, so that a merge has changes of each.
            filled(servers[0], 200);
            thread::sleep(STALENESS / 10);
        }
    });
    begun.elapsed()
}

#[test]
fn several_servers_share_merges() {
    const SHARDS: u64 = 16;
    // A merge is one call.
    const { assert!(SHARDS <= SHARDS_A_CALL) };
    let redis = RedisServer::plain();
    let proxies = [(); 2].map(|()| FaultProxy::before(&redis));
    let kind = format!(
        "[kinds.k]\nwindows = [\"all\"]\nshards = {SHARDS}\nmax_staleness = \"{}ms\"\n",
        STALENESS.as_millis()
    );
    let servers = proxies.each_ref().map(|proxy| serve(proxy.url(), &kind));
    let [here, there] = &servers;
    filled(here, 2_000);
    eventually("the servers know each other", || {
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
    let merges = all_reads() - before;
    // A single server merges only when its cached top has become too old.
    let alone = took.as_millis() / STALENESS.as_millis() + 1;
    println!("{merges} merges in {took:?}; one server alone: at most {alone}");
    assert!(u128::from(merges) * 2 <= alone * 3, "{merges}, {alone}");
    // Nevertheless the board has changed all the time.
    let last = here.get(format!("{TOP}&fresh=true")).ok()["version"].clone();
    for server in &servers {
        eventually("the last board is shown", || {
            (server.get(TOP).ok()["version"] == last).then_some(())
        });
    }
}
