//! Parts of a day, several weeks, quarters and years, and days and weeks that begin at another time: on every store, through restarts.

use serde_json::{Value, json};
use testkit::redis::RedisServer;
use testkit::{Launch, Server};

use super::top;

/// A zone whose clock is set back on 2025-11-02 at 2, and days from 5 to 5.
const KINDS: &str = "[kinds.k]\nwindows = [\"6h\", \"2h\", \"day\", \"week\", \"2w\", \"quarter\", \"year\", \"all\"]\n\
    time_zone = \"America/New_York\"\nday_starts_at = \"05:00\"\nweek_starts_on = \"sunday\"\nweeks_count_from = \"2025-10-19\"\n\
    keep = { 6h = \"forever\", 2h = \"forever\", day = \"forever\", week = \"forever\", 2w = \"forever\", quarter = \"forever\", \
    year = \"forever\" }\n\
    [kinds.midnight]\nwindows = [\"6h\"]\ntime_zone = \"America/New_York\"\nkeep = { 6h = \"forever\" }\n";

fn give(server: &Server, board: &str, times: &[(&str, &str)]) {
    let item = |(member, at): &(&str, &str)| json!({"board": board, "member": member, "points": 1, "at": at});
    let items: Vec<Value> = times.iter().map(item).collect();
    let receipt = server.contribute(&items.into()).ok();
    assert_eq!(receipt["applied"], times.len(), "{receipt}");
}

fn assert_windows(server: &Server) {
    for (window, members) in [
        // The day from 5 to 5 in which the clock is set back has 25 hours.
        ("day:2025-11-01", 3),
        ("day:2025-11-02", 1),
        // Its last part, from 23 to 5, has 7 hours.
        ("6h:2025-11-01T23", 2),
        ("6h:2025-11-01T05", 1),
        ("6h:2025-11-02T05", 1),
        ("2h:2025-11-01T23", 0),
        ("2h:2025-11-02T01", 1),
        ("2h:2025-11-02T03", 1),
        ("week:2025-W44", 3),
        ("week:2025-W45", 1),
        ("2w:2025-10-19", 3),
        ("2w:2025-11-02", 1),
        ("2w:2025-10-05", 0),
        ("2w:2025-09-21", 1),
        ("quarter:2025-Q4", 4),
        ("quarter:2025-Q3", 1),
        ("year:2025", 5),
        ("year:2024", 0),
        ("all", 5),
    ] {
        let shown = top(server, "k/a", window).ok();
        assert_eq!(
            (&shown["window"], &shown["members"]),
            (&json!(window), &json!(members))
        );
    }
    for (window, parts) in [
        ("6h:2025-11-01T00", &["6h:2025-10-31T23"][..]),
        ("6h:2025-11-01T05:30", &["6h:2025-11-01T05"]),
        ("2w:2025-10-26", &["2w:2025-10-19"]),
        ("quarter:2025-Q5", &["exist"]),
        ("year:25", &["year:2026"]),
    ] {
        top(server, "k/a", window).problem(400, "invalid", parts);
    }
    top(server, "k/a", "month").problem(404, "unknown-window", &["quarter"]);
    let current = top(server, "k/a", "year").ok()["window"].clone();
    let previous = top(server, "k/a", "year:previous").ok()["window"].clone();
    let year = |window: &Value| window.as_str().unwrap()[5..].parse::<i64>().unwrap();
    assert_eq!(year(&previous) + 1, year(&current));
    // From midnight on, the first part has 7 hours, and the next begins at 6 by the clock.
    for (window, members) in [("6h:2025-11-02T00", 2), ("6h:2025-11-02T06", 1)] {
        assert_eq!(top(server, "midnight/a", window).ok()["members"], members);
    }
    let kind = server.get("/v1/kinds/k").ok();
    assert_eq!(
        (&kind["day_starts_at"], &kind["week_starts_on"]),
        (&json!("05:00"), &json!("sunday"))
    );
    let mut changed = kind.clone();
    changed["day_starts_at"] = json!("04:00");
    server
        .put("/v1/kinds/k", &changed)
        .problem(409, "kind-has-boards", &["day_starts_at"]);
}

fn test_periods(mut server: Server, kept: bool) {
    give(
        &server,
        "k/a",
        &[
            ("october 1, 4:59", "2025-10-01T08:59:00Z"),
            ("november 1, 5:00", "2025-11-01T09:00:00Z"),
            ("november 2, 1:30 again", "2025-11-02T06:30:00Z"),
            ("november 2, 4:59", "2025-11-02T09:59:00Z"),
            ("november 2, 5:00", "2025-11-02T10:00:00Z"),
        ],
    );
    give(
        &server,
        "midnight/a",
        &[
            ("0:00", "2025-11-02T04:00:00Z"),
            ("5:59", "2025-11-02T10:59:59Z"),
            ("6:00", "2025-11-02T11:00:00Z"),
        ],
    );
    assert_windows(&server);
    if kept {
        server = server.stop().start();
        assert_windows(&server);
        server = server.kill().start();
        assert_windows(&server);
    }
}

#[test]
fn periods_in_memory() {
    test_periods(Server::with(KINDS), false);
}

#[test]
fn periods_in_a_folder() {
    test_periods(Server::durable(KINDS), true);
}

#[test]
fn periods_on_redis() {
    let redis = RedisServer::plain();
    let launch = Launch::on_a_free_port(KINDS).args(&format!("--store {}", redis.url()));
    test_periods(launch.start(), true);
}

const SEASONS: &str = "[kinds.named]\nwindows = [\"season\", \"all\"]\ntime_zone = \"America/New_York\"\n\
    keep = { season = \"forever\" }\n\
    seasons = [{ name = \"one\", starts_at = \"2025-10-01\" }, { name = \"two\", starts_at = \"2025-11-02T05:00\" }]\n\
    [kinds.cron]\nwindows = [\"season\"]\ntime_zone = \"America/New_York\"\n\
    keep = { season = \"forever\" }\nseasons = { cron = \"0 5 1 * *\" }\n\
    [kinds.plain]\nwindows = [\"all\"]\n";

fn assert_seasons(server: &Server) {
    for (board, window, members) in [
        ("named/a", "season:before", 0),
        ("named/a", "season:one", 4),
        ("named/a", "season:two", 1),
        ("cron/a", "season:2025-09-01T05:00", 1),
        ("cron/a", "season:2025-10-01T05:00", 0),
        ("cron/a", "season:2025-11-01T05:00", 4),
    ] {
        let shown = top(server, board, window).ok();
        assert_eq!(
            (&shown["window"], &shown["members"]),
            (&json!(window), &json!(members))
        );
    }
    for (selector, window) in [("season", "season:two"), ("season:previous", "season:one")] {
        assert_eq!(top(server, "named/a", selector).ok()["window"], window);
    }
    top(server, "named/a", "season:three").problem(400, "invalid", &["season:three"]);
    top(server, "cron/a", "season:2025-11-01").problem(400, "invalid", &["season:2025-11-01"]);
    top(server, "plain/a", "season:one").problem(
        404,
        "unknown-window",
        &["plain has no season windows"],
    );
}

fn test_seasons(mut server: Server, kept: bool) {
    for board in ["named/a", "cron/a"] {
        give(
            &server,
            board,
            &[
                ("october 1, 4:59", "2025-10-01T08:59:00Z"),
                ("november 1, 5:00", "2025-11-01T09:00:00Z"),
                ("november 2, 1:30 again", "2025-11-02T06:30:00Z"),
                ("november 2, 4:59", "2025-11-02T09:59:00Z"),
                ("november 2, 5:00", "2025-11-02T10:00:00Z"),
            ],
        );
    }
    assert_seasons(&server);
    let kind = server.get("/v1/kinds/named").ok();
    let mut later = kind.clone();
    let seasons = later["seasons"].as_array_mut().unwrap();
    seasons.push(json!({"name": "three", "starts_at": "2399-01-01"}));
    server.put("/v1/kinds/named", &later).ok();
    assert_eq!(top(&server, "named/a", "season:three").ok()["members"], 0);
    server.put("/v1/kinds/named", &kind).ok();
    assert_seasons(&server);
    let mut earlier = kind;
    earlier["seasons"][1]["starts_at"] = json!("2025-11-03");
    server
        .put("/v1/kinds/named", &earlier)
        .problem(409, "kind-has-boards", &["seasons"]);
    server
        .put(
            "/v1/kinds/named",
            &json!({"windows": ["all"], "time_zone": "America/New_York"}),
        )
        .problem(409, "kind-has-boards", &["windows"]);
    if kept {
        server = server.stop().start();
        assert_seasons(&server);
        server = server.kill().start();
        assert_seasons(&server);
    }
}

#[test]
fn seasons_in_memory() {
    test_seasons(Server::with(SEASONS), false);
}

#[test]
fn seasons_in_a_folder() {
    test_seasons(Server::durable(SEASONS), true);
}

#[test]
fn seasons_on_redis() {
    let redis = RedisServer::plain();
    let launch = Launch::on_a_free_port(SEASONS).args(&format!("--store {}", redis.url()));
    test_seasons(launch.start(), true);
}
