//! A version identifies one content on all servers, and no server shows an earlier version again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};
use testkit::Server;
use testkit::dice::{Dice, runs};
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};

use super::fixtures::serve;

/// Merges are frequent, so that many are shared.
const KINDS: &str = "[kinds.k]\nwindows = [\"all\"]\nshards = 4\nmax_staleness = \"20ms\"\n\
                     [kinds.c]\nwindows = [\"all\"]\nshards = 2\nrank = \"competition\"\n\
                     max_staleness = \"20ms\"\n";

/// Boards written and read by all servers.
const BOARDS: [&str; 2] = ["k/a", "c/a"];

const SERVERS: usize = 2;

/// Readers of each server.
const READERS: usize = 2;

const WRITERS: usize = 2;

/// What was shown: the number of members, and the best entries.
type Shown = (Value, Vec<Value>);

#[test]
fn on_one_redis() {
    let redis = RedisServer::plain();
    versions_agree(&redis.url());
}

#[test]
fn on_a_cluster() {
    let cluster = RedisCluster::start(3, 0, &RedisOptions::new());
    versions_agree(&cluster.url());
}

fn versions_agree(url: &str) {
    let servers = [(); SERVERS].map(|()| serve(url, KINDS));
    let mut dice = Dice::of_this_run();
    let writing = AtomicUsize::new(WRITERS);
    let seen = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (mut dice, server) = (dice.split(), &servers[writer % SERVERS]);
            let writing = &writing;
            scope.spawn(move || {
                let _done = Done(writing);
                write(server, &mut dice);
            });
        }
        let readers = (0..SERVERS * READERS).map(|reader| {
            let (mut dice, server) = (dice.split(), &servers[reader % SERVERS]);
            let writing = &writing;
            scope.spawn(move || read(server, &mut dice, writing))
        });
        let readers: Vec<_> = readers.collect();
        let seen = readers.into_iter().map(|reader| reader.join().unwrap());
        seen.collect::<Vec<_>>()
    });
    let mut boards: HashMap<(&str, &str), (usize, &Shown)> = HashMap::new();
    let mut agreed = 0;
    for (reader, seen) in seen.iter().enumerate() {
        for ((board, version), shown) in seen {
            let known = boards.entry((board, version)).or_insert((reader, shown));
            let shorter = known.1.1.len().min(shown.1.len());
            assert_eq!(known.1.0, shown.0, "{board} {version}");
            assert_eq!(
                known.1.1[..shorter],
                shown.1[..shorter],
                "{board} {version} is two boards"
            );
            agreed += usize::from(known.0 % SERVERS != reader % SERVERS);
        }
    }
    println!(
        "{} versions, {agreed} times on another server",
        boards.len()
    );
    // At least the last version of each board was seen by all.
    assert!(agreed >= BOARDS.len(), "{agreed}");
}

/// Decrements the count on drop, also after a failure.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn write(server: &Server, dice: &mut Dice) {
    for _ in 0..runs(150, 5_000) {
        let items = (0..=dice.below(4)).map(|_| {
            json!({"board": BOARDS[dice.below(BOARDS.len())],
                   "member": format!("m{}", dice.below(30)), "points": dice.below(5)})
        });
        let items: Vec<Value> = items.collect();
        server.contribute(&items.into()).ok();
        if dice.below(20) == 0 {
            let member = dice.below(30);
            let path = format!("/v1/boards/{}/members/m{member}", BOARDS[0]);
            let gone = server.delete(&path);
            assert_eq!(gone.status, 200, "{gone:?}");
        }
    }
}

/// Reads tops until the writers are done, and then each board once more.
fn read(
    server: &Server,
    dice: &mut Dice,
    writing: &AtomicUsize,
) -> HashMap<(String, String), Shown> {
    let mut seen = HashMap::new();
    let mut last = HashMap::new();
    loop {
        let is_last = writing.load(Ordering::Relaxed) == 0;
        for board in BOARDS {
            let n = if is_last { 100 } else { 1 + dice.below(40) };
            let fresh = is_last || dice.below(3) == 0;
            let top = server.get(format!("/v1/boards/{board}/top?n={n}&fresh={fresh}"));
            let top = top.ok();
            let version = top["version"].as_str().unwrap().to_owned();
            let count = changes(&version);
            let before = last.insert(board, count).unwrap_or(0);
            assert!(
                before <= count,
                "{board} went back from {before} to {version}"
            );
            let entries = top["entries"].as_array().unwrap().clone();
            let shown = (top["members"].clone(), entries);
            let longest = seen
                .entry((board.to_owned(), version.clone()))
                .or_insert_with(|| shown.clone());
            let shorter = longest.1.len().min(shown.1.len());
            assert_eq!(longest.0, shown.0, "{board} {version}");
            assert_eq!(
                longest.1[..shorter],
                shown.1[..shorter],
                "{board} {version} is two boards"
            );
            if shorter < shown.1.len() {
                *longest = shown;
            }
        }
        if is_last {
            return seen;
        }
    }
}

/// Returns the number of changes in a version.
fn changes(version: &str) -> u64 {
    let count = version.split('.').nth(2);
    count.map_or(0, |count| count.parse().unwrap())
}
