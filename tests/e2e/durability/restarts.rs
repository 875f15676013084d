//! Kinds and boards in all states are the same after SIGTERM and after SIGKILL.

use serde_json::{Value, json};
use testkit::clock::{DAY_MS, now_ms};
use testkit::{Launch, Server};

use super::server_state::ServerState;

const CONFIG: &str = "[kinds.gifts]\n[kinds.left]\n[kinds.changed]\nshards = 2\n";

fn item(board: &str, member: &str, points: i64) -> Value {
    json!({"board": board, "member": member, "points": points, "id": format!("{member}-id")})
}

/// Starts a server with kinds and boards in all states.
fn filled() -> Server {
    let server = Server::durable(CONFIG);
    kinds(&server);
    boards(&server);
    server
}

fn kinds(server: &Server) {
    let races = json!({
        "mode": "best", "rank": "competition", "ties": "latest", "windows": ["week", "all"],
        "fields": [{"name": "laps"}, {"name": "seconds", "order": "asc"}],
        "time_zone": "Asia/Kathmandu", "shards": 4, "top": 50, "max_staleness": "1s",
        "keep": {"week": "forever", "all": {"idle": "7d"}}, "close": {"week": "10m"}, "dedupe": "2h",
    });
    server.put("/v1/kinds/races", &races).is(201);
    server.put("/v1/kinds/gone", &json!({})).is(201);
    server.delete("/v1/kinds/gone").is_empty();
    // One kind of the file that was deleted, and one that was changed. The file must not restore
    // either.
    server.delete("/v1/kinds/left").is_empty();
    server.give("changed/a", &[("u", 1)]);
    let changed =
        json!({"shards": 8, "top": 7, "windows": ["hour", "day", "week", "month", "all"]});
    server.put("/v1/kinds/changed", &changed).is(200);
}

fn boards(server: &Server) {
    let lap = |member: &str, laps: i64, seconds: i64| {
        json!({"board": "races/ring", "member": member,
               "values": {"laps": laps, "seconds": seconds}, "at": now_ms() - DAY_MS})
    };
    let laps = json!([
        lap("ada", 3, 190),
        lap("ben", 3, 181),
        lap("ada", 3, 185),
        lap("cyd", 2, 90)
    ]);
    assert_eq!(server.contribute(&laps).ok()["applied"], 4);
    // More than a small board holds, under various names.
    let many: Vec<Value> = (0..700)
        .map(|n| item("gifts/large", &format!("é {n} /%\""), 1 + n % 50))
        .collect();
    assert_eq!(server.contribute(&many.into()).ok()["applied"], 700);
    server
        .contribute(&json!([item("gifts/a", "u", 5), item("gifts/a", "v", -3)]))
        .ok();
    let set = json!({"points": 40, "id": "set"});
    server.put("/v1/boards/gifts/a/members/v", &set).ok();
    server.contribute(&item("gifts/a", "removed", 9)).ok();
    server.delete("/v1/boards/gifts/a/members/removed").ok();
    // Boards deleted, and deleted and recreated.
    for board in ["dead", "again"] {
        server
            .contribute(&item(&format!("gifts/{board}"), "u", 5))
            .ok();
        server
            .delete(format!("/v1/boards/gifts/{board}"))
            .is_empty();
    }
    server.give("gifts/again", &[("v", 2)]);
    // Boards with settings, with and without contributions.
    for board in ["settled", "waiting"] {
        server
            .put(format!("/v1/boards/gifts/{board}"), &json!({"shards": 64}))
            .ok();
    }
    server.give("gifts/settled", &[("u", 1), ("v", 1)]);
}

/// Checks what only further requests reveal.
fn assert_continues(server: &Server) {
    let receipt = |item: &Value| {
        let receipt = server.contribute(item).ok();
        [&receipt["applied"], &receipt["duplicates"]].map(|count| count.as_u64().unwrap())
    };
    // Ids are remembered, also those of removed members, but not those of deleted boards.
    for member in ["u", "v", "removed"] {
        assert_eq!(receipt(&item("gifts/a", member, 1)), [0, 1], "{member}");
    }
    let set = json!({"points": 1, "id": "set"});
    let again = server.put("/v1/boards/gifts/a/members/v", &set).ok();
    assert_eq!(again["duplicates"], 1);
    for board in ["gifts/dead", "gifts/again"] {
        assert_eq!(receipt(&item(board, "u", 5)), [1, 0], "{board}");
    }
    let settled = "/v1/boards/gifts/settled";
    server
        .put(settled, &json!({"shards": 2}))
        .problem(409, "board-exists", &[]);
    server.give("gifts/waiting", &[("u", 1)]);
    assert_eq!(server.get("/v1/boards/gifts/waiting").ok()["shards"], 64);
    // Boards created before their kind changed, and after.
    server.give("changed/b", &[("u", 1)]);
    for (board, shards) in [("changed/a", 2), ("changed/b", 8)] {
        let shown = server.get(format!("/v1/boards/{board}")).ok();
        assert_eq!(shown["shards"], shards, "{board}");
    }
    server
        .contribute(&item("left/a", "u", 1))
        .problem(404, "unknown-kind", &["left"]);
}

#[test]
fn after_a_stop_everything_has_its_old_content_and_etags() {
    let server = filled();
    let before = ServerState::of(&server);
    assert_eq!(
        before.content["/v1/kinds"]["kinds"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let server = server.stop().start();
    before.assert_unchanged(&server);
    let after = ServerState::of(&server);
    assert_eq!(after.content, before.content);
    assert_eq!(after.tags, before.tags);
    assert_continues(&server);
}

#[test]
fn after_a_kill_everything_has_its_old_content_in_another_epoch() {
    let server = filled();
    let before = ServerState::of(&server);
    let server = server.kill().start();
    let after = ServerState::of(&server);
    after.assert_same_in_another_epoch(&before);
    // The epoch of a server that was killed ends even if nothing was written.
    let server = server.kill().start();
    let later = ServerState::of(&server);
    later.assert_same_in_another_epoch(&after);
    later.assert_same_in_another_epoch(&before);
    assert_continues(&server);
}

#[test]
fn changes_after_a_restart_are_there_after_the_next_one() {
    let mut launch: Launch = filled().kill();
    for end in [Server::stop, Server::kill, Server::stop, Server::kill] {
        let server = launch.start();
        let points = server.get("/v1/boards/gifts/large/members/new?window=all");
        let points = match points.status {
            404 => 0,
            _ => points.ok()["points"].as_i64().unwrap(),
        };
        server.give("gifts/large", &[("new", 1)]);
        let shape = json!({"top": 100 + points});
        server.put("/v1/kinds/gifts", &shape).is(200);
        let before = ServerState::of(&server);
        launch = end(server);
        let server = launch.start();
        assert_eq!(ServerState::of(&server).content, before.content);
        assert_eq!(server.get("/v1/kinds/gifts").ok()["top"], 100 + points);
        launch = server.stop();
    }
    let server = launch.start();
    let new = server.get("/v1/boards/gifts/large/members/new?window=all");
    assert_eq!(new.ok()["points"], 4);
    assert_continues(&server);
}
