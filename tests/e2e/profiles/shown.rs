//! `profiles=true`: profiles in tops, ranges, around members, lookups and streams.

use serde_json::{Value, json};
use testkit::{Events, Server, eventually};

use super::{KINDS, names, put};

fn filled() -> Server {
    let server = Server::with(KINDS);
    server.give("gifts/a", &[("u1", 9), ("u2", 7), ("u3", 5), ("u4", 3)]);
    put(&server, "gifts", "u1", "Ann");
    put(&server, "gifts", "u3", "Cid");
    server
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
