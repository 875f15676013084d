//! A reader that polls sees complete boards, each no older than the one before.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use testkit::redis::{RedisServer, RedisWire};
use testkit::{Launch, Server, eventually};

use super::fixtures::{json_of, points, published, set_of};

const MEMBERS: usize = 200;

/// The minimum number of different boards that the reader must see.
const BOARDS_SEEN_MIN: usize = 20;

/// Adds a point to every member, in one batch to the single shard, so that all members have the
/// same points at any moment.
fn raise(server: &Server) {
    let item = |number| json!({"board": "k/a", "member": format!("m{number}"), "points": 1});
    let items: Vec<Value> = (0..MEMBERS).map(item).collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], MEMBERS);
}

/// Returns the points of all members, as published at one moment.
#[track_caller]
fn seen(wire: &mut RedisWire) -> i64 {
    wire.command(&["MULTI"]).ok();
    for words in [
        &["ZREVRANGE", "lb:a", "0", "-1", "WITHSCORES"][..],
        &["GET", "lb:a:json"],
        &["GET", "lb:a:version"],
    ] {
        assert_eq!(wire.command(words).text(), "QUEUED");
    }
    let replies = wire.command(&["EXEC"]);
    let [set, json, version] = replies.items() else {
        panic!("{replies:?}")
    };
    let set = set_of(set);
    assert_eq!(set.len(), MEMBERS);
    let (_, first) = set[0];
    assert!(set.iter().all(|(_, points)| *points == first), "{set:?}");
    let json = json_of(json).unwrap();
    assert_eq!(json["members"], MEMBERS);
    let mut listed = points(&json);
    listed.sort();
    listed.reverse();
    let mut set = set;
    set.sort();
    set.reverse();
    assert_eq!(listed, set);
    let version = version.text().split(' ').next().unwrap();
    assert_eq!(json["version"], version);
    first
}

#[test]
fn two_servers_publish_one_board() {
    let (store, target) = (RedisServer::plain(), RedisServer::plain());
    let kind = "windows = [\"all\"]\nshards = 1";
    let config = published(kind, &target.url(), "lb:{subject}", "every = \"100ms\"");
    let serve = || {
        let launch = Launch::on_a_free_port(&config);
        launch.args(&format!("--store {}", store.url())).start()
    };
    let servers = [serve(), serve()];
    raise(&servers[0]);
    eventually("a first board is published", || {
        let there = target.command(&["EXISTS", "lb:a:version"]);
        (there.integer() == 1).then_some(())
    });
    let is_over = AtomicBool::new(false);
    let (rounds, boards) = thread::scope(|scope| {
        let writers = servers.each_ref().map(|server| {
            let is_over = &is_over;
            scope.spawn(move || {
                let mut rounds = 0;
                while !is_over.load(Ordering::Relaxed) {
                    raise(server);
                    rounds += 1;
                }
                rounds
            })
        });
        let reader = scope.spawn(|| {
            let mut wire = target.connect();
            let (mut last, mut boards) = (0, 0);
            eventually("further boards are published", || {
                let points = seen(&mut wire);
                assert!(points >= last, "{points} after {last}");
                boards += usize::from(points > last);
                last = points;
                // Reads without a transaction never miss a key either.
                assert_ne!(wire.command(&["ZCARD", "lb:a"]).integer(), 0);
                (boards >= BOARDS_SEEN_MIN).then_some(boards)
            })
        });
        let boards = reader.join();
        is_over.store(true, Ordering::Relaxed);
        let rounds: i64 = writers.map(|writer| writer.join().unwrap()).iter().sum();
        (rounds, boards.unwrap())
    });
    println!("{boards} boards seen of {rounds}");
    // The last board is published, by either server.
    let mut wire = target.connect();
    eventually("the last board is published", || {
        (seen(&mut wire) == rounds + 1).then_some(())
    });
}
