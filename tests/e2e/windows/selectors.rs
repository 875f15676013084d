//! `?window=`: current and named windows, and invalid names.

use serde_json::json;
use testkit::clock::{DAY_MS, date, now_ms};
use testkit::{Server, encoded};

use super::{keeping_all, top};

#[test]
fn windows_are_selected_by_name_or_period_and_returned_by_name() {
    let server = keeping_all("Asia/Shanghai");
    let item =
        json!({"board": "k/a", "member": "u", "points": 1, "at": "2026-11-20T06:52:22.123000Z"});
    let mut last_year = item.clone();
    last_year["at"] = json!("2025-11-20T06:52:22.123000Z");
    let receipt = server.contribute(&json!([last_year])).ok();
    assert_eq!(receipt["applied"], 1, "{receipt}");
    for (window, name) in [
        ("hour:2025-11-20T14+08:00", "hour:2025-11-20T14+08:00"),
        ("hour:2025-11-20T14", "hour:2025-11-20T14+08:00"),
        ("day:2025-11-20", "day:2025-11-20"),
        ("week:2025-W47", "week:2025-W47"),
        ("month:2025-11", "month:2025-11"),
        ("all", "all"),
    ] {
        let shown = top(&server, "k/a", window).ok();
        assert_eq!(
            (&shown["window"], &shown["members"]),
            (&json!(name), &json!(1))
        );
        assert_eq!(top(&server, "k/a", name).ok()["members"], 1);
    }
    // An unencoded plus decodes to a space, and is accepted as a plus.
    let plain = server
        .get("/v1/boards/k/a/top?window=hour:2025-11-20T14+08:00")
        .ok();
    assert_eq!(plain["window"], "hour:2025-11-20T14+08:00");
    for window in [
        "hour:2025-11-20T15",
        "day:2025-11-19",
        "week:2025-W48",
        "month:2025-10",
    ] {
        assert_eq!(top(&server, "k/a", window).ok()["members"], 0, "{window}");
    }
    for window in ["hour", "day", "week", "month"] {
        let shown = top(&server, "k/a", window).ok();
        assert!(
            shown["window"]
                .as_str()
                .unwrap()
                .starts_with(&format!("{window}:"))
        );
        assert_eq!(shown["members"], 0, "{window}");
    }
}

#[test]
fn previous_windows_are_those_before_the_current_ones() {
    let server = keeping_all("UTC");
    let days = || date(now_ms() - DAY_MS);
    let before = days();
    let item = json!({"board": "k/a", "member": "u", "points": 1, "at": now_ms() - DAY_MS});
    server.contribute(&item).ok();
    let response = server.get("/v1/boards/k/a/top?window=day:previous");
    let shown = response.ok();
    let named = shown["window"].as_str().unwrap();
    let expected = [before, days()].map(|day| format!("day:{day}"));
    assert!(expected.contains(&named.to_owned()), "{named}");
    assert_eq!(response.header("cache-control"), "no-cache");
    // The first period of this kind is the hour.
    let shown = top(&server, "k/a", "previous").ok();
    let current = top(&server, "k/a", "hour").ok();
    assert!(
        shown["window"].as_str() < current["window"].as_str(),
        "{shown}"
    );
    let server = Server::with("[kinds.k]\nwindows = [\"all\", \"day\"]\n");
    for window in ["previous", "all:previous"] {
        top(&server, "k/a", window).problem(400, "invalid", &["window", "all"]);
    }
}

#[test]
fn current_windows_follow_the_servers_clock_in_the_time_zone_of_the_kind() {
    let server = Server::with("[kinds.k]\ntime_zone = \"UTC\"\n");
    let before = date(now_ms());
    let shown = top(&server, "k/a", "day").ok();
    let after = date(now_ms());
    let named = shown["window"].as_str().unwrap().to_owned();
    assert!(
        [before, after]
            .map(|date| format!("day:{date}"))
            .contains(&named),
        "{named}"
    );
}

#[test]
fn invalid_selectors_are_rejected() {
    let server = keeping_all("UTC");
    for (window, parts) in [
        ("decade", &["window", "decade"][..]),
        ("", &["window"]),
        ("Day", &["window", "Day"]),
        ("day:", &["day"]),
        ("all:2026", &["all"]),
        ("day:2026-11-31", &["2026-11-31", "exist"]),
        ("day:2025-02-29", &["2025-02-29", "exist"]),
        ("day:2026-11", &["day:2026-11"]),
        ("day:2026-1-1", &["2026-1-1"]),
        ("day:1969-01-01", &["1969-01-01"]),
        ("week:2026-47", &["week:2026-W47"]),
        ("week:2026-W54", &["2026-W54"]),
        ("week:2025-W53", &["2025-W53"]),
        ("month:2026-13", &["2026-13"]),
        ("month:2026", &["month:2026"]),
        ("hour:2026-11-20", &["hour:2026-11-20"]),
        ("hour:2026-11-20T24", &["2026-11-20T24"]),
        ("hour:2026-11-20T14:00", &["2026-11-20T14:00"]),
        ("hour:2026-11-20T14+08:00", &["2026-11-20T14+08:00", "UTC"]),
    ] {
        top(&server, "k/a", window).problem(400, "invalid", parts);
    }
    server
        .get("/v1/boards/k/a/top?window=day&window=all")
        .problem(400, "invalid", &["window"]);
}

#[test]
fn a_window_that_the_kind_does_not_have_is_404() {
    let server = Server::with("[kinds.k]\nwindows = [\"day\", \"all\"]\n");
    for window in ["hour", "month:2026-11"] {
        top(&server, "k/a", window).problem(404, "unknown-window", &["window", "k", "day, all"]);
    }
}

#[test]
fn a_repeated_hour_requires_its_offset() {
    let server = keeping_all("America/New_York");
    let (earlier, later) = ("hour:2025-11-02T01-04:00", "hour:2025-11-02T01-05:00");
    for (at, member) in [
        ("2025-11-02T05:30:00Z", "edt"),
        ("2025-11-02T06:30:00Z", "est"),
    ] {
        let item = json!({"board": "k/a", "member": member, "points": 1, "at": at});
        server.contribute(&item).ok();
    }
    top(&server, "k/a", "hour:2025-11-02T01").problem(400, "invalid", &[earlier, later]);
    for (window, member) in [(earlier, "edt"), (later, "est")] {
        assert_eq!(server.order("k/a", window), [member]);
    }
    top(&server, "k/a", "hour:2025-11-02T01-06:00").problem(400, "invalid", &["-04:00", "-05:00"]);
    let skipped = top(&server, "k/a", "hour:2025-03-09T02");
    skipped.problem(400, "invalid", &["2025-03-09T02", "America/New_York"]);
}

#[test]
fn a_window_past_its_retention_is_410() {
    let server = Server::start();
    // 35 days after its end, which is up to a day away.
    let day = |ago: i64| format!("day:{}", date(now_ms() - ago * DAY_MS));
    assert_eq!(top(&server, "gifts/a", &day(35)).ok()["members"], 0);
    top(&server, "gifts/a", &day(37)).problem(410, "window-gone", &[&day(37)]);
    for window in ["month:2024-01", "week:2024-W01", "hour:2024-01-01T00Z"] {
        for path in [
            "/top?",
            "/range?from=1&to=2&",
            "/count?",
            "/members/u?",
            "/rank?points=1&",
            "?",
        ] {
            let path = format!("/v1/boards/gifts/a{path}window={}", encoded(window));
            server
                .get(path)
                .problem(410, "window-gone", &[&window[..6]]);
        }
        let asked = json!({"boards": ["gifts/a"], "window": window});
        server
            .post("/v1/top", &asked)
            .problem(410, "window-gone", &["boards[0]"]);
    }
}
