//! `GET .../range` by position and by the first field, and `GET .../count`.

use serde_json::json;

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
fn ranges_are_read_from_the_worst() {
    let server = ladder(30);
    let range = |query: &str| {
        server
            .get(on_a(&format!("/range?order=worst&{query}")))
            .entries()
    };
    let page = range("from=1&to=3");
    assert_eq!(members(&page), ["m30", "m29", "m28"]);
    assert_eq!(page[0]["rank"], 30);
    assert_eq!(members(&range("from=29&to=40")), ["m02", "m01"]);
    assert_eq!(range("from=31&to=40").len(), 0);
    assert_eq!(members(&range("min=98")), ["m03", "m02", "m01"]);
    assert_eq!(members(&range("max=72&limit=1")), ["m30"]);
    assert_eq!(members(&range("min=72&max=80&limit=2")), ["m29", "m28"]);
    let best = server.get(on_a("/range?order=best&from=1&to=1")).entries();
    assert_eq!(members(&best), ["m01"]);
}

/// Reads a board to its end by `next`, and returns the members, in order. `meanwhile` is called after each page.
fn read_all(server: &testkit::Server, query: &str, meanwhile: impl Fn(usize)) -> Vec<String> {
    let (mut seen, mut after) = (Vec::new(), String::new());
    for page in 0.. {
        let read = server.get(on_a(&format!("/range?{query}{after}"))).ok();
        let entries = read["entries"].as_array().unwrap();
        seen.extend(
            entries
                .iter()
                .map(|it| it["member"].as_str().unwrap().to_owned()),
        );
        meanwhile(page);
        match read.get("next") {
            None => break,
            Some(next) => after = format!("&after={}", next.as_str().unwrap()),
        }
    }
    seen
}

#[test]
fn a_range_continues_after_its_last_entry_whatever_has_changed_before_it() {
    let server = ladder(30);
    let names = |numbers: &mut dyn Iterator<Item = u32>| {
        numbers.map(|n| format!("m{n:02}")).collect::<Vec<_>>()
    };
    // From one page to the next, members join at the top, and the last one that was read leaves.
    let meanwhile = |page: usize| {
        server.give("gifts/a", &[(&format!("n{page}"), 1000)]);
        if page == 0 {
            server.delete(on_a("/members/m04")).ok();
        }
    };
    assert_eq!(
        read_all(&server, "max=1000&limit=4", meanwhile),
        names(&mut (1..=30))
    );
    let server = ladder(30);
    let still = |_| ();
    for limit in [1, 7, 30, 31] {
        let from_worst = read_all(&server, &format!("order=worst&min=-5&limit={limit}"), still);
        assert_eq!(from_worst, names(&mut (1..=30).rev()));
        let bounded = read_all(&server, &format!("min=80&max=90&limit={limit}"), still);
        assert_eq!(bounded, names(&mut (11..=21)));
    }
    let first = server.get(on_a("/range?from=1&to=10")).ok();
    let next = first["next"].as_str().unwrap();
    let page = server
        .get(on_a(&format!("/range?after={next}&limit=5")))
        .ok();
    assert_eq!(
        members(page["entries"].as_array().unwrap()),
        ["m11", "m12", "m13", "m14", "m15"]
    );
    assert_eq!(page["entries"][0]["rank"], 11);
    let back = server
        .get(on_a(&format!("/range?after={next}&limit=2&order=worst")))
        .ok();
    assert_eq!(members(back["entries"].as_array().unwrap()), ["m09", "m08"]);
    assert_eq!(
        server.get(on_a("/range?from=1&to=30")).ok().get("next"),
        None
    );
    assert_eq!(
        server
            .get(on_a("/range?order=worst&from=1&to=30"))
            .ok()
            .get("next"),
        None
    );
}

#[test]
fn invalid_ranges_are_reported() {
    let server = ladder(3);
    let other = json!({"windows": ["all"]});
    assert_eq!(server.put("/v1/kinds/other", &other).status, 201);
    server.give("other/a", &[("u1", 1), ("u2", 2)]);
    let first = server.get("/v1/boards/other/a/range?min=0&limit=1").ok();
    let of_other = format!("?after={}", first["next"].as_str().unwrap());
    for (query, parts) in [
        (of_other.as_str(), &["after", "next", "kind gifts"][..]),
        ("", &["from"]),
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
        ("?min=1&order=asc", &["order", "\"asc\"", "best", "worst"]),
        ("?order=worst", &["from"]),
        ("?after=x", &["after", "\"x\"", "next"]),
        ("?after=", &["after"]),
        (
            "?from=1&to=2&after=AQAAAAAAAAAHAAAAAAAAAAh1MQ",
            &["from", "after"],
        ),
        (
            "?after=AQAAAAAAAAAHAAAAAAAAAAh1MQ&limit=1001",
            &["limit", "1001"],
        ),
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
