//! `GET`, `PUT` and `DELETE` of a board: its description, its settings before creation, its
//! deletion, and a later board of the same name.

use serde_json::{Value, json};
use testkit::Server;
use testkit::clock::{DAY_MS, date, now_ms};

const BOARD: &str = "/v1/boards/gifts/a";

#[test]
fn a_board_shows_its_windows_members_shards_and_store() {
    let server = Server::with("[kinds.gifts]\n");
    let at = now_ms() - 3 * DAY_MS;
    let old = json!({"board": "gifts/a", "member": "u", "points": 1, "at": at});
    server.contribute(&old).ok();
    server.give("gifts/a", &[("u", 1), ("v", 1)]);
    let board = server.get(format!("{BOARD}?fresh=true")).ok();
    let kind = server.get("/v1/kinds/gifts").ok();
    assert_eq!(
        (&board["shards"], &board["store"]),
        (&kind["shards"], &json!("memory"))
    );
    let windows = board["windows"].as_array().unwrap();
    let count = |name: &str| {
        let found = windows.iter().find(|window| window["window"] == name);
        found.unwrap_or_else(|| panic!("{name}: {board}"))["members"].clone()
    };
    assert_eq!(count("all"), 2);
    assert_eq!(count(&format!("day:{}", date(at))), 1);
    for prefix in ["hour:", "day:", "week:", "month:"] {
        let name = |window: &&Value| window["window"].as_str().unwrap().starts_with(prefix);
        assert!(
            windows.iter().any(|window| name(&window)),
            "{prefix}: {board}"
        );
    }
    // The hour of three days ago is past its retention of 48 hours: not counted and not shown.
    let hours = windows
        .iter()
        .filter(|w| w["window"].as_str().unwrap().starts_with("hour:"));
    assert_eq!(hours.count(), 1, "{board}");
}

#[test]
fn settings_are_accepted_until_the_first_contribution() {
    let server = Server::start();
    let set = server.put(BOARD, &json!({"shards": 64})).ok();
    assert_eq!(set, json!({"board": "gifts/a", "shards": 64}));
    assert_eq!(server.get(BOARD).ok()["shards"], 64);
    assert_eq!(server.put(BOARD, &json!({"shards": 32})).ok()["shards"], 32);
    let points: Vec<(String, i64)> = (0..500).map(|n| (format!("u{n}"), n)).collect();
    let points: Vec<(&str, i64)> = points.iter().map(|(m, p)| (m.as_str(), *p)).collect();
    server.give("gifts/a", &points);
    assert_eq!(server.get(BOARD).ok()["shards"], 32);
    let top = server
        .get(format!("{BOARD}/top?n=500&window=all&fresh=true"))
        .ranked();
    assert!(
        top.iter()
            .zip(1..)
            .all(|((rank, _, points), n)| (*rank, *points) == (n, 500 - i64::try_from(n).unwrap()))
    );
    let version = server.versions("gifts/a");
    server
        .put(BOARD, &json!({"shards": 64}))
        .problem(409, "board-exists", &["contributions"]);
    assert_eq!(server.versions("gifts/a"), version);
    assert_eq!(server.get(BOARD).ok()["shards"], 32);
}

#[test]
fn invalid_settings_are_rejected() {
    let server = Server::start();
    for (body, parts) in [
        (json!({"shards": 0}), &["shards", "0"][..]),
        (json!({"shards": 3}), &["shards", "3"]),
        (json!({"shards": 8192}), &["shards", "8192"]),
        (json!({"shards": -1}), &["shards", "-1"]),
        (json!({"shards": "16"}), &["shards", "16"]),
        (json!({}), &["shards"]),
        (json!({"shards": 4, "top": 10}), &["top"]),
    ] {
        server.put(BOARD, &body).problem(400, "invalid", parts);
    }
    for shards in [1, 4096] {
        assert_eq!(
            server.put(BOARD, &json!({"shards": shards})).ok()["shards"],
            shards
        );
    }
    assert_eq!(
        server.get("/v1/boards?kind=gifts").ok()["boards"],
        json!([])
    );
}

#[test]
fn a_deleted_board_is_empty_and_a_later_one_is_another_board() {
    let server = Server::start();
    let item = json!({"board": "gifts/a", "member": "u", "points": 5, "id": "i"});
    server.contribute(&item).ok();
    let first = server.versions("gifts/a");
    server.delete(BOARD).is_empty();
    assert_eq!(
        server.get("/v1/boards?kind=gifts").ok()["boards"],
        json!([])
    );
    for window in ["hour", "all"] {
        let top = server.get(format!("{BOARD}/top?window={window}")).ok();
        assert_eq!((&top["members"], &top["entries"]), (&json!(0), &json!([])));
    }
    server
        .delete(BOARD)
        .problem(404, "unknown-board", &["gifts/a"]);
    // Ids are deleted with their board.
    assert_eq!(server.contribute(&item).ok()["applied"], 1);
    assert_eq!(
        server.get(format!("{BOARD}/members/u?window=all")).ok()["points"],
        5
    );
    assert_ne!(server.versions("gifts/a"), first);
    server.delete(BOARD).is_empty();
    assert_eq!(server.put(BOARD, &json!({"shards": 1})).ok()["shards"], 1);
    server.give("gifts/a", &[("v", 1)]);
    assert_eq!(server.get(BOARD).ok()["shards"], 1);
}

#[test]
fn delete_accepts_no_parameters() {
    let server = Server::start();
    server.give("gifts/a", &[("u", 1)]);
    server
        .delete(format!("{BOARD}?window=day"))
        .problem(400, "invalid", &["window", "day"]);
    assert_eq!(server.order("gifts/a", "all"), ["u"]);
    server
        .delete("/v1/boards/gifts/never")
        .problem(404, "unknown-board", &["gifts/never"]);
}
