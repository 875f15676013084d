//! Many concurrent clients: nothing is lost or counted twice, and reads never go back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::json;
use testkit::Server;

const CLIENTS: i64 = 200;
const ROUNDS: i64 = 10;

#[test]
fn all_writes_of_two_hundred_concurrent_clients_count() {
    let server = Server::start();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let server = &server;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    // Each client also sends what another client sends, under one id.
                    let id = format!("{}-{round}", client / 2);
                    let items = json!([
                        {"board": "gifts/all", "member": "u", "points": 1},
                        {"board": "gifts/all", "member": format!("c{client}"), "points": round},
                        {"board": "gifts/once", "member": "u", "points": 1, "id": id},
                    ]);
                    let receipt = server.contribute(&items).ok();
                    let taken = receipt["applied"].as_u64().unwrap();
                    let known = receipt["duplicates"].as_u64().unwrap();
                    assert_eq!((taken + known, known < 2), (3, true), "{receipt}");
                }
            });
        }
    });
    let all = server
        .get("/v1/boards/gifts/all/top?window=all&fresh=true&n=1000")
        .ranked();
    assert_eq!(all[0], (1, "u".to_owned(), CLIENTS * ROUNDS));
    assert_eq!(all.len(), 201);
    let sum: i64 = (0..ROUNDS).sum();
    assert!(
        all[1..].iter().all(|(_, _, points)| *points == sum),
        "{all:?}"
    );
    let once = server
        .get("/v1/boards/gifts/once/members/u?window=all")
        .ok();
    assert_eq!(once["points"], CLIENTS / 2 * ROUNDS);
}

#[test]
fn reads_during_writes_are_ordered_and_never_go_back() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"1ms\"\n");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            let (server, done) = (&server, &done);
            scope.spawn(move || {
                let mut seen = 0;
                while !done.load(Ordering::Relaxed) {
                    let top = server.get("/v1/boards/gifts/a/top").ranked();
                    assert!(top.is_sorted_by(|a, b| a.0 < b.0 && a.2 >= b.2), "{top:?}");
                    let sum: i64 = top.iter().map(|(_, _, points)| points).sum();
                    assert!(sum >= seen, "{sum} after {seen}");
                    seen = sum;
                }
            });
        }
        for round in 0..300 {
            let member = format!("u{}", round % 20);
            server.give("gifts/a", &[(&member, 1), ("v", 1)]);
        }
        done.store(true, Ordering::Relaxed);
    });
    let sum: i64 = server
        .get("/v1/boards/gifts/a/top?fresh=true")
        .ranked()
        .iter()
        .map(|(_, _, points)| points)
        .sum();
    assert_eq!(sum, 600);
}

#[test]
fn writes_to_a_board_deleted_repeatedly_are_applied_or_reported() {
    let server = Server::start();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..100 {
                let response = server.delete("/v1/boards/gifts/a");
                assert!([204, 404].contains(&response.status), "{response:?}");
            }
            done.store(true, Ordering::Relaxed);
        });
        let mut number = 0_u64;
        while !done.load(Ordering::Relaxed) {
            number += 1;
            let item =
                json!({"board": "gifts/a", "member": format!("u{}", number % 50), "points": 1});
            let response = server.contribute(&item);
            assert!([200, 503].contains(&response.status), "{response:?}");
            let top = server.get("/v1/boards/gifts/a/top?window=all&fresh=true");
            assert!([200, 503].contains(&top.status), "{top:?}");
        }
    });
    server.give("gifts/a", &[("last", 1)]);
    assert!(server.order("gifts/a", "all").contains(&"last".to_owned()));
}
