//! `GET .../range` by position and by the first field, and `GET .../count`.

use super::{ladder, members, on_a};

#[test]
fn position_ranges_include_both_ends() {
    let server = ladder(30);
    let range = |from: u64, to: u64| {
        server
            .get(on_a(&format!("/range?from={from}&to={to}")))
            .entries()
    };
    assert_eq!(members(&range(1, 1)), ["m01"]);
    assert_eq!(members(&range(9, 12)), ["m09", "m10", "m11", "m12"]);
    let page = range(12, 12);
    assert_eq!(
        (&page[0]["rank"], &page[0]["points"]),
        (&12.into(), &89.into())
    );
    assert_eq!(members(&range(29, 400)), ["m29", "m30"]);
    assert_eq!(range(31, 40).len(), 0);
    assert_eq!(range(u64::MAX, u64::MAX).len(), 0);
    assert_eq!(range(1, 1000).len(), 30);
}

#[test]
fn pages_extend_beyond_the_cached_board() {
    let server = testkit::Server::with("[kinds.gifts]\nwindows = [\"all\"]\ntop = 10\n");
    let points: Vec<(String, i64)> = (0..5000).map(|n| (format!("u{n}"), 5000 - n)).collect();
    let points: Vec<(&str, i64)> = points.iter().map(|(m, p)| (m.as_str(), *p)).collect();
    server.give("gifts/a", &points);
    let mut seen = Vec::new();
    for from in (1..=5000).step_by(700) {
        let to = from + 699;
        let page = server.get(format!("/v1/boards/gifts/a/range?from={from}&to={to}"));
        seen.extend(page.ranked());
    }
    let expected: Vec<_> = (0..5000_u64)
        .zip(&points)
        .map(|(n, (member, points))| (n + 1, (*member).to_owned(), *points))
        .collect();
    assert_eq!(seen, expected);
}

#[test]
fn value_ranges_include_both_ends() {
    let server = ladder(30);
    let range = |query: &str| {
        let entries = server.get(on_a(&format!("/range?{query}"))).entries();
        members(&entries)
            .iter()
            .map(|m| (*m).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(range("min=98&max=99"), ["m02", "m03"]);
    assert_eq!(range("min=99"), ["m01", "m02"]);
    assert_eq!(range("max=72"), ["m29", "m30"]);
    assert_eq!(range("min=72&max=80&limit=2"), ["m21", "m22"]);
    assert_eq!(range("min=500&max=900").len(), 0);
    assert_eq!(
        range("min=-9007199254740991&max=9007199254740991").len(),
        30
    );
    let entry = server.get(on_a("/range?min=90&max=90")).entries();
    assert_eq!(entry[0]["rank"], 11);
}

#[test]
fn ascending_fields_are_ranged_from_the_lowest_value() {
    let server = testkit::Server::with(
        "[kinds.golf]\nwindows = [\"all\"]\nfields = [{ name = \"points\", order = \"asc\" }]\n",
    );
    server.give("golf/a", &[("a", -3), ("b", 0), ("c", 4), ("d", 9)]);
    let page = server.get("/v1/boards/golf/a/range?min=0&max=9").entries();
    assert_eq!(members(&page), ["b", "c", "d"]);
    let page = server
        .get("/v1/boards/golf/a/range?min=0&limit=1")
        .entries();
    assert_eq!(members(&page), ["b"]);
    assert_eq!(server.get("/v1/boards/golf/a/count?max=0").ok()["count"], 2);
    assert_eq!(
        server.get("/v1/boards/golf/a/rank?points=0").ok()["position"],
        3
    );
}

#[test]
fn count_returns_the_number_of_members_in_a_range() {
    let server = ladder(30);
    for (query, count) in [
        ("?min=98&max=99", 2),
        ("?min=100", 1),
        ("?min=101", 0),
        ("?max=71", 1),
        ("?min=90&max=90", 1),
        ("", 30),
    ] {
        assert_eq!(
            server.get(on_a(&format!("/count{query}"))).ok()["count"],
            count,
            "{query}"
        );
    }
}

#[test]
fn invalid_ranges_are_reported() {
    let server = ladder(3);
    for (query, parts) in [
        ("", &["from"][..]),
        ("?from=1", &["to"]),
        ("?to=1", &["from"]),
        ("?from=0&to=1", &["from", "\"0\""]),
        ("?from=3&to=2", &["from", "3", "2"]),
        ("?from=1&to=1001", &["to", "1001", "1000"]),
        ("?from=x&to=2", &["from", "\"x\""]),
        ("?from=1&to=2&min=3", &["min"]),
        ("?from=1&to=2&limit=3", &["limit"]),
        ("?from=1&max=2", &["to"]),
        ("?min=3&max=2", &["min", "3", "2"]),
        ("?min=1.5", &["min", "1.5"]),
        ("?min=9007199254740992", &["min", "9007199254740992"]),
        ("?min=1&limit=0", &["limit", "\"0\""]),
        ("?min=1&limit=1001", &["limit", "1001"]),
        ("?limit=5", &["from"]),
        ("?min=1&min=2", &["min"]),
        ("?min=1&order=asc", &["order"]),
    ] {
        server
            .get(on_a(&format!("/range{query}")))
            .problem(400, "invalid", parts);
    }
    server
        .get(on_a("/count?min=3&max=2"))
        .problem(400, "invalid", &["min", "3", "2"]);
    server
        .get(on_a("/count?from=3"))
        .problem(400, "invalid", &["from"]);
}
