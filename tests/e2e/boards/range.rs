//! `GET .../range` of whole boards, page by page.

use super::{ladder, on_a};

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
}
