//! Boards with a start and an end: a battle from its settings to its end, on every store and
//! through restarts; invalid settings; expiry.

use serde_json::{Value, json};
use testkit::clock::{DAY_MS, HOUR_MS, MINUTE_MS, now_ms, rfc3339};
use testkit::redis::{Fsync, RedisOptions, RedisServer};
use testkit::{Launch, Server, eventually};

/// With a long staleness, a cached top that is final must be so because of the end, not because of
/// its age.
const PK: &str = "[kinds.pk]\nwindows = [\"day\", \"all\"]\nmax_staleness = \"1h\"\n";

const BATTLE: &str = "/v1/boards/pk/battle";

fn item(member: &str, points: i64, at: i64) -> Value {
    json!({"board": "pk/battle", "member": member, "points": points, "at": at})
}

fn shards_of_kind(server: &Server) -> Value {
    server.get("/v1/kinds/pk").ok()["shards"].clone()
}

/// Returns all reads of the all-time window.
fn reads(server: &Server) -> Vec<(String, Value)> {
    let paths = [
        "?",
        "/top?",
        "/range?from=1&to=5&",
        "/range?min=0&",
        "/count?",
        "/members/ann?",
        "/members/ann/around?",
        "/rank?points=1&",
    ];
    let mut read: Vec<(String, Value)> = paths
        .iter()
        .map(|path| (*path, server.get(format!("{BATTLE}{path}window=all")).ok()))
        .map(|(path, response)| (path.to_owned(), response))
        .collect();
    let lookup = server.post(
        format!("{BATTLE}/lookup?window=all"),
        &json!({"members": ["ann"]}),
    );
    read.push(("lookup".to_owned(), lookup.ok()));
    let tops = server.post(
        "/v1/top",
        &json!({"boards": ["pk/battle"], "window": "all"}),
    );
    read.push(("tops".to_owned(), tops.ok()["boards"][0].clone()));
    read
}

/// Starts a battle that ends after a short time, but not before its first contribution is applied.
/// Returns its start and end.
fn start_battle(server: &Server) -> (i64, i64) {
    for length_ms in [1_500, 6_000, 24_000] {
        let starts_at = now_ms() - MINUTE_MS;
        let ends_at = now_ms() + length_ms;
        let settings =
            json!({"starts_at": starts_at, "ends_at": rfc3339(ends_at), "expires_after": "7d"});
        let settled = server.put(BATTLE, &settings).ok();
        let expected = json!({
            "board": "pk/battle", "shards": shards_of_kind(server),
            "starts_at": rfc3339(starts_at), "ends_at": rfc3339(ends_at),
            "expires_after": "7d", "expires_at": rfc3339(ends_at + 7 * DAY_MS),
        });
        assert_eq!(settled, expected);
        let shown = server.get(format!("{BATTLE}/top?window=all")).ok();
        assert_eq!(shown["ends_at"], rfc3339(ends_at), "{shown}");
        // On a slow machine the battle may have ended already; then nothing was created.
        if shown["final"] == true {
            continue;
        }
        let first = json!([
            item("early", 1, starts_at - 1),
            item("ann", 5, starts_at),
            item("late", 1, ends_at),
        ]);
        let receipt = server.contribute(&first).ok();
        if receipt["applied"] == 0 {
            continue;
        }
        assert_eq!(receipt["rejected_count"], 2, "{receipt}");
        for (rejected, index) in receipt["rejected"].as_array().unwrap().iter().zip([0, 2]) {
            assert_eq!(
                (&rejected["type"], &rejected["index"]),
                (&json!("not-open"), &json!(index))
            );
            let detail = rejected["detail"].as_str().unwrap();
            for part in ["at: ", &rfc3339(starts_at), &rfc3339(ends_at)] {
                assert!(detail.contains(part), "{detail}");
            }
        }
        return (starts_at, ends_at);
    }
    panic!("no battle lasted long enough");
}

/// Asserts that a battle that has ended does not change.
fn assert_frozen(server: &Server, (starts_at, ends_at): (i64, i64)) {
    let shown = reads(server);
    for (path, response) in &shown {
        assert_eq!(response["final"], true, "{path}: {response}");
        assert_eq!(response["starts_at"], rfc3339(starts_at), "{path}");
        assert_eq!(response["ends_at"], rfc3339(ends_at), "{path}");
    }
    let parts = ["ends_at: ", &rfc3339(starts_at), &rfc3339(ends_at)];
    server
        .contribute(&item("ann", 1, starts_at))
        .problem(422, "not-open", &parts);
    let ann = format!("{BATTLE}/members/ann");
    server
        .put(&ann, &json!({"points": 1, "at": starts_at}))
        .problem(422, "not-open", &parts);
    server.delete(&ann).problem(422, "not-open", &["at: "]);
    server
        .put(BATTLE, &json!({"shards": 1}))
        .problem(409, "board-exists", &[]);
    let entries = |shown: &[(String, Value)]| shown[1].1["entries"].clone();
    assert_eq!(entries(&reads(server)), entries(&shown));
}

/// Tests a battle, with restarts if the store is durable.
fn test_battle(mut server: Server, kept: bool) {
    let span = start_battle(&server);
    // Cached before the end. A later contribution is shown when the board is final.
    let cached = server.get(format!("{BATTLE}/top?window=all"));
    let more = server.contribute(&item("ben", 7, span.0));
    let last = eventually("the battle ends", || {
        let top = server.get(format!("{BATTLE}/top?window=all"));
        (top.ok()["final"] == true).then_some(top)
    });
    assert!(now_ms() >= span.1);
    if cached.ok()["final"] != true {
        assert_ne!(cached.header("etag"), last.header("etag"));
    }
    let members: Vec<(u64, String, i64)> = last.ranked();
    // On a slow machine the second contribution may be too late.
    let expected = if more.status == 200 {
        vec![(1, "ben".to_owned(), 7), (2, "ann".to_owned(), 5)]
    } else {
        more.problem(422, "not-open", &[]);
        vec![(1, "ann".to_owned(), 5)]
    };
    assert_eq!(members, expected);
    assert_frozen(&server, span);
    if kept {
        server = server.stop().start();
        assert_frozen(&server, span);
        server = server.kill().start();
        assert_frozen(&server, span);
    }
    let info = server.get(BATTLE).ok();
    assert_eq!(info["expires_after"], "7d");
    assert_eq!(info["expires_at"], rfc3339(span.1 + 7 * DAY_MS));
    let listed = server.get("/v1/boards?kind=pk").ok();
    assert_eq!(listed["boards"][0]["ends_at"], rfc3339(span.1));
    server.delete(BATTLE).is_empty();
    let next = server
        .get(format!("{BATTLE}/top?window=all&fresh=true"))
        .ok();
    assert_eq!((&next["members"], next.get("ends_at")), (&json!(0), None));
}

fn on_redis(redis: &RedisServer) -> Launch {
    Launch::on_a_free_port(PK).args(&format!("--store {}", redis.url()))
}

#[test]
fn a_battle_in_memory() {
    test_battle(Server::with(PK), false);
}

#[test]
fn a_battle_in_a_folder() {
    test_battle(Server::durable(PK), true);
}

#[test]
fn a_battle_on_redis() {
    let redis = RedisOptions::new().append_only(Fsync::Always).start();
    test_battle(on_redis(&redis).start(), true);
}

/// Creates two boards that expire shortly after their end, one with a contribution and one without.
/// Returns their subjects.
fn create_expiring_boards(server: &Server) -> [String; 2] {
    for length_ms in [1_000, 5_000, 25_000] {
        let ends_at = now_ms() + length_ms;
        let settings = json!({"ends_at": ends_at, "expires_after": "300ms"});
        // Other subjects in each attempt, since the outcome of a late contribution may be unknown.
        let subjects = ["battle", "not-created"].map(|subject| format!("{subject}-{length_ms}"));
        for subject in &subjects {
            server
                .put(format!("/v1/boards/pk/{subject}"), &settings)
                .ok();
        }
        let mut first = item("ann", 5, ends_at - HOUR_MS);
        first["board"] = json!(format!("pk/{}", subjects[0]));
        if server.contribute(&first).status == 200 {
            return subjects;
        }
    }
    panic!("no board lasted until its first contribution");
}

fn test_expiry(server: &Server) {
    let subjects = create_expiring_boards(server);
    eventually("the boards have expired", || {
        let gone = |subject| {
            let top = server
                .get(format!("/v1/boards/pk/{subject}/top?window=all"))
                .ok();
            top["members"] == 0 && top.get("ends_at").is_none()
        };
        subjects.iter().all(gone).then_some(())
    });
    let info = server.get(format!("/v1/boards/pk/{}", subjects[0])).ok();
    assert_eq!(
        (&info["windows"], info.get("expires_at")),
        (&json!([]), None)
    );
    // The sweep deletes them. A contribution from then on creates another board, without an end,
    // and earlier events are rejected.
    for subject in &subjects {
        let next = json!({"board": format!("pk/{subject}"), "member": "u", "points": 1});
        eventually("the name is free", || {
            let response = server.contribute(&next);
            (response.status == 200).then_some(())
        });
        let path = format!("/v1/boards/pk/{subject}/top?window=all&fresh=true");
        let top = server.get(path).ok();
        assert_eq!((&top["members"], top.get("ends_at")), (&json!(1), None));
        let late = json!({
            "board": format!("pk/{subject}"), "member": "late", "points": 1, "at": now_ms() - HOUR_MS,
        });
        let refused = server.contribute(&late);
        refused.problem(
            422,
            "not-open",
            &["at: ", top["starts_at"].as_str().unwrap()],
        );
    }
}

#[test]
fn boards_expire_in_memory() {
    test_expiry(&Server::with(PK));
}

#[test]
fn boards_expire_in_a_folder() {
    test_expiry(&Server::durable(PK));
}

#[test]
fn boards_expire_on_redis() {
    let redis = RedisServer::plain();
    test_expiry(&on_redis(&redis).start());
}

#[test]
fn the_latest_settings_of_one_server_apply_on_the_other() {
    let redis = RedisServer::plain();
    let servers = [(); 2].map(|()| on_redis(&redis).start());
    let [here, there] = &servers;
    here.put(BATTLE, &json!({"starts_at": now_ms() + HOUR_MS}))
        .ok();
    let now = now_ms();
    there
        .contribute(&item("u", 1, now))
        .problem(422, "not-open", &["at: "]);
    here.put(BATTLE, &json!({"ends_at": now + HOUR_MS})).ok();
    assert_eq!(there.contribute(&item("u", 1, now)).ok()["applied"], 1);
    // This server knows at once that the board was created.
    here.put(BATTLE, &json!({"shards": 2}))
        .problem(409, "board-exists", &["shards"]);
    let top = here.get(format!("{BATTLE}/top?window=all&fresh=true")).ok();
    assert_eq!(
        (&top["members"], &top["ends_at"]),
        (&json!(1), &json!(rfc3339(now + HOUR_MS)))
    );
}
