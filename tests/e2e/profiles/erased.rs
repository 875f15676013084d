//! A profile is erased with its member.

use serde_json::json;
use testkit::{Events, Server};

use super::{KINDS, named, names, path_of, put};

#[test]
fn a_profile_is_erased_with_its_member_in_every_kind() {
    let server = Server::durable(KINDS);
    server.give("gifts/a", &[("u1", 9), ("u2", 7)]);
    server.give("races/a", &[("u1", 9), ("u2", 7)]);
    for kind in ["gifts", "races"] {
        put(&server, kind, "u1", "Ann");
        put(&server, kind, "u2", "Ben");
    }
    let cached = "/v1/boards/gifts/a/top?profiles=true";
    assert_eq!(
        names(&server.get(cached))[0],
        named(&[("u1", Some("Ann"))])[0]
    );
    let mut kept = Events::of(&server, "/v1/boards/gifts/a/stream?profiles=true");
    assert!(kept.event().value.to_string().contains("Ann"));
    let mut events = Events::of(&server, "/v1/boards/races/a/stream?profiles=true");
    assert_eq!(events.event().entries().len(), 2);
    let erased = server.delete("/v1/members/u1?kind=gifts").ok();
    assert_eq!(erased, json!({"boards": 1, "erased": 1, "next": null}));
    server
        .get(path_of("gifts", "u1"))
        .problem(404, "no-profile", &[]);
    // The cached top may still have the entry, but not the profile.
    assert!(!server.get(cached).body.contains("Ann"));
    kept.until(|event| !event.value.to_string().contains("Ann"));
    let mut later = Events::of(&server, "/v1/boards/gifts/a/stream?profiles=true");
    assert!(!later.event().value.to_string().contains("Ann"));
    server
        .put("/v1/members/u2/hidden?kind=gifts", &json!({}))
        .ok();
    kept.until(|event| !event.value.to_string().contains("Ben"));
    server.delete("/v1/members/u2/hidden?kind=gifts").ok();
    drop((kept, later));
    assert_eq!(server.get(path_of("races", "u1")).ok()["name"], "Ann");
    server.delete("/v1/members/u1").ok();
    for kind in ["gifts", "races"] {
        server
            .get(path_of(kind, "u1"))
            .problem(404, "no-profile", &[]);
        let top = format!("/v1/boards/{kind}/a/top?profiles=true&fresh=true");
        assert_eq!(names(&server.get(top)), named(&[("u2", Some("Ben"))]));
    }
    let lookup = json!({"members": ["u1"]});
    let found = server.post("/v1/boards/gifts/a/lookup?profiles=true", &lookup);
    assert_eq!(names(&found), named(&[("u1", None)]));
    let last = events.until(|event| event.entries().len() == 1);
    assert!(!last.value.to_string().contains("Ann"));
    let server = server.kill().start();
    server
        .get(path_of("gifts", "u1"))
        .problem(404, "no-profile", &[]);
    // A member that stands on no board has one, too.
    put(&server, "gifts", "alone", "Eva");
    let erased = server.delete("/v1/members/alone?kind=gifts").ok();
    assert_eq!(erased, json!({"boards": 1, "erased": 0, "next": null}));
    server
        .get(path_of("gifts", "alone"))
        .problem(404, "no-profile", &[]);
}
