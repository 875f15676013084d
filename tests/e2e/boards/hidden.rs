//! Hiding, showing and erasing members on all boards, and the audit log of it.

use serde_json::{Value, json};
use testkit::clock::{now_ms, rfc3339};
use testkit::{Events, Response, Server, eventually};

const KINDS: &str = "[kinds.gifts]\nwindows = [\"all\", \"day\"]\nmax_staleness = \"1h\"\n\
                     [kinds.races]\nwindows = [\"all\"]\nrank = \"competition\"\n";

fn names(response: &Response) -> Vec<String> {
    let entries = response.entries();
    let names = entries
        .iter()
        .map(|entry| entry["member"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

fn filled() -> Server {
    let server = Server::durable(KINDS);
    server.give(
        "gifts/a",
        &[("best", 9), ("u1", 7), ("next", 5), ("last", 1)],
    );
    server.give("gifts/b", &[("u1", 3)]);
    server.give("races/a", &[("u1", 5), ("other", 5), ("third", 2)]);
    server
}

#[test]
fn a_stream_removes_hidden_members() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\n");
    server.give("gifts/a", &[("u1", 7), ("u2", 5)]);
    let mut events = Events::of(&server, "/v1/boards/gifts/a/stream");
    assert_eq!(events.event().entries()[0]["member"], "u1");
    server.send("PUT", "/v1/members/u1/hidden", &[], "").ok();
    let without = events.until(|event| event.value["members"] == 1);
    assert_eq!(without.entries()[0]["member"], "u2");
}

#[test]
fn an_erased_member_is_removed_from_all_boards_including_ended_ones() {
    let server = filled();
    let span = json!({"ends_at": rfc3339(now_ms() + 2_000)});
    server.put("/v1/boards/gifts/battle", &span).ok();
    server.give("gifts/battle", &[("u1", 1), ("u2", 2)]);
    for number in 0..300 {
        server.give(&format!("gifts/room-{number:03}"), &[("u2", 1)]);
    }
    server.give("gifts/room-299", &[("u1", 1)]);
    eventually("the battle ends", || {
        let over = server.get("/v1/boards/gifts/battle/top").ok()["final"] == true;
        over.then_some(())
    });
    server.send("PUT", "/v1/members/u1/hidden", &[], "").ok();
    let erased = server.send("DELETE", "/v1/members/u1", &[], "").ok();
    assert_eq!(erased, json!({"boards": 304, "erased": 5, "next": null}));
    for board in [
        "gifts/a",
        "gifts/b",
        "races/a",
        "gifts/battle",
        "gifts/room-299",
    ] {
        let path = format!("/v1/boards/{board}/members/u1");
        assert_eq!(server.get(path).status, 404, "{board}");
    }
    assert_eq!(
        names(&server.get("/v1/boards/gifts/battle/top?fresh=true")),
        ["u2"]
    );
    // It is also forgotten that the member was hidden.
    assert_eq!(
        server.get("/v1/hidden?kind=gifts").ok()["hidden"],
        json!([])
    );
    let again = |after: &str| {
        let path = format!("/v1/members/u1?after={after}");
        let erased = server.send("DELETE", &path, &[], "").ok();
        assert_eq!(
            (&erased["erased"], &erased["next"]),
            (&json!(0), &Value::Null)
        );
        erased["boards"].clone()
    };
    assert_eq!(again("gifts/room-297"), 3);
    assert_eq!(again("races/"), 1);
    // A kind may be deleted between two requests.
    let settings = json!({"windows": ["all"]});
    server.put("/v1/kinds/gone", &settings).is(201);
    server.delete("/v1/kinds/gone").is_empty();
    assert_eq!(again("gone/room"), 1);
}

#[test]
fn a_kind_hides_at_most_1000_members() {
    let server = filled();
    let hide = |number| {
        server.send(
            "PUT",
            &format!("/v1/members/m{number}/hidden?kind=races"),
            &[],
            "",
        )
    };
    for number in 0..1_000 {
        hide(number).ok();
    }
    // A kind that hides the maximum already does not prevent the other kinds from hiding the
    // member.
    for kind in ["aaa", "zzz"] {
        let settings = json!({"windows": ["all"]});
        server.put(format!("/v1/kinds/{kind}"), &settings).is(201);
    }
    let partly = server.send("PUT", "/v1/members/m1000/hidden", &[], "");
    partly.problem(409, "conflict", &["races", "1000"]);
    assert_eq!(partly.value()["hidden_in"], json!(["aaa", "gifts", "zzz"]));
    let refused = hide(1_000);
    assert_eq!(refused.status, 409);
    assert!(
        refused.value()["detail"].as_str().unwrap().contains("1000"),
        "{refused:?}"
    );
    assert_eq!(names(&server.get("/v1/boards/races/a/top")).len(), 3);
}

#[test]
fn changes_are_audited_before_their_response() {
    let server = filled();
    let hidden = server.send("PUT", "/v1/members/u1/hidden", &[], "");
    server.send("DELETE", "/v1/members/u1", &[], "").ok();
    server.delete("/v1/boards/gifts/b").is_empty();
    // A refused request is one line of limited length.
    let target = format!("/v1/boards/gifts/none?{}", "x".repeat(2_000));
    assert_eq!(server.delete("/v1/boards/gifts/none").status, 404);
    assert_eq!(server.delete(&target).status, 400);
    // Contributions and reads are not audited.
    server.give("gifts/a", &[("u2", 1)]);
    let log = std::fs::read_to_string(server.kept().join("audit.log")).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let outcomes: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["event"].as_str().unwrap(),
                &line["method"],
                &line["path"],
                &line["status"],
            )
        })
        .collect();
    let (nothing, ok) = (&Value::Null, &json!(200));
    assert_eq!(
        outcomes,
        [
            (
                "begun",
                &json!("PUT"),
                &json!("/v1/members/u1/hidden"),
                nothing
            ),
            ("ended", nothing, nothing, ok),
            ("begun", &json!("DELETE"), &json!("/v1/members/u1"), nothing),
            ("ended", nothing, nothing, ok),
            (
                "begun",
                &json!("DELETE"),
                &json!("/v1/boards/gifts/b"),
                nothing
            ),
            ("ended", nothing, nothing, &json!(204)),
            (
                "refused",
                &json!("DELETE"),
                &json!("/v1/boards/gifts/none"),
                &json!(404)
            ),
            ("refused", &json!("DELETE"), &lines[7]["path"], &json!(400)),
        ]
    );
    assert!(lines[7].to_string().len() < 1_000, "{}", lines[7]);
    assert_eq!(
        lines[3]["details"],
        json!({"boards": 3, "erased": 3, "next": null})
    );
    assert_eq!(lines[2]["operation"], lines[3]["operation"]);
    assert_eq!(lines[2]["address"], "127.0.0.1");
    assert_eq!(lines[0]["request_id"], hidden.header("x-request-id"));
}
