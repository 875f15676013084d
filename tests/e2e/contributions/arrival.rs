//! Contributions without a time are in the order in which they arrived, on every store: equal standings in the order in
//! which they were reached, and of two values the later one stays.

use serde_json::{Value, json};
use testkit::dice::runs;
use testkit::redis::RedisServer;
use testkit::{Launch, Server, ndjson};

use crate::redis::{SCRIPT_FREE, serve};

const CONFIG: &str = r#"
    [kinds.gifts]
    windows = ["all"]
    [kinds.latest]
    mode = "latest"
    windows = ["all"]
    [kinds.last]
    fields = [{ name = "points", op = "last" }]
    windows = ["all"]
    "#;

/// Neither their order nor the opposite is that of their names.
const MEMBERS: [&str; 4] = ["zoe", "yan", "xi", "adam"];

/// Members with two values, one after the other.
fn pairs() -> usize {
    runs(20, 200)
}

/// The maximum number of members that contribute in requests of their own.
fn single_max() -> usize {
    runs(200, usize::MAX)
}

fn items(board: &str, members: &[String]) -> Vec<Value> {
    let item = |member: &String| json!({"board": board, "member": member, "points": 5});
    members.iter().map(item).collect()
}

fn check_equal_points(server: &Server) {
    // Also more than are written together, and in each shard.
    let many = (0..2_500).map(|number: u32| format!("m{}", number.wrapping_mul(2_654_435_761)));
    let few = MEMBERS.map(str::to_owned);
    for (name, members) in [("few", few.to_vec()), ("many", many.collect())] {
        let board = |way: &str| format!("gifts/{name}-{way}");
        let array = items(&board("array"), &members).into();
        assert_eq!(server.contribute(&array).ok()["applied"], members.len());
        let lines = ndjson(&items(&board("lines"), &members));
        assert_eq!(server.lines(&lines).ok()["applied"], members.len());
        let few = &members[..members.len().min(single_max())];
        for item in items(&board("single"), few) {
            server.contribute(&item).ok();
        }
        for member in few {
            let path = format!("/v1/boards/{}/members/{member}", board("put"));
            server.put(path, &json!({"points": 5})).ok();
        }
        for (way, members) in [
            ("array", &*members),
            ("lines", &members),
            ("single", few),
            ("put", few),
        ] {
            assert_eq!(order(server, &board(way)), members, "{way}");
        }
        // A further one would be behind all of them.
        let path = format!("/v1/boards/{}/rank", board("array"));
        let rank = server.post(path, &json!({"points": 5})).ok();
        assert_eq!(rank["position"], members.len() + 1);
    }
}

/// Returns the members of a board, best first.
fn order(server: &Server, board: &str) -> Vec<String> {
    let mut members = Vec::new();
    loop {
        let from = members.len() + 1;
        let path = format!("/v1/boards/{board}/range?from={from}&to={}", from + 999);
        let entries = server.get(path).entries();
        let names = entries.iter().map(|entry| entry["member"].as_str());
        members.extend(names.map(|name| name.unwrap().to_owned()));
        if entries.len() < 1_000 {
            return members;
        }
    }
}

/// Of two values of one member, one after the other, the second stays, although it is lower.
fn check_pairs(server: &Server) {
    for kind in ["latest", "last"] {
        let item = |way: &str, pair: usize, points: i64| json!({"board": format!("{kind}/{way}"), "member": format!("m{pair}"), "points": points});
        for pair in 0..pairs() {
            let [first, second] = [5, 3].map(|points| item("array", pair, points));
            server.contribute(&json!([first, second])).ok();
            let both = [5, 3].map(|points| item("lines", pair, points));
            server.lines(&ndjson(&both)).ok();
            for points in [5, 3] {
                server.contribute(&item("single", pair, points)).ok();
            }
        }
        for way in ["array", "lines", "single"] {
            let path = format!("/v1/boards/{kind}/{way}/range?from=1&to={}", pairs());
            let entries = server.get(path).entries();
            assert_eq!(entries.len(), pairs());
            let wrong = entries.iter().filter(|entry| entry["points"] != 3).count();
            assert_eq!(wrong, 0, "{kind}, {way}");
        }
    }
}

fn check(server: &Server) {
    check_equal_points(server);
    check_pairs(server);
}

#[test]
fn the_first_stays_first_in_memory() {
    let launch = Launch::on_a_free_port(CONFIG).args("--store memory:");
    check(&launch.start());
}

#[test]
fn the_first_stays_first_in_a_folder_that_is_killed() {
    let server = Server::durable(CONFIG);
    check(&server);
    let before = order(&server, "gifts/many-lines");
    let server = server.kill().start();
    assert_eq!(order(&server, "gifts/many-lines"), before);
}

#[test]
fn the_first_stays_first_on_redis() {
    let redis = RedisServer::plain();
    check(&serve(&redis.url(), CONFIG));
}

#[test]
fn the_first_stays_first_on_redis_without_scripts() {
    let redis = RedisServer::plain();
    let config = format!("[redis]\n{SCRIPT_FREE}{CONFIG}");
    check(&serve(&redis.url(), &config));
}
