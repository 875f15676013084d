//! Names that a Redis client could misinterpret, used concurrently: every response belongs to its
//! request.

use std::thread;

use serde_json::{Value, json};
use testkit::dice::{Dice, runs};
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};
use testkit::{Server, encoded};

use super::fixtures::serve;

const KIND: &str = "[kinds.k]\nwindows = [\"all\"]\nshards = 4\n";

const READERS: usize = 8;

fn names() -> Vec<String> {
    let names = [
        "subscribe",
        "message",
        "pmessage",
        "unsubscribe",
        "invalidate",
        "MOVED 1 h:1",
        "MOVED 1 127.0.0.1:1",
        "ASK 1 h:1",
        "-ERR x",
        "-MOVED 1 h:1",
        "+OK",
        "$-1",
        "*3",
        "NOAUTH x",
        "a b",
        "{x}",
        "}{",
        "{}",
        "{registry}",
        ":meta",
        "x:0:all:rank",
        "שלום {a} 1",
        "مرحبا",
        "👩‍👩‍👧",
        "nil",
        "0",
        "%s",
    ];
    let names = names.into_iter().map(str::to_owned);
    let long = ["x".repeat(128), "é".repeat(64)];
    names.chain(long).collect()
}

/// Returns the members of a board, worst first: no two boards have the same order or points.
fn members(names: &[String], board: usize) -> Vec<(String, i64)> {
    let turned = (0..names.len()).map(|index| &names[(index + board) % names.len()]);
    let points = (1..).map(|position| position + 1_000 * i64::try_from(board).unwrap());
    turned.cloned().zip(points).collect()
}

fn write(server: &Server, names: &[String], board: usize) {
    let items: Vec<Value> = members(names, board)
        .into_iter()
        .map(|(member, points)| {
            json!({"board": format!("k/{}", names[board]), "member": member, "points": points})
        })
        .collect();
    let (one, rest) = items.split_first().unwrap();
    assert_eq!(server.contribute(one).ok()["applied"], 1);
    assert_eq!(server.contribute(&rest.into()).ok()["applied"], rest.len());
}

/// Sends a random read of a board, and checks the response.
fn ask(server: &Server, names: &[String], board: usize, dice: &mut Dice) {
    let members = members(names, board);
    let name = format!("k/{}", names[board]);
    let path = format!("/v1/boards/k/{}", encoded(&names[board]));
    let at = dice.below(members.len());
    let (member, points) = &members[at];
    let position = u64::try_from(members.len() - at).unwrap();
    let expected = |from: usize, to: usize| {
        let ranked = members.iter().rev().enumerate();
        let ranked = ranked.map(|(index, (member, points))| {
            (u64::try_from(index + 1).unwrap(), member.clone(), *points)
        });
        ranked.take(to).skip(from).collect::<Vec<_>>()
    };
    match dice.below(5) {
        0 => {
            let n = 1 + dice.below(members.len());
            let top = server.get(format!("{path}/top?fresh=true&n={n}"));
            assert_eq!(top.ok()["board"], name);
            assert_eq!(top.ranked(), expected(0, n));
        }
        1 => {
            let index = members.len() - at - 1;
            let around = format!("members/{}/around?above=2&below=2", encoded(member));
            let around = server.get(format!("{path}/{around}")).ranked();
            assert_eq!(around, expected(index.saturating_sub(2), index + 3));
        }
        2 => {
            let asked: Vec<&String> = members.iter().map(|(member, _)| member).collect();
            let found = server.post(format!("{path}/lookup"), &json!({"members": asked}));
            let found = found.ranked();
            let found: Vec<_> = found
                .into_iter()
                .map(|(_, member, points)| (member, points))
                .collect();
            assert_eq!(found, members);
        }
        3 => {
            let shown = server
                .get(format!("{path}/members/{}", encoded(member)))
                .ok();
            assert_eq!(shown["member"], json!(member), "{shown}");
            assert_eq!(shown["points"], json!(points), "{shown}");
            assert_eq!(shown["position"], json!(position), "{shown}");
        }
        _ => {
            let same = json!({"board": name, "member": member, "points": 0});
            let path = "/v1/contributions?return=standings";
            let receipt = server.post(path, &same).ok();
            let standing = &receipt["standings"][0];
            assert_eq!(standing["board"], json!(name), "{receipt}");
            assert_eq!(standing["member"], json!(member), "{receipt}");
            assert_eq!(standing["windows"][0]["points"], json!(points), "{receipt}");
        }
    }
}

/// With this additional configuration.
pub(super) fn every_response_belongs_to_its_request(store: &str, config: &str) {
    let server = &serve(store, &format!("{config}{KIND}"));
    let names = &names()[..];
    let mut dice = Dice::of_this_run();
    thread::scope(|scope| {
        let boards: Vec<usize> = (0..names.len()).collect();
        for boards in boards.chunks(names.len().div_ceil(READERS)) {
            let boards = boards.to_vec();
            scope.spawn(move || boards.iter().for_each(|board| write(server, names, *board)));
        }
    });
    thread::scope(|scope| {
        for _ in 0..READERS {
            let mut dice = dice.split();
            scope.spawn(move || {
                for _ in 0..runs(150, 5_000) {
                    ask(server, names, dice.below(names.len()), &mut dice);
                }
            });
        }
    });
    let boards = server.get("/v1/boards?kind=k&limit=1000").ok();
    let mut subjects: Vec<String> = names.iter().map(|name| format!("k/{name}")).collect();
    subjects.sort_unstable();
    let listed = boards["boards"].as_array().unwrap().iter();
    let listed: Vec<&str> = listed
        .map(|board| board["board"].as_str().unwrap())
        .collect();
    assert_eq!(listed, subjects);
}

#[test]
fn on_one_server_every_response_belongs_to_its_request() {
    let redis = RedisServer::plain();
    every_response_belongs_to_its_request(&redis.url(), "");
}

#[test]
fn on_a_cluster_every_response_belongs_to_its_request() {
    let cluster = RedisCluster::start(3, 0, &RedisOptions::new());
    every_response_belongs_to_its_request(&cluster.url(), "");
}
