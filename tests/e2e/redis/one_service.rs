//! Servers that share a store are one service: all know at once what was written through one.

use std::thread;

use serde_json::{Value, json};
use testkit::dice::{Dice, runs};
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};
use testkit::{Server, eventually};

use super::fixtures::serve;

/// Ids that are sent to both servers at the same time.
const IDS: usize = 500;

#[test]
fn on_one_redis() {
    let redis = RedisServer::plain();
    two_are_one_service(&redis.url(), [""; 2]);
}

#[test]
fn on_a_cluster() {
    let cluster = RedisCluster::start(3, 0, &RedisOptions::new());
    two_are_one_service(&cluster.url(), [""; 2]);
}

/// With these additional configurations.
pub(super) fn two_are_one_service(url: &str, configs: [&str; 2]) {
    let servers = configs.map(|config| serve(url, config));
    let [here, there] = &servers;
    writes_are_seen(here, there);
    kinds_are_known(here, there);
    a_deleted_board_is_another_board(here, there);
    ids_count_once(here, there);
}

fn fresh(server: &Server, board: &str) -> Vec<(u64, String, i64)> {
    let top = server.get(format!("/v1/boards/{board}/top?window=all&fresh=true"));
    top.ranked()
}

/// Asserts that each server shows what the other has applied, in all kinds of reads.
fn writes_are_seen<'a>(mut here: &'a Server, mut there: &'a Server) {
    let mut points = [0; 3];
    let mut dice = Dice::of_this_run();
    for round in 1..=runs(50, 1_000) {
        let number = dice.below(points.len());
        let member = format!("m{number}");
        points[number] += i64::from(round);
        here.give("gifts/seen", &[(&member, i64::from(round))]);
        let shown = fresh(there, "gifts/seen");
        let entry = shown.iter().find(|(_, name, _)| *name == member);
        let (rank, _, shown) = entry.expect("the member that was just written");
        assert_eq!(*shown, points[number]);
        let path = format!("/v1/boards/gifts/seen/members/{member}?window=all");
        let standing = there.get(path).ok();
        assert_eq!(standing["points"], points[number]);
        assert_eq!(standing["position"], *rank);
        (here, there) = (there, here);
    }
    here.delete("/v1/boards/gifts/seen/members/m0").ok();
    let left = fresh(there, "gifts/seen");
    assert!(left.iter().all(|(_, name, _)| name != "m0"), "{left:?}");
}

fn kinds_are_known(here: &Server, there: &Server) {
    here.put("/v1/kinds/likes", &json!({"shards": 2, "top": 10}))
        .is(201);
    there.give("likes/a", &[("u", 1)]);
    assert_eq!(there.get("/v1/kinds/likes").ok()["top"], 10);
    assert_eq!(fresh(here, "likes/a"), [(1, "u".to_owned(), 1)]);
    // The kind has boards, so none of the servers may change its meaning.
    let other = json!({"shards": 2, "top": 10, "ties": "member"});
    for server in [here, there] {
        let refused = server.put("/v1/kinds/likes", &other);
        assert_eq!(refused.status, 409, "{refused:?}");
    }
    there
        .put("/v1/kinds/likes", &json!({"shards": 2, "top": 20}))
        .ok();
    eventually("the change of the kind is seen", || {
        (here.get("/v1/kinds/likes").ok()["top"] == 20).then_some(())
    });
    there.delete("/v1/boards/likes/a").is_empty();
    there.delete("/v1/kinds/likes").is_empty();
    // If a server has not seen the deletion of the kind yet, it does not create boards of it
    // either.
    let item = json!({"board": "likes/a", "member": "u", "points": 1});
    let mut refused = here.contribute(&item);
    if refused.status == 503 {
        refused.problem(503, "unavailable", &["likes has just changed"]);
        refused = here.contribute(&item);
    }
    refused.problem(404, "unknown-kind", &["likes"]);
    let listed = there.get("/v1/kinds").body;
    assert!(!listed.contains("likes"), "{listed}");
}

fn a_deleted_board_is_another_board(here: &Server, there: &Server) {
    let path = "/v1/boards/gifts/gone/top?window=all&fresh=true";
    let incarnation = |server: &Server| {
        let version = server.get(path).ok()["version"]
            .as_str()
            .unwrap()
            .to_owned();
        version.split('.').next().unwrap().to_owned()
    };
    here.give("gifts/gone", &[("old", 1)]);
    let before = incarnation(there);
    assert_eq!(before, incarnation(here));
    here.delete("/v1/boards/gifts/gone").is_empty();
    assert_eq!(fresh(there, "gifts/gone"), []);
    // A server that still has the old incarnation cached writes to the new one.
    there.give("gifts/gone", &[("new", 2)]);
    for server in [here, there] {
        assert_eq!(fresh(server, "gifts/gone"), [(1, "new".to_owned(), 2)]);
        assert_ne!(incarnation(server), before);
        let old = server.get("/v1/boards/gifts/gone/members/old?window=all");
        assert_eq!(old.status, 404, "{old:?}");
    }
}

/// The same contributions are sent to both servers at once, in batches of different sizes.
fn ids_count_once(here: &Server, there: &Server) {
    let item = |number: usize| {
        json!({"board": "gifts/ids", "member": format!("m{}", number % 7), "points": 1,
               "id": format!("id-{number}")})
    };
    let items: Vec<Value> = (0..IDS).map(item).collect();
    let send = |server: &Server, batch: usize| {
        let receipts = items.chunks(batch).map(|items| {
            let receipt = server.contribute(&items.into()).ok();
            let count = |name: &str| receipt[name].as_u64().unwrap();
            [count("applied"), count("duplicates")]
        });
        receipts.fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
    };
    let counts = thread::scope(|scope| {
        let senders = [(here, 7), (there, 10)];
        let senders = senders.map(|(server, batch)| scope.spawn(move || send(server, batch)));
        senders.map(|sender| sender.join().unwrap())
    });
    let ids = IDS as u64;
    assert_eq!(counts[0][0] + counts[1][0], ids, "{counts:?}");
    assert_eq!(counts[0][1] + counts[1][1], ids, "{counts:?}");
    let shown = fresh(here, "gifts/ids");
    let sum: i64 = shown.iter().map(|(_, _, points)| points).sum();
    assert_eq!(sum.unsigned_abs(), ids);
    assert_eq!(fresh(there, "gifts/ids"), shown);
}
