//! Subjects and members of any allowed text, percent-encoded in paths.

use serde_json::json;
use testkit::{Server, encoded};

const NAMES: [&str; 22] = [
    "a/b",
    "/",
    "//",
    "a b",
    ". .",
    "%",
    "%2F",
    "100%25",
    "é",
    "日本語/房间",
    "مرحبا",
    "שלום 1",
    "👩‍👩‍👧",
    "q\u{301}",
    "top",
    "members",
    "lookup",
    "../",
    "../../v1/kinds",
    "...",
    "?n=1&x=#frag",
    "\"\\'<>;+",
];

#[test]
fn names_are_written_and_read_unchanged() {
    let server = Server::start();
    for subject in NAMES {
        let items: Vec<_> = (1..)
            .zip(NAMES)
            .map(|(points, member)| {
                json!({"board": format!("gifts/{subject}"), "member": member, "points": points})
            })
            .collect();
        assert_eq!(
            server.contribute(&items.into()).ok()["applied"],
            NAMES.len()
        );
    }
    for subject in NAMES {
        let board = format!("gifts/{}", encoded(subject));
        let order = server.order(&board, "all");
        assert!(order.iter().rev().eq(&NAMES), "{subject}: {order:?}");
        let shown = server
            .get(format!("/v1/boards/{board}/range?from=1&to=1&window=all"))
            .ok();
        assert_eq!(shown["board"], format!("gifts/{subject}"));
    }
    for (points, member) in (1..).zip(NAMES) {
        let path = format!("/v1/boards/gifts/top/members/{}", encoded(member));
        let shown = server.get(format!("{path}?window=all")).ok();
        assert_eq!(
            (&shown["member"], &shown["points"]),
            (&json!(member), &json!(points))
        );
        let around = server
            .get(format!("{path}/around?above=0&below=0&window=all"))
            .entries();
        assert_eq!(around[0]["member"], member);
        server.put(&path, &json!({"points": 1000})).ok();
        assert_eq!(
            server.get(format!("{path}?window=all")).ok()["points"],
            1000
        );
        server.delete(&path).ok();
    }
    assert_eq!(server.order("gifts/top", "all"), [""; 0]);
}

/// Names that are invisible, or that look like others.
const CONFUSABLE: [&str; 12] = [
    " ",
    " a",
    "a ",
    "\u{200b}",
    "a\u{feff}",
    "a\u{2028}b",
    "a\u{202e}b",
    "\u{3000}",
    "Jose\u{301} A",
    "José\u{a0}A",
    "José\u{2009}A",
    "José  A",
];

#[test]
fn invisible_and_confusable_names_cannot_be_written() {
    let server = Server::start();
    for name in CONFUSABLE {
        let items = json!([
            {"board": "gifts/a", "member": name, "points": 1},
            {"board": format!("gifts/{name}"), "member": "u", "points": 1},
        ]);
        let receipt = server.contribute(&items).rejected();
        assert_eq!(receipt["rejected_count"], 2, "{name:?}: {receipt}");
        for (item, what) in [(0, "member "), (1, "board: subject ")] {
            let rejected = &receipt["rejected"][item];
            assert_eq!(rejected["type"], "invalid");
            let detail = rejected["detail"].as_str().unwrap();
            assert!(detail.starts_with(what), "{detail}");
        }
        let (name, one) = (encoded(name), json!({"points": 1}));
        for (path, body) in [
            (format!("/v1/boards/gifts/a/members/{name}"), &one),
            (format!("/v1/boards/gifts/{name}/members/u"), &one),
            (format!("/v1/boards/gifts/{name}"), &json!({"shards": 1})),
        ] {
            server.put(&path, body).problem(400, "invalid", &[]);
        }
        // Existing members with such names can be read, hidden and erased.
        let there = format!("/v1/boards/gifts/a/members/{name}");
        server.get(&there).problem(404, "not-ranked", &[]);
        assert_eq!(server.delete(&there).ok()["removed"], 0);
        let hidden = format!("/v1/members/{name}/hidden");
        assert!(server.put(&hidden, &json!({})).status < 300);
        assert!(server.delete(&hidden).status < 300);
        assert_eq!(server.delete(format!("/v1/members/{name}")).status, 200);
    }
}
