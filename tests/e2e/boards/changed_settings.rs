//! Settings of boards that have contributions: changed on every store, on several servers, through restarts; and what
//! cannot change.

use serde_json::{Value, json};
use testkit::clock::{DAY_MS, HOUR_MS, MINUTE_MS, now_ms, rfc3339};
use testkit::redis::RedisServer;
use testkit::{Launch, Server, eventually};

const KINDS: &str = "[kinds.pk]\nwindows = [\"day\", \"all\"]\n";

const BATTLE: &str = "/v1/boards/pk/battle";

fn item(member: &str, points: i64, at: i64) -> Value {
    json!({"board": "pk/battle", "member": member, "points": points, "at": at})
}

fn top(server: &Server) -> Value {
    server
        .get(format!("{BATTLE}/top?window=all&fresh=true"))
        .ok()
}

/// Changes the settings of a board back and forth. Returns its end.
fn change_settings(server: &Server) -> i64 {
    let now = now_ms();
    assert_eq!(server.contribute(&item("ann", 5, now)).ok()["applied"], 1);
    let shards = server.get(BATTLE).ok()["shards"].clone();
    // An end for a board that had none.
    let ends_at = now + HOUR_MS;
    let settings = json!({"ends_at": ends_at, "expires_after": "7d"});
    let expected = json!({
        "board": "pk/battle", "shards": shards, "ends_at": rfc3339(ends_at),
        "expires_after": "7d", "expires_at": rfc3339(ends_at + 7 * DAY_MS),
    });
    assert_eq!(server.put(BATTLE, &settings).ok(), expected);
    let shown = server.get(format!("{BATTLE}?fresh=true")).ok();
    assert_eq!(
        (&shown["ends_at"], &shown["expires_after"]),
        (&expected["ends_at"], &json!("7d"))
    );
    assert_eq!(top(server)["ends_at"], rfc3339(ends_at));
    server.contribute(&item("ben", 1, now - MINUTE_MS)).ok();
    // What counted before the new start stays.
    let starts_at = now - MINUTE_MS / 2;
    server
        .put(BATTLE, &json!({"starts_at": starts_at, "ends_at": ends_at}))
        .ok();
    assert_eq!(top(server)["members"], 2);
    server.contribute(&item("ben", 1, now - MINUTE_MS)).problem(
        422,
        "not-open",
        &[&rfc3339(starts_at)],
    );
    // A missing setting is reset, the number of shards stays.
    server.put(BATTLE, &json!({"shards": shards})).ok();
    let shown = top(server);
    assert_eq!((shown.get("starts_at"), shown.get("ends_at")), (None, None));
    server
        .put(BATTLE, &json!({"shards": 2 * shards.as_u64().unwrap()}))
        .problem(409, "board-exists", &["shards"]);
    server.put(BATTLE, &json!({"ends_at": now - 1})).problem(
        409,
        "board-exists",
        &["ends_at", &rfc3339(now - 1)],
    );
    let ends_at = now_ms() + 1_500;
    server
        .put(BATTLE, &json!({"ends_at": ends_at, "expires_after": "1h"}))
        .ok();
    ends_at
}

/// Asserts that a board that has ended stays ended.
fn assert_ended(server: &Server, ends_at: i64) {
    eventually("the board is final", || {
        (top(server)["final"] == true).then_some(())
    });
    server
        .contribute(&item("ann", 1, ends_at - 1))
        .problem(422, "not-open", &[]);
    for settings in [
        json!({"ends_at": ends_at + HOUR_MS, "expires_after": "1h"}),
        json!({"starts_at": ends_at - HOUR_MS, "ends_at": ends_at, "expires_after": "1h"}),
        json!({"ends_at": ends_at, "expires_after": "59m"}),
        json!({"starts_at": ends_at - HOUR_MS}),
    ] {
        let ended = ["ends_at", &rfc3339(ends_at)];
        server
            .put(BATTLE, &settings)
            .problem(409, "board-exists", &ended);
    }
    // The same settings are accepted, and a longer retention.
    for kept in ["1h", "2h"] {
        let settings = json!({"ends_at": ends_at, "expires_after": kept});
        assert_eq!(server.put(BATTLE, &settings).ok()["expires_after"], kept);
    }
    let shown = top(server);
    assert_eq!(
        (&shown["final"], &shown["ends_at"]),
        (&json!(true), &json!(rfc3339(ends_at)))
    );
    let board = server.get(format!("{BATTLE}?fresh=true")).ok();
    assert_eq!(board["expires_after"], "2h");
}

fn test_changes(mut server: Server, kept: bool) {
    let ends_at = change_settings(&server);
    if kept {
        server = server.stop().start();
        assert_eq!(top(&server)["ends_at"], rfc3339(ends_at));
    }
    assert_ended(&server, ends_at);
    if kept {
        server = server.kill().start();
        assert_eq!(
            server.get(format!("{BATTLE}?fresh=true")).ok()["expires_after"],
            "2h"
        );
        assert_eq!(top(&server)["members"], 2);
    }
}

fn on_redis(redis: &RedisServer) -> Launch {
    Launch::on_a_free_port(KINDS).args(&format!("--store {}", redis.url()))
}

#[test]
fn settings_change_in_memory() {
    test_changes(Server::with(KINDS), false);
}

#[test]
fn settings_change_in_a_folder() {
    test_changes(Server::durable(KINDS), true);
}

#[test]
fn settings_change_on_redis() {
    let redis = RedisServer::plain();
    test_changes(on_redis(&redis).start(), true);
}

#[test]
fn another_server_learns_of_changed_settings() {
    let redis = RedisServer::plain();
    let servers = [(); 2].map(|()| on_redis(&redis).start());
    let [here, there] = &servers;
    let now = now_ms();
    here.contribute(&item("ann", 1, now)).ok();
    // Both servers know the board and its settings.
    there.contribute(&item("ann", 1, now)).ok();
    assert_eq!(top(there)["members"], 1);
    here.put(BATTLE, &json!({"starts_at": now})).ok();
    there
        .contribute(&item("ann", 1, now - 1))
        .problem(422, "not-open", &[&rfc3339(now)]);
    assert_eq!(top(there)["starts_at"], rfc3339(now));
    // A write that the old settings would reject, too.
    here.put(BATTLE, &json!({"ends_at": now + HOUR_MS})).ok();
    assert_eq!(
        there.contribute(&item("ann", 1, now - 1)).ok()["applied"],
        1
    );
    // A sooner end, which the other server has not heard of: nothing counts after it, there either.
    let ends_at = now_ms() + 1_500;
    here.put(BATTLE, &json!({"ends_at": ends_at})).ok();
    eventually("the board is final", || {
        (top(there)["final"] == true).then_some(())
    });
    there
        .contribute(&item("ann", 1, now))
        .problem(422, "not-open", &[&rfc3339(ends_at)]);
    let entries = |server: &Server| top(server)["entries"].clone();
    assert_eq!(entries(here), entries(there));
    assert_eq!(entries(here)[0]["points"], 3);
}
