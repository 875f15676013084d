//! One object, an array, or lines: the same contributions in three forms, and their receipts.

use serde_json::{Value, json};
use testkit::Server;
use testkit::clock::{now_us, rfc3339_us};

fn applied(count: u64) -> Value {
    json!({"applied": count, "duplicates": 0, "rejected_count": 0, "rejected": [],
           "failed_count": 0, "failed": []})
}

#[test]
fn an_object_an_array_and_lines_are_equivalent() {
    let server = Server::start();
    let item = |member: &str| json!({"board": "gifts/a", "member": member, "points": 3});
    assert_eq!(server.contribute(&item("u1")).ok(), applied(1));
    let array = json!([item("u1"), item("u2")]);
    assert_eq!(server.contribute(&array).ok(), applied(2));
    let mut receipt = applied(3);
    receipt["read"] = json!(4);
    let lines = format!("{}\n\n{}\r\n{}", item("u1"), item("u3"), item("u2"));
    assert_eq!(server.lines(&lines).ok(), receipt);
    let top = server.get("/v1/boards/gifts/a/top?window=all&fresh=true");
    let points: Vec<_> = top.ranked().into_iter().map(|(_, m, p)| (m, p)).collect();
    assert_eq!(
        points,
        [
            ("u1".to_owned(), 9),
            ("u2".to_owned(), 6),
            ("u3".to_owned(), 3)
        ]
    );
}

#[test]
fn an_empty_body_has_an_empty_receipt() {
    let server = Server::start();
    assert_eq!(server.contribute(&json!([])).ok(), applied(0));
    let mut receipt = applied(0);
    receipt["read"] = json!(0);
    assert_eq!(server.lines("").ok(), receipt);
}

#[test]
fn the_media_type_may_have_parameters_and_any_case() {
    let server = Server::start();
    let item = json!({"board": "gifts/a", "member": "u", "points": 1}).to_string();
    for media_type in ["application/json; charset=utf-8", "Application/JSON"] {
        let headers = [("content-type", media_type)];
        let receipt = server.send("POST", "/v1/contributions", &headers, item.clone());
        assert_eq!(receipt.ok(), applied(1), "{media_type}");
    }
    for headers in [&[("content-type", "text/csv")][..], &[]] {
        let response = server.send("POST", "/v1/contributions", headers, item.clone());
        response.problem(415, "unsupported-media-type", &["content-type"]);
    }
}

#[test]
fn a_contribution_without_a_time_counts_now() {
    let server = Server::start();
    let before = rfc3339_us(now_us());
    server.give("gifts/a", &[("u", 1)]);
    let after = rfc3339_us(now_us());
    for window in ["hour", "day", "week", "month", "all"] {
        // If the hour changes in between, the contribution counts in the previous one.
        let shown = server.get(format!("/v1/boards/gifts/a/members/u?window={window}"));
        if shown.status == 404 {
            assert_ne!(
                before[..13],
                rfc3339_us(now_us())[..13],
                "{window}: {shown:?}"
            );
            continue;
        }
        let shown = shown.ok();
        let reached_at = shown["reached_at"].as_str().unwrap();
        assert!(*before <= *reached_at && *reached_at <= *after, "{shown}");
    }
}

#[test]
fn integers_may_be_written_with_a_fraction_of_zero() {
    let server = Server::start();
    let lines = [
        r#"{"board":"gifts/a","member":"u","points":50.0}"#,
        r#"{"board":"gifts/a","member":"u","values":{"points":-5e1}}"#,
        r#"{"board":"gifts/a","member":"u","points":9007199254740991.0}"#,
    ];
    let receipt = server.lines(&lines.join("\n")).ok();
    assert_eq!(
        (&receipt["applied"], &receipt["failed_count"]),
        (&json!(3), &json!(0))
    );
    let path = "/v1/boards/gifts/a/range?window=all&min=9007199254740991.0";
    let entries = server.get(path).entries();
    assert_eq!(entries[0]["points"], 9_007_199_254_740_991_i64);
    for (wrong, status) in [("50.5", 400), ("9007199254740992.0", 422), ("1e400", 422)] {
        let text = format!(r#"{{"board":"gifts/a","member":"u","points":{wrong}}}"#);
        let response = server.json("POST", "/v1/contributions", &text);
        assert_eq!(response.status, status, "{wrong}: {response:?}");
    }
}

#[test]
fn points_sets_a_single_field_and_values_any_fields() {
    let server = Server::with(
        "[kinds.gifts]\n[kinds.votes]\nwindows = [\"all\"]\nfields = [{ name = \"agree\" }, \
         { name = \"comments\" }]\n",
    );
    let by_values = json!({"board": "gifts/a", "member": "u", "values": {"points": 4}});
    assert_eq!(server.contribute(&by_values).ok(), applied(1));
    let shown = server.get("/v1/boards/gifts/a/members/u?window=all").ok();
    assert_eq!(shown["points"], 4);
    assert_eq!(shown.get("values"), None);
    // An omitted sum field counts 0.
    let one = json!({"board": "votes/a", "member": "u", "values": {"comments": 2}});
    assert_eq!(server.contribute(&one).ok(), applied(1));
    let shown = server.get("/v1/boards/votes/a/members/u").ok();
    assert_eq!(shown["values"], json!({"agree": 0, "comments": 2}));
    assert_eq!(shown.get("points"), None);
}
