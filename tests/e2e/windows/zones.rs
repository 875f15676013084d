//! Days and hours by the time zone of the kind, also when clocks change.

use serde_json::{Value, json};
use testkit::Server;
use testkit::clock::{HOUR_MS, rfc3339};

use super::keeping_all;

/// Contributes a point to another member in each hour from a moment on.
fn hourly(server: &Server, from_ms: i64, hours: i64) {
    let item = |n: i64| {
        let at = rfc3339(from_ms + n * HOUR_MS + HOUR_MS / 2);
        json!({"board": "k/a", "member": format!("h{n:02}"), "points": n, "at": at})
    };
    let items: Vec<Value> = (0..hours).map(item).collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], hours);
}

fn members(server: &Server, window: &str) -> u64 {
    super::top(server, "k/a", window).ok()["members"]
        .as_u64()
        .unwrap()
}

#[test]
fn a_day_has_25_or_23_hours_when_clocks_change() {
    // Local midnights in New York: 2025-11-01, EDT; 2025-03-08, EST.
    for (from, days) in [
        (
            1_761_969_600_000,
            [("2025-11-01", 24), ("2025-11-02", 25), ("2025-11-03", 24)],
        ),
        (
            1_741_410_000_000,
            [("2025-03-08", 24), ("2025-03-09", 23), ("2025-03-10", 24)],
        ),
    ] {
        let server = keeping_all("America/New_York");
        let hours: i64 = days.iter().map(|(_, hours)| hours).sum();
        hourly(&server, from, hours);
        for (day, hours) in days {
            assert_eq!(
                members(&server, &format!("day:{day}")),
                hours.unsigned_abs(),
                "{day}"
            );
        }
        assert_eq!(members(&server, "all"), hours.unsigned_abs());
        let board = server.get("/v1/boards/k/a?window=all&fresh=true").ok();
        let windows = board["windows"].as_array().unwrap().iter();
        let mut names: Vec<&str> = windows
            .filter(|window| window["members"] == 1)
            .map(|window| window["window"].as_str().unwrap())
            .filter(|name| name.starts_with("hour:"))
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(
            names.len(),
            usize::try_from(hours).unwrap(),
            "each hour is a window"
        );
    }
}
