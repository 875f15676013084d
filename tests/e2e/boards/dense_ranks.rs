//! Kinds with `rank = "dense"`: 1 1 2, on every store.

use serde_json::{Value, json};
use testkit::redis::RedisServer;
use testkit::{Launch, Server};

const CONFIG: &str = "[kinds.gifts]\nrank = \"dense\"\nwindows = [\"all\"]\n";
const MEMBERS: i64 = 900;

/// The points of a member: 300 distinct values, each of three members.
fn points(member: i64) -> i64 {
    member / 3
}

/// The rank and position of each member, best first.
fn ranked(removed: impl Fn(i64) -> bool) -> Vec<(i64, i64, String)> {
    let mut members: Vec<i64> = (0..MEMBERS).filter(|member| !removed(*member)).collect();
    members.sort_by_key(|member| (-points(*member), *member));
    let mut values: Vec<i64> = Vec::new();
    let rank = |(position, member): (i64, &i64)| {
        if values.last() != Some(&points(*member)) {
            values.push(points(*member));
        }
        (
            i64::try_from(values.len()).unwrap(),
            position,
            format!("m{member}"),
        )
    };
    (1..).zip(&members).map(rank).collect()
}

fn fill(server: &Server) {
    let item = |member: i64| {
        json!({"board": "gifts/a", "member": format!("m{member}"), "points": points(member),
               "at": 1_700_000_000_000_i64 + member})
    };
    let items: Vec<Value> = (0..MEMBERS).map(item).collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], MEMBERS);
}

fn path(rest: &str) -> String {
    format!("/v1/boards/gifts/a{rest}")
}

fn shown(entry: &Value) -> (i64, String) {
    let member = entry["member"].as_str().unwrap();
    (entry["rank"].as_i64().unwrap(), member.to_owned())
}

/// Compares every kind of read.
fn check(server: &Server, expected: &[(i64, i64, String)]) {
    let all: Vec<(i64, String)> = expected
        .iter()
        .map(|(rank, _, m)| (*rank, m.clone()))
        .collect();
    let entries = |rest: &str| -> Vec<(i64, String)> {
        server.get(path(rest)).entries().iter().map(shown).collect()
    };
    assert_eq!(entries("/top?n=50&fresh=true"), all[..50]);
    for from in [1, 2, 3, 299, 300, 500, all.len() - 10] {
        let to = from + 10;
        assert_eq!(
            entries(&format!("/range?from={from}&to={to}")),
            all[from - 1..to]
        );
    }
    let (low, high) = (points(100), points(200));
    let between: Vec<(i64, String)> = (0..all.len())
        .filter(|index| {
            let number: i64 = all[*index].1[1..].parse().unwrap();
            (low..=high).contains(&points(number))
        })
        .map(|index| all[index].clone())
        .collect();
    assert_eq!(
        entries(&format!("/range?min={low}&max={high}&limit=1000")),
        between
    );
    for index in [0, 1, 5, 301, 450, all.len() - 1] {
        let (rank, position, member) = &expected[index];
        let own = server.get(path(&format!("/members/{member}"))).ok();
        let both = (&own["rank"], &own["position"]);
        assert_eq!(both, (&json!(rank), &json!(position)), "{member}");
        let around = server.get(path(&format!("/members/{member}/around?above=2&below=2")));
        let first = index.saturating_sub(2);
        let last = (index + 3).min(all.len());
        let around: Vec<(i64, String)> = around.entries().iter().map(shown).collect();
        assert_eq!(around, all[first..last], "{member}");
    }
    let looked_up = json!({"members": [all[7].1, "nobody", all[600].1]});
    let looked_up = server.post(path("/lookup"), &looked_up).ok();
    let ranks: Vec<&Value> = looked_up["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["rank"])
        .collect();
    assert_eq!(ranks, [&json!(all[7].0), &Value::Null, &json!(all[600].0)]);
    for value in [1000, points(300), -1] {
        let distinct = |number: &String| points(number[1..].parse().unwrap());
        let mut values: Vec<i64> = all.iter().map(|(_, member)| distinct(member)).collect();
        values.dedup();
        let better = values.iter().filter(|held| **held > value).count();
        let rank = server.get(path(&format!("/rank?points={value}"))).ok();
        assert_eq!(rank["rank"], better + 1, "{value}");
    }
}

/// Checks a server before and after removals, hidden members and a restart.
fn check_all(server: Server, restart: impl Fn(Server) -> Server) {
    fill(&server);
    check(&server, &ranked(|_| false));
    // The whole groups of some values, and one or two members of others.
    let removed = |member: i64| member % 30 < 3 || member % 7 == 0;
    for member in (0..MEMBERS).filter(|member| removed(*member)) {
        server.delete(path(&format!("/members/m{member}"))).ok();
    }
    check(&server, &ranked(removed));
    let server = restart(server);
    check(&server, &ranked(removed));
    let hidden = |member: i64| (600..606).contains(&member) || member % 40 == 1;
    let names: Vec<String> = (0..MEMBERS)
        .filter(|member| hidden(*member))
        .map(|member| format!("m{member}"))
        .collect();
    for name in &names {
        let path = format!("/v1/members/{name}/hidden?kind=gifts");
        server.send("PUT", &path, &[], "").ok();
    }
    check(&server, &ranked(|member| removed(member) || hidden(member)));
    for name in &names {
        let path = format!("/v1/members/{name}/hidden?kind=gifts");
        server.send("DELETE", &path, &[], "").ok();
    }
    // All whose rank is more than 250.
    let below = |member: i64| {
        let all = ranked(removed);
        let rank = all
            .iter()
            .find(|(_, _, name)| *name == format!("m{member}"));
        rank.is_some_and(|(rank, _, _)| *rank > 250)
    };
    let count = (0..MEMBERS).filter(|member| below(*member)).count();
    let answer = server.delete(path("/members?below_rank=250")).ok();
    assert_eq!(answer["removed"], count);
    check(&server, &ranked(|member| removed(member) || below(member)));
}

#[test]
fn dense_ranks_in_memory() {
    let launch = Launch::on_a_free_port(&format!("{CONFIG}shards = 4\n")).args("--store memory:");
    check_all(launch.start(), |server| server);
}

#[test]
fn dense_ranks_in_a_folder_that_is_opened_again() {
    testkit::sampled!(dense_ranks_in_a_folder_that_is_opened_again);
    let server = Server::durable(&format!("{CONFIG}shards = 8\n"));
    check_all(server, |server| server.stop().start().kill().start());
}

#[test]
fn dense_ranks_on_redis() {
    testkit::sampled!(dense_ranks_on_redis);
    let redis = RedisServer::plain();
    let server = crate::redis::launch(&redis.url(), CONFIG).start();
    check_all(server, |server| server.stop().start());
    let keys = redis.command(&["KEYS", "megaboard:*:values"]);
    assert_eq!(keys.items().len(), 1);
    let values = redis.command(&["ZCARD", keys.items()[0].text()]);
    assert_eq!(values.integer(), 250);
}

#[test]
fn a_kind_that_was_put_again_before_the_first_contribution_has_the_same_ranks_after_a_kill() {
    let server = Server::durable("");
    let kind = |staleness: &str| json!({"rank": "dense", "windows": ["all"], "shards": 4, "max_staleness": staleness});
    server.put("/v1/kinds/k", &kind("1s")).is(201);
    server
        .put(
            "/v1/boards/k/r",
            &json!({"ends_at": "2100-01-01T00:00:00Z"}),
        )
        .ok();
    server.put("/v1/kinds/k", &kind("2s")).ok();
    let points = |n: i64, round: i64| 1 + (n * 7 + round * 31) % 200;
    for (round, members) in [(0, 2_000), (1, 1_500)] {
        let item = |n: i64| json!({"board": "k/r", "member": format!("u{n}"), "points": points(n, round), "set": true});
        let items: Vec<Value> = (0..members).map(item).collect();
        assert_eq!(server.contribute(&items.into()).ok()["applied"], members);
    }
    let ranks = |server: &Server| {
        let rank = |n: i64| server.get(format!("/v1/boards/k/r/members/u{n}")).ok()["rank"].clone();
        (0..2_000).step_by(97).map(rank).collect::<Vec<_>>()
    };
    let before = ranks(&server);
    let server = server.kill().start();
    assert_eq!(ranks(&server), before);
    let again = json!({"board": "k/r", "member": "u0", "points": 1_000, "set": true});
    assert_eq!(server.contribute(&again).ok()["applied"], 1);
    assert_eq!(ranks(&server)[0], 1);
    assert_eq!(ranks(&server)[1..], ranks(&server.kill().start())[1..]);
}
