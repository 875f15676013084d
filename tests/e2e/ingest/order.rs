//! Contributions of a member act in the order in which they were added.

use serde_json::json;
use testkit::Server;
use testkit::redis::RedisServer;

use super::{KIND, add_json, ends_well, eventually, ingest, points, produce, reaches, settled};

#[test]
fn sets_act_in_order_across_a_change_of_process() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    let first = ingest(&redis, server.url(), &[]);
    let mut killed = ingest(&redis, server.url(), &[]);
    eventually("both entries are read", || {
        let has = |stderr: String| stderr.contains("reads 8 of 16");
        (has(first.stderr()) && has(killed.stderr())).then_some(())
    });
    for round in 0..300 {
        for member in 0..16 {
            let set = json!({"board": "k/a", "member": format!("s{member}"), "points": round,
                "set": true});
            add_json(&redis, member, &set);
        }
        if round == 100 {
            killed.signal("KILL");
            killed.ended();
        }
    }
    eventually("the last set of each member", || {
        let points = points(&server);
        (points.len() == 16 && points.values().all(|points| *points == 299)).then_some(())
    });
    settled(&redis);
    assert!(points(&server).values().all(|points| *points == 299));
    ends_well(first);
}

#[test]
fn entries_under_way_at_a_stop_are_finished_or_left_to_the_next_process() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    let members: Vec<u64> = (0..40_000).map(|n| n % 900).collect();
    produce(&redis, &members);
    let first = ingest(&redis, server.url(), &[]);
    reaches(&server, 1);
    ends_well(first);
    let second = ingest(&redis, server.url(), &[]);
    reaches(&server, 40_000);
    settled(&redis);
    super::audit(&server, &members);
    ends_well(second);
}
