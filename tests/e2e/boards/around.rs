//! `GET .../members/{member}/around`: a member with its neighbours.

use super::{ladder, members, on_a};

#[test]
fn the_member_and_its_neighbours_are_returned() {
    let server = ladder(30);
    let around = |member: &str, query: &str| {
        let entries = server
            .get(on_a(&format!("/members/{member}/around{query}")))
            .entries();
        members(&entries)
            .iter()
            .map(|m| (*m).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        around("m10", "?above=2&below=1"),
        ["m08", "m09", "m10", "m11"]
    );
    assert_eq!(around("m10", "?above=0&below=0"), ["m10"]);
    assert_eq!(around("m02", "?above=5&below=1"), ["m01", "m02", "m03"]);
    assert_eq!(around("m30", "?above=1&below=5"), ["m29", "m30"]);
    assert_eq!(around("m10", "").len(), 11);
    for (member, size, first, last) in [
        ("m10", 1, 10, 10),
        ("m10", 4, 8, 11),
        ("m10", 5, 8, 12),
        ("m01", 5, 1, 5),
        ("m02", 5, 1, 5),
        ("m29", 5, 26, 30),
        ("m30", 5, 26, 30),
        ("m03", 30, 1, 30),
        ("m30", 500, 1, 30),
    ] {
        let expected: Vec<_> = (first..=last).map(|n| format!("m{n:02}")).collect();
        assert_eq!(
            around(member, &format!("?size={size}")),
            expected,
            "{member} {size}"
        );
    }
    assert_eq!(around("m15", "?above=500&below=500").len(), 30);
    let entry = &server
        .get(on_a("/members/m10/around?above=0&below=0"))
        .entries()[0];
    assert_eq!((&entry["rank"], &entry["points"]), (&10.into(), &91.into()));
}

#[test]
fn a_range_continues_after_the_last_neighbour() {
    let server = ladder(30);
    let around = server.get(on_a("/members/m10/around?above=1&below=2")).ok();
    let next = around["next"].as_str().unwrap();
    let page = server.get(on_a(&format!("/range?after={next}&limit=2")));
    assert_eq!(members(&page.entries()), ["m13", "m14"]);
    for whole in ["m29/around?above=1&below=5", "m02/around?size=500"] {
        let around = server.get(on_a(&format!("/members/{whole}"))).ok();
        assert_eq!(around.get("next"), None, "{whole}");
    }
    let cut = server
        .get(on_a("/members/m30/around?size=500&fresh=true"))
        .ok();
    assert_eq!(cut.get("next"), None);
    let cut = server.get(on_a("/members/m02/around?size=5")).ok();
    assert!(cut["next"].is_string(), "{cut}");
}

#[test]
fn errors_name_the_parameter() {
    let server = ladder(2);
    server
        .get(on_a("/members/nobody/around"))
        .problem(404, "not-ranked", &["nobody"]);
    for (query, parts) in [
        ("?above=-1", &["above", "-1"][..]),
        ("?below=501", &["below", "501"]),
        ("?n=5", &["n"]),
        ("?size=0", &["size", "0"]),
        ("?size=5&above=2", &["size", "above"]),
        ("?target=1", &["target"]),
    ] {
        server
            .get(on_a(&format!("/members/m01/around{query}")))
            .problem(400, "invalid", parts);
    }
}
