//! `"set": true` with a `window`: sets a standing in that window only.

use serde_json::{Value, json};
use testkit::clock::{DAY_MS, date, now_ms};
use testkit::{Server, encoded, ndjson};

fn set(points: i64, at: i64, window: &str) -> Value {
    json!({"board": "gifts/a", "member": "u", "points": points, "at": at, "set": true,
        "window": window})
}

fn points(server: &Server, window: &str) -> Value {
    let window = encoded(window);
    let shown = server.get(format!("/v1/boards/gifts/a/members/u?window={window}"));
    shown.value()["points"].clone()
}

#[test]
fn a_set_applies_only_to_its_window() {
    let server = Server::with("[kinds.gifts]\n");
    let at = now_ms() - 3 * DAY_MS;
    let day = format!("day:{}", date(at));
    let month = format!("month:{}", &date(at)[..7]);
    let lines = [
        json!({"board": "gifts/a", "member": "u", "points": 7, "at": at}),
        set(100, at, &day),
        set(50, at, "all"),
        set(60, at, "all"),
        // Without `set` it counts in all windows.
        json!({"board": "gifts/a", "member": "u", "points": 1, "at": at}),
    ];
    let receipt = server.lines(&ndjson(&lines)).ok();
    assert_eq!(receipt["applied"], 5, "{receipt}");
    let shown = [day.as_str(), "all", &month].map(|window| points(&server, window));
    assert_eq!(shown, [json!(101), json!(61), json!(8)]);
}

#[test]
fn a_selector_without_a_date_is_the_current_window() {
    let server = Server::start();
    let at = now_ms();
    let receipt = server.contribute(&set(5, at, "month")).ok();
    assert_eq!(receipt["applied"], 1);
    assert_eq!(points(&server, &format!("month:{}", &date(at)[..7])), 5);
    assert_eq!(points(&server, "all"), Value::Null);
}

#[test]
fn an_event_sets_the_window_on_each_of_its_boards() {
    let server = Server::start();
    let event = json!({"boards": ["gifts/a", "gifts/b"], "member": "u", "points": 5, "id": "e1",
        "set": true, "window": "all"});
    assert_eq!(server.contribute(&event).ok()["applied"], 2);
    assert_eq!(server.order("gifts/b", "all"), ["u"]);
    assert_eq!(server.order("gifts/b", "month"), [""; 0]);
}

#[test]
fn errors_are_reported_by_item() {
    let server =
        Server::with("[kinds.gifts]\nwindows = [\"all\", \"day\"]\nclose = { day = \"1m\" }\n");
    let now = now_ms();
    let today = format!("day:{}", date(now));
    let closed = format!("day:{}", date(now - 2 * DAY_MS));
    let is_closed = format!("window: {closed} is closed");
    let gone = format!("day:{}", date(now - 60 * DAY_MS));
    let mut delta = set(1, now, &today);
    delta.as_object_mut().unwrap().remove("set");
    let mut no_text = set(1, now, &today);
    no_text["window"] = json!(7);
    let items = [
        (set(1, now - DAY_MS, &today), "invalid", today.as_str()),
        (
            set(1, now - 2 * DAY_MS, &closed),
            "window-closed",
            &is_closed,
        ),
        (set(1, now - 60 * DAY_MS, &gone), "window-gone", &gone),
        (set(1, now, "decade"), "invalid", "decade"),
        (set(1, now, "hour"), "unknown-window", "hour"),
        (delta, "invalid", "set"),
        (no_text, "invalid", "window"),
        (set(1, now + DAY_MS, "all"), "from-the-future", "at"),
    ];
    let bodies: Vec<Value> = items.iter().map(|(item, ..)| item.clone()).collect();
    let receipt = server.contribute(&bodies.into()).rejected();
    assert_eq!(receipt["rejected_count"], items.len(), "{receipt}");
    let rejected = receipt["rejected"].as_array().unwrap();
    for (index, (item, word, part)) in items.iter().enumerate() {
        let report = rejected.iter().find(|report| report["index"] == index);
        let report = report.unwrap();
        assert_eq!(report["type"], *word, "{item}: {report}");
        assert!(
            report["detail"].as_str().unwrap().contains(part),
            "{report}"
        );
    }
    assert_eq!(server.order("gifts/a", "all"), [""; 0]);
}
