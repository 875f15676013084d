//! Removals: of one member, of many by points and ranks, from all windows and from one, in contributions.

use serde_json::{Value, json};
use testkit::Server;
use testkit::clock::{DAY_MS, now_ms};

const KINDS: &str = "[kinds.gifts]\nwindows = [\"all\", \"day\"]\nshards = 4\n\
    [kinds.laps]\nwindows = [\"all\"]\nrank = \"competition\"\nties = \"member\"\n";

const MEMBERS: &str = "/v1/boards/gifts/a/members";

/// Returns a server with members m1 to m600 with as many points.
fn filled() -> Server {
    let server = Server::durable(KINDS);
    let items: Vec<Value> = (1..=600)
        .map(|n| json!({"board": "gifts/a", "member": format!("m{n}"), "points": n}))
        .collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], 600);
    server
}

fn members(server: &Server, board: &str, window: &str) -> u64 {
    let top = server.get(format!(
        "/v1/boards/{board}/top?n=1&fresh=true&window={window}"
    ));
    top.ok()["members"].as_u64().unwrap()
}

#[test]
fn members_are_removed_by_points_and_by_rank() {
    let server = filled();
    let removed = |query: &str| server.delete(format!("{MEMBERS}?{query}")).ok();
    assert_eq!(
        removed("min=301&max=600"),
        json!({"removed": 300, "window": "all", "more": false})
    );
    assert_eq!(
        removed("min=301"),
        json!({"removed": 0, "window": "all", "more": false})
    );
    assert_eq!(
        removed("below_rank=280"),
        json!({"removed": 20, "window": "all", "more": false})
    );
    assert_eq!(
        removed("max=30"),
        json!({"removed": 10, "window": "all", "more": false})
    );
    for window in ["all", "day"] {
        assert_eq!(members(&server, "gifts/a", window), 270, "{window}");
        let path = format!("/v1/boards/gifts/a/range?from=1&to=1000&window={window}");
        let expected = (31..=300).rev().zip(1..);
        let expected = expected.map(|(points, rank)| (rank, format!("m{points}"), points));
        assert_eq!(server.get(path).ranked(), expected.collect::<Vec<_>>());
    }
    assert_eq!(
        removed("below_rank=0"),
        json!({"removed": 270, "window": "all", "more": false})
    );
    assert_eq!(members(&server, "gifts/a", "all"), 0);
}

#[test]
fn members_may_be_removed_from_one_window() {
    let server = filled();
    let yesterday = json!({"board": "gifts/a", "member": "m1", "points": 5000,
                           "at": now_ms() - DAY_MS});
    server.contribute(&yesterday).ok();
    let removed = |path: &str| server.delete(format!("{MEMBERS}{path}")).ok()["removed"].clone();
    assert_eq!(removed("?min=501&window=day"), 100);
    assert_eq!(removed("?below_rank=490&window=day"), 10);
    assert_eq!(removed("/m600?window=day"), 0);
    assert_eq!(removed("/m600?window=all"), 1);
    assert_eq!(removed("/m1?window=day:previous"), 1);
    assert_eq!(members(&server, "gifts/a", "all"), 599);
    assert_eq!(members(&server, "gifts/a", "day"), 490);
    assert_eq!(server.order("gifts/a", "all")[..2], ["m1", "m599"]);
    let server = server.kill().start();
    assert_eq!(members(&server, "gifts/a", "all"), 599);
    assert_eq!(members(&server, "gifts/a", "day"), 490);
    assert_eq!(members(&server, "gifts/a", "day:previous"), 0);
}

#[test]
fn shared_ranks_are_removed_together() {
    let server = Server::with(KINDS);
    // 400 with 2 points, 300 with 1.
    let item = |n: u32| {
        let points = if n < 400 { 2 } else { 1 };
        json!({"board": "laps/a", "member": format!("m{n}"), "points": points})
    };
    let items: Vec<Value> = (0..700).map(item).collect();
    server.contribute(&items.into()).ok();
    let removed = |rank: u32| {
        let path = format!("/v1/boards/laps/a/members?below_rank={rank}");
        server.delete(path).ok()["removed"].clone()
    };
    assert_eq!(removed(401), 0);
    assert_eq!(removed(700), 0);
    assert_eq!(removed(1), 300);
    assert_eq!(removed(1), 0);
    assert_eq!(members(&server, "laps/a", "all"), 400);
}
