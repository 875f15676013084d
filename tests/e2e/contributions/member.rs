//! `PUT` and `DELETE .../members/{member}`: setting a standing, removing a member.

use serde_json::json;
use testkit::Server;
use testkit::clock::{DAY_MS, date, now_ms};

const PATH: &str = "/v1/boards/gifts/a/members/u";

#[test]
fn put_sets_the_standing_in_all_windows_of_its_time() {
    let server = Server::with("[kinds.gifts]\n");
    server.give("gifts/a", &[("u", 7), ("v", 50)]);
    let at = now_ms() - 40 * DAY_MS;
    let receipt = server.put(PATH, &json!({"points": 100, "at": at})).ok();
    assert_eq!(receipt["applied"], 1);
    // The day is past its retention, its month is not: the set applies to the month and to `all`.
    let points =
        |window: &str| server.get(format!("{PATH}?window={window}")).value()["points"].clone();
    assert_eq!(points("all"), 100);
    assert_eq!(points(&format!("month:{}", &date(at)[..7])), 100);
    assert_eq!(server.order("gifts/a", "all"), ["u", "v"]);
    server.put(PATH, &json!({"points": -3})).ok();
    assert_eq!((points("all"), points("month")), (json!(-3), json!(-3)));
    assert_eq!(server.order("gifts/a", "all"), ["v", "u"]);
}

#[test]
fn put_with_a_window_sets_only_that_window() {
    let server = Server::start();
    let at = now_ms();
    let give = json!({"board": "gifts/a", "member": "u", "points": 7, "at": at});
    server.contribute(&give).ok();
    let day = format!("day:{}", date(at));
    let set = json!({"points": 100, "at": at});
    server.put(format!("{PATH}?window={day}"), &set).ok();
    for (window, points) in [(day.as_str(), 100), ("all", 7)] {
        let shown = server.get(format!("{PATH}?window={window}")).ok();
        assert_eq!(shown["points"], points, "{window}");
    }
    let version = server.versions("gifts/a");
    let other = format!("day:{}", date(at - 2 * DAY_MS));
    let refused = server.put(format!("{PATH}?window={other}"), &set);
    refused.problem(400, "invalid", &["window", &other]);
    let gone = format!("day:{}", date(at - 40 * DAY_MS));
    server
        .put(format!("{PATH}?window={gone}"), &set)
        .problem(410, "window-gone", &[&gone]);
    server.put(format!("{PATH}?window=decade"), &set).problem(
        400,
        "invalid",
        &["window", "decade"],
    );
    assert_eq!(server.versions("gifts/a"), version);
}

#[test]
fn put_into_a_closed_window_is_rejected() {
    let server =
        Server::with("[kinds.gifts]\nwindows = [\"all\", \"day\"]\nclose = { day = \"1m\" }\n");
    let at = now_ms() - 2 * DAY_MS;
    let path = format!("{PATH}?window=day:{}", date(at));
    let refused = server.put(&path, &json!({"points": 1, "at": at}));
    let is_closed = format!("window: day:{} is closed", date(at));
    refused.problem(422, "window-closed", &[&is_closed]);
    // Without a named window, the set applies to the open ones.
    assert_eq!(
        server.put(PATH, &json!({"points": 1, "at": at})).ok()["applied"],
        1
    );
    server.get(&path).problem(404, "not-ranked", &["u"]);
    assert_eq!(server.get(PATH).ok()["points"], 1);
}

#[test]
fn invalid_bodies_of_put_are_rejected() {
    let server = Server::start();
    server.give("gifts/a", &[("u", 7)]);
    let version = server.versions("gifts/a");
    for (body, status, word, parts) in [
        (json!({}), 400, "invalid", &["points"][..]),
        (json!({"points": null}), 400, "invalid", &["points"]),
        (json!({"points": "7"}), 400, "invalid", &["points", "7"]),
        (json!({"points": 1.5}), 400, "invalid", &["points", "1.5"]),
        (
            json!({"points": 9_007_199_254_740_992_i64}),
            422,
            "out-of-range",
            &["points"],
        ),
        (
            json!({"points": 1, "values": {"points": 1}}),
            400,
            "invalid",
            &["values"],
        ),
        (json!({"values": {"laps": 1}}), 400, "invalid", &["laps"]),
        (
            json!({"points": 1, "member": "v"}),
            400,
            "invalid",
            &["member"],
        ),
        (json!({"points": 1, "set": true}), 400, "invalid", &["set"]),
        (json!({"points": 1, "id": ""}), 400, "invalid", &["id"]),
        (
            json!({"points": 1, "at": 1_700_000_000}),
            400,
            "invalid",
            &["at", "1700000000"],
        ),
        (
            json!({"points": 1, "at": now_ms() + 600_000}),
            422,
            "from-the-future",
            &["at"],
        ),
        (json!([1]), 400, "invalid", &[]),
    ] {
        server.put(PATH, &body).problem(status, word, parts);
    }
    server
        .put(format!("{PATH}?windw=all"), &json!({"points": 1}))
        .problem(400, "invalid", &["windw"]);
    server
        .put("/v1/boards/nope/a/members/u", &json!({"points": 1}))
        .problem(404, "unknown-kind", &["nope"]);
    assert_eq!(server.versions("gifts/a"), version);
}

#[test]
fn set_in_a_contribution_equals_put() {
    let server = Server::start();
    server.give("gifts/a", &[("u", 7)]);
    let set = json!({"board": "gifts/a", "member": "u", "points": 3, "set": true});
    server.contribute(&set).ok();
    assert_eq!(server.get(format!("{PATH}?window=all")).ok()["points"], 3);
    server.give("gifts/a", &[("u", 2)]);
    assert_eq!(server.get(format!("{PATH}?window=all")).ok()["points"], 5);
}

#[test]
fn delete_removes_the_member_from_all_windows() {
    let server = Server::with("[kinds.gifts]\n");
    server.give("gifts/a", &[("u", 7), ("v", 5)]);
    let month_ago = json!({"board": "gifts/a", "member": "u", "points": 1,
                           "at": now_ms() - 31 * DAY_MS});
    server.contribute(&month_ago).ok();
    assert_eq!(server.delete(PATH).ok(), json!({"removed": 1}));
    let held = server.get("/v1/boards/gifts/a?window=all&fresh=true").ok();
    for window in held["windows"].as_array().unwrap() {
        let name = window["window"].as_str().unwrap();
        assert_ne!(server.order("gifts/a", name), ["u"], "{name}");
        let path = format!("{PATH}?window={}", testkit::encoded(name));
        server.get(path).problem(404, "not-ranked", &["u", name]);
    }
    assert_eq!(server.order("gifts/a", "all"), ["v"]);
    assert_eq!(server.delete(PATH).ok(), json!({"removed": 0}));
    server.give("gifts/a", &[("u", 1)]);
    assert_eq!(server.get(format!("{PATH}?window=all")).ok()["points"], 1);
}

#[test]
fn removing_an_unknown_member_succeeds_and_creates_no_board() {
    let server = Server::start();
    assert_eq!(server.delete(PATH).ok(), json!({"removed": 0}));
    server
        .delete(format!("{PATH}?window=decade"))
        .problem(400, "invalid", &["window"]);
    server
        .delete("/v1/boards/nope/a/members/u")
        .problem(404, "unknown-kind", &["nope"]);
    assert_eq!(
        server.get("/v1/boards?kind=gifts").ok()["boards"],
        json!([])
    );
}
