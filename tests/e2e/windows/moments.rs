//! `at`: its formats, its range, past and future times, leap days and week years.

use serde_json::{Value, json};
use testkit::Server;
use testkit::clock::{DAY_MS, HOUR_MS, MINUTE_MS, now_ms, rfc3339};

use super::keeping_all;

fn item(at: impl Into<Value>) -> Value {
    json!({"board": "k/a", "member": "u", "points": 1, "at": at.into()})
}

fn reached_at(server: &Server) -> String {
    let shown = server.get("/v1/boards/k/a/members/u?window=all").ok();
    shown["reached_at"].as_str().unwrap().to_owned()
}

#[test]
fn rfc3339_offsets_and_epoch_milliseconds_are_equivalent() {
    let server = keeping_all("UTC");
    let expected = "2023-11-14T22:13:20.123000Z";
    for at in [
        json!("2023-11-14T22:13:20.123000Z"),
        json!("2023-11-14t22:13:20.123z"),
        json!("2023-11-15T06:13:20.123+08:00"),
        json!("2023-11-14T17:43:20.123-04:30"),
        json!("2023-11-14T22:13:20.1230009Z"),
        json!(1_700_000_000_123_i64),
    ] {
        assert_eq!(
            server.contribute(&item(at.clone())).ok()["applied"],
            1,
            "{at}"
        );
        assert_eq!(reached_at(&server), expected, "{at}");
        server.delete("/v1/boards/k/a").is_empty();
    }
    server.contribute(&item("2023-11-14T22:13:20Z")).ok();
    assert_eq!(reached_at(&server), "2023-11-14T22:13:20.000000Z");
}

#[test]
fn seconds_and_invalid_times_are_rejected() {
    let server = keeping_all("UTC");
    for (at, part) in [
        (json!(1_700_000_000), "1700000000"),
        (json!(99_999_999_999_i64), "99999999999"),
        (json!(0), "0"),
        (json!(-1), "-1"),
        (json!(i64::MAX), "9223372036854775807"),
        (json!(u64::MAX), "at"),
        (json!("1972-12-31T23:59:59.999000Z"), "1972-12-31"),
        (json!("10000-01-01T00:00:00Z"), "10000-01-01"),
        (json!("2023-02-29T00:00:00Z"), "2023-02-29"),
        (json!("2023-11-14T22:13:20"), "offset"),
        (json!("2023-11-14"), "2023-11-14"),
        (json!("2023-11-14T24:00:00Z"), "24:00:00"),
        (json!("1700000000123"), "1700000000123"),
        (json!(""), "at"),
        (json!([1]), "at"),
    ] {
        server
            .contribute(&item(at))
            .problem(400, "invalid", &["at", part]);
    }
    assert_eq!(server.versions("k/a"), []);
    for at in [json!(100_000_000_000_i64), json!("1973-03-04T00:00:00Z")] {
        assert_eq!(server.contribute(&item(at)).ok()["applied"], 1);
    }
}

#[test]
fn times_up_to_5_minutes_ahead_are_accepted() {
    let server = keeping_all("UTC");
    assert_eq!(
        server.contribute(&item(now_ms() + 4 * MINUTE_MS)).ok()["applied"],
        1
    );
    let version = server.versions("k/a");
    for ahead in [6 * MINUTE_MS, HOUR_MS, 365 * DAY_MS] {
        let at = now_ms() + ahead;
        let refused = server.contribute(&item(at));
        refused.problem(422, "from-the-future", &["at", &rfc3339(at), "5 minutes"]);
    }
    let batch = json!([item("9999-12-31T23:59:59Z"), item(1_700_000_000_000_i64)]);
    let receipt = server.contribute(&batch).ok();
    assert_eq!(
        (&receipt["applied"], &receipt["rejected"][0]["type"]),
        (&json!(1), &json!("from-the-future"))
    );
    assert_ne!(server.versions("k/a"), version);
}

#[test]
fn an_event_counts_in_the_windows_of_its_own_time() {
    let server = keeping_all("UTC");
    for (at, windows) in [
        // A leap day; a week of a year that begins in the previous one, and of one that ends in the
        // next.
        (
            "2024-02-29T23:59:59.999000Z",
            [
                "hour:2024-02-29T23Z",
                "day:2024-02-29",
                "week:2024-W09",
                "month:2024-02",
            ],
        ),
        (
            "2024-03-01T00:00:00.000000Z",
            [
                "hour:2024-03-01T00Z",
                "day:2024-03-01",
                "week:2024-W09",
                "month:2024-03",
            ],
        ),
        (
            "2021-01-03T12:00:00Z",
            [
                "hour:2021-01-03T12Z",
                "day:2021-01-03",
                "week:2020-W53",
                "month:2021-01",
            ],
        ),
        (
            "2024-12-30T12:00:00Z",
            [
                "hour:2024-12-30T12Z",
                "day:2024-12-30",
                "week:2025-W01",
                "month:2024-12",
            ],
        ),
    ] {
        server.contribute(&item(at)).ok();
        for window in windows {
            assert_eq!(server.order("k/a", window), ["u"], "{at} {window}");
        }
        let board = server.get("/v1/boards/k/a?window=all&fresh=true").ok();
        assert_eq!(board["windows"].as_array().unwrap().len(), 5, "{board}");
        server.delete("/v1/boards/k/a").is_empty();
    }
    assert_eq!(server.order("k/a", "day:2024-02-29"), [""; 0]);
}
