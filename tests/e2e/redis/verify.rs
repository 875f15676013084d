//! `megaboard verify` on Redis: damaged keys are reported and, if requested, repaired; running
//! writers cause no reports.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use testkit::Server;
use testkit::cli::{self, Run};
use testkit::dice::Dice;
use testkit::redis::{RedisServer, Reply};

use super::fixtures::{keys, serve};

const KIND: &str = "[kinds.k]\nwindows = [\"all\"]\nshards = 4\n";

const MEMBERS: usize = 300;

fn filled(redis: &RedisServer) -> Server {
    let server = serve(&redis.url(), KIND);
    let item = |number| json!({"board": "k/a", "member": format!("m{number}"), "points": number});
    let items: Vec<Value> = (1..=MEMBERS).map(item).collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], MEMBERS);
    server
}

fn verify(redis: &RedisServer, flags: &[&str]) -> Run {
    let url = redis.url();
    cli::run(&[&["verify", "--store", &url], flags].concat(), b"")
}

#[track_caller]
fn assert_clean(redis: &RedisServer, standings: usize) {
    let run = verify(redis, &[]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let counted = format!("1 boards, {standings} standings, 0 disagreements\n");
    assert_eq!(run.stdout, counted);
}

/// Returns the key of this type of the shard that has the score of a member.
fn key_of(redis: &RedisServer, member: &str, sort: &str) -> String {
    let mut scores = keys(redis, ":all:scores").into_iter();
    let is_there = |key: &String| redis.command(&["HEXISTS", key, member]).integer() == 1;
    let scores = scores.find(is_there).expect("the member has a score");
    scores.replace(":scores", &format!(":{sort}"))
}

/// Returns the sorted set that ranks a member, and the member's element in it.
fn entry_of(redis: &RedisServer, member: &str) -> (String, Vec<u8>) {
    let key = key_of(redis, member, "rank");
    let range = redis.command(&["ZRANGE", &key, "0", "-1"]);
    let entries = range.items().iter().map(|entry| match entry {
        Reply::Bulk(bytes) => bytes.clone(),
        other => panic!("{other:?}"),
    });
    // Behind the eight bytes of the time.
    let mut found = entries.filter(|entry| &entry[8..] == member.as_bytes());
    (key, found.next().expect("the member is ranked"))
}

fn zadd(redis: &RedisServer, key: &str, score: &str, entry: &[u8]) {
    redis.command(&[b"ZADD", key.as_bytes(), score.as_bytes(), entry]);
}

fn zrem(redis: &RedisServer, member: &str) {
    let (key, entry) = entry_of(redis, member);
    let gone = redis.command(&[b"ZREM", key.as_bytes(), &entry]);
    assert_eq!(gone.integer(), 1);
}

/// Asserts that the damage is reported and repaired, and that a further run is clean.
#[track_caller]
fn assert_reported_and_repaired(redis: &RedisServer, expected: &str, standings: usize) {
    let run = verify(redis, &[]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stderr.contains(expected), "{expected:?}: {run:?}");
    assert!(run.stderr.contains("k/a all"), "{run:?}");
    assert!(!run.stdout.contains(" 0 disagreements"), "{run:?}");
    let run = verify(redis, &["--repair"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.contains("(repaired)"), "{run:?}");
    let [found, repaired] = ["disagreements", "repaired"].map(|what| {
        let words: Vec<&str> = run.stdout.split([' ', ',', '\n']).collect();
        let index = words.iter().position(|word| *word == what).unwrap();
        words[index - 1].parse::<usize>().unwrap()
    });
    assert!(found > 0 && found == repaired, "{run:?}");
    assert_clean(redis, standings);
}

#[test]
fn damage_is_reported_and_repaired() {
    let redis = RedisServer::plain();
    let server = filled(&redis);
    assert_clean(&redis, MEMBERS);
    let before = server.order("k/a", "all");

    zrem(&redis, "m7");
    assert_reported_and_repaired(&redis, "member m7: has a score and is not ranked", MEMBERS);

    let (key, entry) = entry_of(&redis, "m8");
    zadd(&redis, &key, "1000", &entry);
    assert_reported_and_repaired(&redis, "member m8: is ranked by another score", MEMBERS);

    let (key, entry) = entry_of(&redis, "m9");
    let ghost = [&entry[..8], b"ghost"].concat();
    zadd(&redis, &key, "1000", &ghost);
    assert_reported_and_repaired(&redis, "member ghost: is ranked without a score", MEMBERS);

    let key = key_of(&redis, "m10", "rank");
    assert_eq!(redis.command(&["DEL", &key]).integer(), 1);
    assert_reported_and_repaired(&redis, "k/a all", MEMBERS);
    assert_eq!(server.order("k/a", "all"), before);

    // The score is authoritative: a member without one is not ranked.
    let key = key_of(&redis, "m11", "scores");
    assert_eq!(redis.command(&["HDEL", &key, "m11"]).integer(), 1);
    assert_reported_and_repaired(&redis, "member m11: is ranked without", MEMBERS - 1);
    let left = before.into_iter().filter(|member| member != "m11");
    assert_eq!(server.order("k/a", "all"), left.collect::<Vec<_>>());
}

#[test]
fn keys_of_a_board_missing_from_the_registry_are_reported_and_kept() {
    let redis = RedisServer::plain();
    let server = filled(&redis);
    server.give("k/b", &[("u", 1)]);
    server.delete("/v1/boards/k/b").is_empty();
    assert_clean(&redis, MEMBERS);
    // As after a failover to a replica that did not have the board yet.
    let lost = redis.command(&["HDEL", "megaboard:{registry}:boards:k", "a"]);
    assert_eq!(lost.integer(), 1);
    redis.command(&["ZREM", "megaboard:{registry}:subjects:k", "a"]);
    let of_board = keys(&redis, "k/a");
    for flags in [&[][..], &["--repair"]] {
        let run = verify(&redis, flags);
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(run.stderr.contains("k/a: "), "{run:?}");
        let counted = format!(", {} orphaned keys\n", of_board.len());
        assert!(run.stdout.ends_with(&counted), "{counted}: {run:?}");
    }
    assert_eq!(keys(&redis, "k/a"), of_board);
}

#[test]
fn running_writers_are_not_reported_as_damage() {
    const RUNS: usize = 3;
    let redis = RedisServer::plain();
    let server = filled(&redis);
    let mut dice = Dice::of_this_run();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let (server, ended) = (&server, &ended);
        let writers = [dice.split(), dice.split()].map(|mut dice| {
            scope.spawn(move || {
                let mut written = 0;
                while !ended.load(Ordering::Relaxed) {
                    let item = |_| {
                        json!({"board": "k/a", "member": format!("m{}", dice.below(2 * MEMBERS)),
                               "points": dice.below(100)})
                    };
                    let items: Vec<Value> = (0..20).map(item).collect();
                    server.contribute(&items.into()).ok();
                    let member = dice.below(2 * MEMBERS);
                    server.delete(format!("/v1/boards/k/a/members/m{member}"));
                    written += 1;
                }
                written
            })
        });
        let runs = [(); RUNS].map(|()| verify(&redis, &[]));
        ended.store(true, Ordering::Relaxed);
        let written: usize = writers.map(|writer| writer.join().unwrap()).iter().sum();
        println!("{written} batches meanwhile");
        assert!(written > 0);
        for run in runs {
            assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
            assert!(run.stdout.ends_with(" 0 disagreements\n"), "{run:?}");
        }
    });
    let run = verify(&redis, &["--repair"]);
    assert!(
        run.stdout.ends_with(" 0 disagreements, 0 repaired\n"),
        "{run:?}"
    );
}
