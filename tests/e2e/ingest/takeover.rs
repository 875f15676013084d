//! Several processes share the partitions; if one ends, the others take over.

use testkit::dice::Dice;
use testkit::redis::RedisServer;
use testkit::{Server, eventually};

use super::{KIND, PARTITIONS, audit, ends_well, ingest, produce, reaches, settled};

/// Contributions per write, so that a process is killed with some of them under way.
const BATCH: usize = 500;
const MEMBERS: usize = 700;

fn drawn(dice: &mut Dice) -> Vec<u64> {
    (0..BATCH).map(|_| dice.below(MEMBERS) as u64).collect()
}

#[test]
fn everything_counts_once_if_one_of_two_processes_is_killed() {
    let mut dice = Dice::of_this_run();
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    let first = ingest(&redis, server.url(), &[]);
    let mut second = ingest(&redis, server.url(), &[]);
    for process in [&first, &second] {
        eventually("each process has half of the partitions", || {
            let part = format!("reads {} of {PARTITIONS} partitions", PARTITIONS / 2);
            process.stderr().contains(&part).then_some(())
        });
    }
    let mut produced = Vec::new();
    for round in 0..60 {
        let batch = drawn(&mut dice);
        produce(&redis, &batch);
        produced.extend(batch);
        if round == 20 {
            reaches(&server, 5_000);
            second.signal("KILL");
            second.ended();
        }
    }
    reaches(&server, i64::try_from(produced.len()).unwrap());
    settled(&redis);
    audit(&server, &produced);
    let all = format!("reads {PARTITIONS} of {PARTITIONS} partitions");
    assert!(first.stderr().contains(&all), "{}", first.stderr());
    let summary = ends_well(first);
    assert!(summary.contains("rejected 0"), "{summary}");
}

#[test]
fn a_stopped_process_releases_its_partitions_at_once() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    let first = ingest(&redis, server.url(), &[]);
    let second = ingest(&redis, server.url(), &[]);
    eventually("both processes have partitions", || {
        let has = |stderr: String| stderr.contains("reads 8 of 16");
        (has(first.stderr()) && has(second.stderr())).then_some(())
    });
    produce(&redis, &[1, 2, 3, 4]);
    reaches(&server, 4);
    ends_well(first);
    let leases = redis.command(&["KEYS", "*:lease:*"]);
    assert!(leases.items().len() <= 16);
    produce(&redis, &(0..64).collect::<Vec<u64>>());
    reaches(&server, 68);
    ends_well(second);
    // Only the streams and their groups are left in Redis.
    let left = redis.command(&["KEYS", "*"]);
    assert_eq!(left.items().len(), 16, "{left:?}");
    for partition in 0..PARTITIONS {
        let stream = super::stream(partition);
        let consumers = redis.command(&["XINFO", "CONSUMERS", &stream, super::GROUP]);
        assert!(consumers.items().is_empty(), "{consumers:?}");
    }
}

#[test]
fn a_paused_process_loses_its_partitions_and_counts_nothing_twice() {
    let mut dice = Dice::of_this_run();
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    let hanging = ingest(&redis, server.url(), &[]);
    let mut produced = drawn(&mut dice);
    produce(&redis, &produced);
    reaches(&server, 1);
    hanging.signal("STOP");
    let other = ingest(&redis, server.url(), &[]);
    let batch = drawn(&mut dice);
    produce(&redis, &batch);
    produced.extend(batch);
    reaches(&server, i64::try_from(produced.len()).unwrap());
    hanging.signal("CONT");
    let batch = drawn(&mut dice);
    produce(&redis, &batch);
    produced.extend(batch);
    reaches(&server, i64::try_from(produced.len()).unwrap());
    settled(&redis);
    audit(&server, &produced);
    ends_well(hanging);
    ends_well(other);
}
