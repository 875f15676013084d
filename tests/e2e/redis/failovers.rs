//! A primary is killed under load and a replica takes over: writes continue soon after, and what
//! replicas had confirmed is there.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::dice::Dice;
use testkit::redis::{RedisCluster, RedisOptions, RedisSentinels, RedisServer};
use testkit::{Server, eventually};

use super::fixtures::{serve, slots};
use crate::audit::{KIND, LIGHT, Ledger, Load, Tally, Versions, under_load};

/// A kind with one shard, whose primary is killed.
const PROBE: &str = "[kinds.probe]\nwindows = [\"all\"]\nshards = 1\n";

const ACKS: &str = "[redis]\nacks = 1\n";

/// The maximum time from a failover to the first applied write on the shard.
const LAG_MAX: Duration = Duration::from_secs(3);

/// How long a primary runs without its replica.
const ALONE: Duration = Duration::from_millis(200);

/// If contributions are lost, only ids reveal which.
const WITH_IDS: Load = Load {
    own_members: 0,
    ..LIGHT
};

/// Returns the time from the failover to the first applied write.
fn lag(server: &Server, kill: impl FnOnce(), is_over: impl Fn() -> bool) -> Duration {
    kill();
    let killed = Instant::now();
    thread::scope(|scope| {
        let applied = scope.spawn(move || {
            let item = json!({"board": "probe/b", "member": "u", "points": 1});
            eventually("a write is applied", || {
                (server.contribute(&item).status == 200).then(Instant::now)
            })
        });
        let over = eventually("the failover is over", || is_over().then(Instant::now));
        let applied = applied.join().unwrap();
        let lag = applied.saturating_duration_since(over);
        println!(
            "failover: {:?}; until the next write: {lag:?} more",
            over - killed
        );
        assert!(lag <= LAG_MAX, "{lag:?}");
        lag
    })
}

/// Kills the primary of the probe's shard under load, and audits the result. Returns the number of
/// lost contributions.
fn fail_over(
    server: &Server,
    load: Load,
    loses: bool,
    kill: impl FnOnce(&Tally),
    is_over: impl Fn() -> bool,
) -> usize {
    let mut dice = Dice::of_this_run();
    let mut ledger = Ledger::begin(server);
    let tally = Tally::default();
    let work = under_load(server, (0, load), &mut dice, &tally, || {
        tally.wait_for_responses(50);
        if loses {
            tally.expect_losses();
        }
        lag(server, || kill(&tally), is_over);
        tally.wait_for_responses(20);
    });
    tally.print();
    // Lost content and its replacement can have the same counter, but not the same epoch.
    Versions::default().add(work.shown);
    let lost = if loses {
        ledger.settle_losses(server, work.sent)
    } else {
        ledger.settle(server, work.sent);
        0
    };
    println!("{lost} contributions that were answered as applied are lost");
    ledger.assert_all_remembered(server);
    lost
}

/// Makes a primary run without its replica, which is paused and disconnected, before it is killed.
fn kill_alone(primary: &RedisServer, replica: &RedisServer, meanwhile: impl FnOnce()) {
    replica.pause();
    let cut = primary.command(&["CLIENT", "KILL", "TYPE", "replica"]);
    assert_eq!(cut.integer(), 1);
    meanwhile();
    primary.kill();
    replica.resume();
}

fn on_a_cluster(config: &str, load: Load, loses: bool) {
    let cluster = RedisCluster::start(3, 1, &RedisOptions::new());
    let server = serve(&cluster.url(), &format!("{config}{KIND}{PROBE}"));
    server.give("probe/b", &[("u", 1)]);
    let primaries = cluster.primaries();
    let mut slots = primaries.iter().flat_map(|node| slots(node, ":probe/b:"));
    let slot = slots.next().unwrap();
    let primary = cluster.primary_of(slot);
    let replica = cluster.replicas_of(&primary).remove(0);
    let lost = fail_over(
        &server,
        load,
        loses,
        |tally| {
            kill_alone(&primary, &replica, || {
                if loses {
                    tally.wait_for_responses(20);
                } else {
                    // Writes are under way that no replica will have; none is answered.
                    thread::sleep(ALONE);
                }
            });
        },
        || {
            let next = cluster.primary_of(slot);
            let is_over = next.port() != primary.port();
            // If writes need a replica, there must be one again.
            if is_over && config == ACKS && !primary.is_running() {
                primary.start();
            }
            is_over && (config != ACKS || primary.is_linked())
        },
    );
    assert_eq!(lost > 0, loses);
}

fn on_sentinels(replicas: usize, config: &str, load: Load, loses: bool) {
    let sentinels = RedisSentinels::start(replicas, &RedisOptions::new());
    let server = serve(&sentinels.url(), &format!("{config}{KIND}{PROBE}"));
    server.give("probe/b", &[("u", 1)]);
    let primary = sentinels.primary();
    fail_over(
        &server,
        load,
        loses,
        |_| primary.kill(),
        || {
            let next = sentinels.primary();
            next.port() != primary.port() && next.is_primary()
        },
    );
}

#[test]
fn a_cluster_with_a_lagging_replica_loses_only_what_it_lacks() {
    on_a_cluster("", WITH_IDS, true);
}

#[test]
fn a_cluster_loses_nothing_confirmed_by_a_replica() {
    on_a_cluster(ACKS, LIGHT, false);
}

#[test]
fn with_sentinels_everything_counts_once_after_a_failover() {
    on_sentinels(1, "", WITH_IDS, true);
}

#[test]
fn with_sentinels_nothing_confirmed_by_a_replica_is_lost() {
    on_sentinels(2, ACKS, LIGHT, false);
}
