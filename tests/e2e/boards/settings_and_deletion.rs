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
