//! Hiding, showing and erasing members on all boards, and the audit log of it.

use serde_json::{Value, json};
use testkit::clock::{now_ms, rfc3339};
use testkit::{Events, Response, Server, cli, eventually};

const KINDS: &str = "[kinds.gifts]\nwindows = [\"all\", \"day\"]\nmax_staleness = \"1h\"\n\
                     [kinds.races]\nwindows = [\"all\"]\nrank = \"competition\"\n";

fn names(response: &Response) -> Vec<String> {
    let entries = response.entries();
    let names = entries
        .iter()
        .map(|entry| entry["member"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

fn standing(server: &Server, board: &str, member: &str) -> Value {
    let path = format!("/v1/boards/{board}/members/{member}");
    server.get(path).ok()
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
fn ranks_skip_hidden_members_until_they_are_shown_again() {
    let server = filled();
    let top = || server.get("/v1/boards/gifts/a/top");
    let version = top().ok()["version"].clone();
    let hidden = server.send("PUT", "/v1/members/u1/hidden", &[], "");
    assert_eq!(hidden.ok()["hidden_in"], json!(["gifts", "races"]));
    assert_eq!(names(&top()), ["best", "next", "last"]);
    assert_eq!(top().ok()["members"], 3);
    assert_ne!(top().ok()["version"], version);
    assert_eq!(standing(&server, "gifts/a", "next")["rank"], 2);
    assert_eq!(
        standing(&server, "gifts/a", "next")["above"]["member"],
        "best"
    );
    assert_eq!(standing(&server, "races/a", "third")["rank"], 2);
    assert_eq!(server.get("/v1/boards/gifts/a/members/u1").status, 404);
    let lookup = server.post(
        "/v1/boards/gifts/a/lookup",
        &json!({"members": ["u1", "last"]}),
    );
    assert_eq!(lookup.entries()[0]["rank"], Value::Null);
    assert_eq!(lookup.entries()[1]["rank"], 3);
    let windows = server.get("/v1/boards/gifts/a").ok()["windows"].clone();
    assert!(
        windows
            .as_array()
            .unwrap()
            .iter()
            .all(|window| window["members"] == 3)
    );
    // Contributions of a hidden member count, without a rank, and changed settings of the kind
    // leave it hidden.
    let item = json!({"board": "gifts/a", "member": "u1", "points": 1});
    let receipt = server.post("/v1/contributions?return=ranks", &item).ok();
    for window in receipt["standings"][0]["windows"].as_array().unwrap() {
        let (rank, null) = ((&window["rank"], &window["position"]), &Value::Null);
        assert_eq!((&window["points"], rank), (&json!(8), (null, null)));
        assert!(window.as_object().unwrap().contains_key("rank"));
    }
    let mut kind = server.get("/v1/kinds/gifts").ok();
    assert!(!kind.to_string().contains("u1"));
    kind["top"] = json!(2);
    server.put("/v1/kinds/gifts", &kind).ok();
    let fresh = server.get("/v1/boards/gifts/a/top?n=2&fresh=true");
    assert_eq!(names(&fresh), ["best", "next"]);

    // The kind is a parameter: a body that names one would be ignored.
    let json = [("content-type", "application/json")];
    for method in ["PUT", "DELETE"] {
        let body = "{\"kind\":\"gifts\"}";
        let refused = server.send(method, "/v1/members/u1/hidden", &json, body);
        refused.problem(400, "invalid", &["body", method, "query"]);
    }
    let of_gifts = server.send("DELETE", "/v1/members/u1/hidden?kind=gifts", &[], "");
    assert_eq!(of_gifts.ok()["hidden_in"], json!([]));
    let left = server.get("/v1/members/u1/hidden").ok();
    assert_eq!(left["hidden_in"], json!(["races"]));
    assert_eq!(
        server.get("/v1/hidden?kind=races").ok()["hidden"],
        json!(["u1"])
    );
    let shown = standing(&server, "gifts/a", "u1");
    assert_eq!((&shown["rank"], &shown["points"]), (&json!(2), &json!(8)));
}

#[test]
fn hidden_members_stay_hidden_after_a_restart() {
    let server = filled();
    server
        .send("PUT", "/v1/members/u1/hidden?kind=gifts", &[], "")
        .ok();
    let server = server.stop().start();
    assert_eq!(
        names(&server.get("/v1/boards/gifts/a/top")),
        ["best", "next", "last"]
    );
    assert_eq!(names(&server.get("/v1/boards/races/a/top")).len(), 3);
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
fn errors_name_the_parameter() {
    let server = filled();
    for (method, path, status) in [
        ("PUT", "/v1/members/u1/hidden?kind=none", 404),
        ("PUT", "/v1/members/u1/hidden?kinds=gifts", 400),
        ("GET", "/v1/hidden", 400),
        ("DELETE", "/v1/members/u1?after=gifts", 400),
        // These paths name no member, and nothing is changed.
        ("DELETE", "/v1/members/u1?kind=gifts&after=zzz/x", 400),
        ("DELETE", "/v1/members/u1?kind=gifts&after=races/", 400),
        ("DELETE", "/v1/members/u1?after=zzz/x", 400),
        ("POST", "/v1/members/u1", 405),
    ] {
        assert_eq!(
            server.send(method, path, &[], "").status,
            status,
            "{method} {path}"
        );
    }
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
fn commands_hide_show_and_erase() {
    let server = filled();
    let run = |arguments: &[&str]| {
        let all: Vec<&str> = [&["member"], arguments, &["--server", server.url()]].concat();
        let run = cli::run(&all, b"");
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        run.stdout
    };
    assert_eq!(run(&["hide", "u1"]), "hidden in: gifts, races\n");
    assert_eq!(run(&["show", "u1", "--kind", "gifts"]), "not hidden\n");
    assert_eq!(
        run(&["erase", "u1", "--yes"]),
        "erased from 3 of 3 boards\n"
    );
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
