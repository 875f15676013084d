//! `POST .../lookup`: many members at once, in the requested order.

use serde_json::{Value, json};

use super::{ladder, on_a};

#[test]
fn entries_are_in_the_requested_order_and_unranked_ones_are_null() {
    let server = ladder(30);
    let asked = json!({"members": ["m30", "nobody", "m01", "m30", "é/ %"]});
    let found = server.post(on_a("/lookup"), &asked).entries();
    let ranks: Vec<(&Value, &Value)> = found.iter().map(|e| (&e["member"], &e["rank"])).collect();
    assert_eq!(
        ranks,
        [
            (&json!("m30"), &json!(30)),
            (&json!("nobody"), &Value::Null),
            (&json!("m01"), &json!(1)),
            (&json!("m30"), &json!(30)),
            (&json!("é/ %"), &Value::Null),
        ]
    );
    assert_eq!(
        (&found[0]["points"], &found[2]["points"]),
        (&json!(71), &json!(100))
    );
    assert!(found[0]["reached_at"].is_string());
    assert_eq!(
        server
            .post(on_a("/lookup"), &json!({"members": []}))
            .entries()
            .len(),
        0
    );
}

#[test]
fn at_most_1000_members_are_accepted() {
    let server = ladder(30);
    let asked = |count: u32| {
        let members: Vec<String> = (1..=count).map(|n| format!("m{n:02}")).collect();
        server.post(on_a("/lookup"), &json!({"members": members}))
    };
    let found = asked(1000).entries();
    let ranked = found.iter().filter(|entry| !entry["rank"].is_null());
    assert_eq!((found.len(), ranked.count()), (1000, 30));
    asked(1001).problem(400, "invalid", &["members", "at most 1000"]);
}

#[test]
fn errors_name_the_parameter() {
    let server = ladder(2);
    for (body, parts) in [
        (json!({}), &["members"][..]),
        (json!({"members": "m01"}), &["members"]),
        (json!({"members": ["m01", 7]}), &["members[1]", "7"]),
        (json!({"members": ["m01", ""]}), &["members[1]"]),
        (json!({"members": [], "n": 1}), &["n"]),
        (json!([["m01"]]), &["object"]),
    ] {
        server
            .post(on_a("/lookup"), &body)
            .problem(400, "invalid", parts);
    }
    let response = server.json("POST", &on_a("/lookup"), "{\"members\": [");
    response.problem(400, "malformed", &["line 1", "column 13"]);
    let response = server.send(
        "POST",
        &on_a("/lookup"),
        &[("content-type", "text/plain")],
        "{}",
    );
    response.problem(
        415,
        "unsupported-media-type",
        &["content-type", "text/plain"],
    );
    server
        .post(on_a("/lookup?n=1"), &json!({"members": []}))
        .problem(400, "invalid", &["n"]);
}
