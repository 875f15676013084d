//! `profiles=true`: profiles in tops, ranges, around members, lookups and streams.

use serde_json::{Value, json};
use testkit::{Events, Server, eventually};

use super::{KINDS, named, names, path_of, put};

fn filled() -> Server {
    let server = Server::with(KINDS);
    server.give("gifts/a", &[("u1", 9), ("u2", 7), ("u3", 5), ("u4", 3)]);
    put(&server, "gifts", "u1", "Ann");
    put(&server, "gifts", "u3", "Cid");
    server
}

#[test]
fn every_read_shows_profiles_if_they_are_wanted() {
    let server = filled();
    let all = named(&[
        ("u1", Some("Ann")),
        ("u2", None),
        ("u3", Some("Cid")),
        ("u4", None),
    ]);
    let none = named(&[("u1", None), ("u2", None), ("u3", None), ("u4", None)]);
    for path in [
        "/v1/boards/gifts/a/top?",
        "/v1/boards/gifts/a/range?from=1&to=9&",
        "/v1/boards/gifts/a/range?min=1&",
        "/v1/boards/gifts/a/members/u2/around?",
    ] {
        assert_eq!(
            names(&server.get(format!("{path}window=all"))),
            none,
            "{path}"
        );
        let shown = server.get(format!("{path}profiles=true"));
        assert_eq!(names(&shown), all, "{path}");
        let tag = shown.header("etag");
        let known = server.get_with(&format!("{path}profiles=true"), &[("if-none-match", tag)]);
        assert_eq!(known.status, 304, "{path}");
        let plain = server.get_with(&format!("{path}window=all"), &[("if-none-match", tag)]);
        assert_eq!(plain.status, 200, "{path}");
    }
    let lookup = json!({"members": ["u3", "nobody", "u2"]});
    let found = server.post("/v1/boards/gifts/a/lookup?profiles=true", &lookup);
    let expected = named(&[("u3", Some("Cid")), ("nobody", None), ("u2", None)]);
    assert_eq!(names(&found), expected);
    let place = server
        .get("/v1/boards/gifts/a/members/u2?profiles=true")
        .ok();
    assert_eq!(place["profile"], Value::Null);
    let near = (&place["above"]["profile"], &place["below"]["profile"]);
    assert_eq!(near, (&json!({"name": "Ann"}), &json!({"name": "Cid"})));
    let tops = json!({"boards": ["gifts/a", "gifts/none"], "n": 2, "profiles": true});
    let tops = server.post("/v1/top", &tops).ok();
    assert_eq!(tops["boards"][0]["entries"][0]["profile"]["name"], "Ann");
    assert_eq!(tops["boards"][1]["entries"], json!([]));
    server
        .get("/v1/boards/gifts/a/top?profiles=maybe")
        .problem(400, "invalid", &["profiles"]);
}

#[test]
fn a_changed_profile_has_another_tag_and_is_shown_within_the_staleness_of_tops() {
    let server = filled();
    server.give("races/a", &[("u1", 9)]);
    let top = |kind: &str, more: &str| {
        let path = format!("/v1/boards/{kind}/a/top?profiles=true{more}");
        server.get(path)
    };
    let name = |response: &testkit::Response| names(response)[0].1.clone();
    let (gifts, races) = (top("gifts", ""), top("races", ""));
    assert_eq!((name(&gifts), name(&races)), (json!("Ann"), json!(null)));
    for kind in ["gifts", "races"] {
        put(&server, kind, "u1", "Eva");
    }
    // An hour, and none.
    assert_eq!(name(&top("gifts", "")), "Ann");
    let changed = top("races", "");
    assert_eq!(name(&changed), "Eva");
    assert_ne!(changed.header("etag"), races.header("etag"));
    assert_eq!(changed.ok()["version"], races.ok()["version"]);
    assert_eq!(name(&top("gifts", "&fresh=true")), "Eva");
    assert_eq!(name(&top("gifts", "")), "Eva");
    assert_eq!(name(&top("gifts", "&n=1")), "Eva");
    // Reads that are always fresh show it at once.
    put(&server, "gifts", "u1", "Fay");
    let range = server.get("/v1/boards/gifts/a/range?from=1&to=1&profiles=true");
    assert_eq!(name(&range), "Fay");
}

#[test]
fn hidden_members_have_no_profile_in_any_read() {
    let server = filled();
    let top = || server.get("/v1/boards/gifts/a/top?profiles=true");
    assert_eq!(names(&top())[0].1, "Ann");
    server.send("PUT", "/v1/members/u1/hidden", &[], "").ok();
    assert_eq!(names(&top())[0], ("u2".to_owned(), Value::Null));
    assert!(!top().body.contains("Ann"));
    server
        .get(path_of("gifts", "u1"))
        .problem(404, "no-profile", &["u1"]);
    let lookup = json!({"members": ["u1", "u3"]});
    let found = server.post("/v1/boards/gifts/a/lookup?profiles=true", &lookup);
    assert_eq!(names(&found), named(&[("u1", None), ("u3", Some("Cid"))]));
    for path in [
        "range?from=1&to=9&profiles=true",
        "members/u2/around?profiles=true",
        "members/u2?profiles=true",
    ] {
        let shown = server.get(format!("/v1/boards/gifts/a/{path}"));
        assert!(shown.status == 200 && !shown.body.contains("Ann"), "{path}");
    }
    // Written meanwhile, and shown with the member.
    put(&server, "gifts", "u1", "Eva");
    server.send("DELETE", "/v1/members/u1/hidden", &[], "").ok();
    assert_eq!(names(&top())[0], ("u1".to_owned(), json!("Eva")));
}

#[test]
fn streams_show_profiles_and_their_changes() {
    let server = Server::with(KINDS);
    server.give("races/a", &[("u1", 9), ("u2", 7)]);
    put(&server, "races", "u1", "Ann");
    let path = "/v1/boards/races/a/stream?n=10&profiles=true";
    let mut events = Events::of(&server, path);
    let mut changes = Events::of(&server, &format!("{path}&changes=true&member=u2"));
    let mut plain = Events::of(&server, "/v1/boards/races/a/stream?n=10");
    assert_eq!(events.event().entries()[0]["profile"]["name"], "Ann");
    assert_eq!(
        changes.named("board").entries()[0]["profile"]["name"],
        "Ann"
    );
    let own = changes.named("member").value;
    assert_eq!(own["above"]["profile"]["name"], "Ann");
    assert_eq!(plain.event().entries()[0]["profile"], Value::Null);
    put(&server, "races", "u1", "Eva");
    assert_eq!(events.event().entries()[0]["profile"]["name"], "Eva");
    let moved = changes.named("changes").value;
    assert_eq!(moved["changed"][0]["profile"]["name"], "Eva");
    assert_eq!(
        changes.named("member").value["above"]["profile"]["name"],
        "Eva"
    );
    server.send("PUT", "/v1/members/u1/hidden", &[], "").ok();
    let hidden = events.until(|event| event.entries().len() == 1);
    assert!(!hidden.value.to_string().contains("Eva"));
    let left = changes.named("changes").value;
    assert_eq!(left["left"], json!(["u1"]));
    server.give("races/a", &[("u2", 1)]);
    assert_eq!(
        plain.until(|event| event.entries().len() == 1).entries()[0]["member"],
        "u2"
    );
}

#[test]
fn repeated_reads_of_a_top_show_its_profiles() {
    let server = filled();
    for _ in 0..5 {
        let plain = server.get("/v1/boards/gifts/a/top");
        assert_eq!(names(&plain)[0].1, Value::Null);
        let shown = server.get("/v1/boards/gifts/a/top?profiles=true");
        assert_eq!(names(&shown)[0].1, "Ann");
    }
    server.give("gifts/a", &[("u2", 90)]);
    let fresh = "/v1/boards/gifts/a/top?profiles=true&fresh=true";
    eventually("the next merge is shown", || {
        (names(&server.get(fresh))[1].1 == "Ann").then_some(())
    });
}

#[test]
fn a_top_of_more_than_1000_entries_has_no_profiles() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\ntop = 2000\n");
    server.get("/v1/boards/gifts/a/top?n=1001").ok();
    server
        .get("/v1/boards/gifts/a/top?n=1000&profiles=true")
        .ok();
    let parts = ["n: 1001", "1000", "profiles"];
    for path in ["top", "stream"] {
        let path = format!("/v1/boards/gifts/a/{path}?n=1001&profiles=true");
        server.get(path).problem(400, "invalid", &parts);
    }
    let body = json!({"boards": ["gifts/a"], "n": 1001, "profiles": true});
    server
        .post("/v1/top", &body)
        .problem(400, "invalid", &parts);
}
