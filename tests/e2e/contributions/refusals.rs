//! Errors in a contribution are reported by field, and nothing is applied.

use serde_json::{Value, json};
use testkit::Server;

fn item() -> Value {
    json!({"board": "gifts/a", "member": "u", "points": 1})
}

fn with(name: &str, value: impl Into<Value>) -> Value {
    let mut item = item();
    item[name] = value.into();
    item
}

fn without(name: &str) -> Value {
    let mut item = item();
    item.as_object_mut().unwrap().remove(name);
    item
}

#[test]
fn invalid_fields_are_reported() {
    let server = Server::start();
    server.contribute(&item()).ok();
    let version = server.versions("gifts/a");
    let long = "x".repeat(129);
    for (item, status, word, parts) in [
        (without("board"), 400, "invalid", &["board"][..]),
        (without("member"), 400, "invalid", &["member"]),
        (without("points"), 400, "invalid", &["points"]),
        (with("weight", 1), 400, "invalid", &["weight"]),
        (with("board", "gifts"), 400, "invalid", &["board", "gifts"]),
        (with("board", "gifts/"), 400, "invalid", &["subject"]),
        (with("board", "/a"), 400, "invalid", &["kind"]),
        (with("board", "Gifts/a"), 400, "invalid", &["kind", "Gifts"]),
        (
            with("board", "gifts/.."),
            400,
            "invalid",
            &["subject", ".."],
        ),
        (with("board", "gifts/a\u{7}"), 400, "invalid", &["subject"]),
        (
            with("board", format!("gifts/{long}")),
            400,
            "invalid",
            &["subject", "128"],
        ),
        (with("board", "nope/a"), 404, "unknown-kind", &["nope"]),
        (with("board", 7), 400, "invalid", &["board", "7"]),
        (with("member", ""), 400, "invalid", &["member"]),
        (with("member", "."), 400, "invalid", &["member", "."]),
        (with("member", "a\nb"), 400, "invalid", &["member"]),
        (with("member", "a\u{85}b"), 400, "invalid", &["member"]),
        (
            with("member", long.as_str()),
            400,
            "invalid",
            &["member", "128"],
        ),
        (with("member", Value::Null), 400, "invalid", &["member"]),
        (with("points", "1"), 400, "invalid", &["points", "\"1\""]),
        (with("points", 1.5), 400, "invalid", &["points", "1.5"]),
        (with("points", u64::MAX), 422, "out-of-range", &["points"]),
        (with("id", 7), 400, "invalid", &["id", "7"]),
        (with("set", "yes"), 400, "invalid", &["set", "yes"]),
        (
            with("boards", json!(["gifts/b"])),
            400,
            "invalid",
            &["boards"],
        ),
        (
            with("at", "yesterday"),
            400,
            "invalid",
            &["at", "yesterday"],
        ),
        (with("at", 1.5), 400, "invalid", &["at", "1.5"]),
    ] {
        server.contribute(&item).problem(status, word, parts);
        let receipt = server.contribute(&json!([item])).rejected();
        assert_eq!(receipt["applied"], 0, "{item}");
        assert_eq!(receipt["rejected"][0]["index"], 0, "{item}");
        assert_eq!(receipt["rejected"][0]["type"], word, "{item}");
        let receipt = server.lines(&format!("{item}\n")).rejected();
        assert_eq!(receipt["rejected"][0]["type"], word, "{item}");
        let detail = receipt["rejected"][0]["detail"].as_str().unwrap();
        assert!(parts.iter().all(|part| detail.contains(part)), "{receipt}");
    }
    assert_eq!(server.versions("gifts/a"), version);
    assert_eq!(
        server.get("/v1/boards?kind=gifts").ok()["boards"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn names_of_1_to_128_bytes_are_accepted() {
    let server = Server::start();
    for name in [
        "x".repeat(128),
        "é".repeat(64),
        "...".to_owned(),
        "a b".to_owned(),
    ] {
        let item = json!({"board": format!("gifts/{name}"), "member": name, "points": 1});
        assert_eq!(server.contribute(&item).ok()["applied"], 1, "{name:?}");
    }
}

#[test]
fn invalid_json_is_400_with_line_and_column() {
    let server = Server::start();
    let post = |text: &str| server.json("POST", "/v1/contributions", text);
    for (text, line, column) in [
        ("", "line 1", "column 0"),
        ("{", "line 1", "column 1"),
        (
            "{\"board\": \"gifts/a\",\n \"member\" 7}",
            "line 2",
            "column 11",
        ),
        (
            "{\"board\": \"gifts/a\", \"member\": \"u\", \"points\": 1} x",
            "line 1",
            "column 50",
        ),
        ("[{\"board\":\n\n tru", "line 3", "column"),
        ("[1,]", "line 1", "column 4"),
        ("{\"board\": \"gifts/a\u{0}\"}", "line 1", "column"),
    ] {
        post(text).problem(400, "malformed", &[line, column]);
    }
    // An array must be valid JSON as a whole before anything is applied.
    let text = format!("[{}, {{\"board\"]", item());
    post(&text).problem(400, "malformed", &["line 1"]);
    assert_eq!(server.versions("gifts/a"), []);
}

#[test]
fn items_other_than_objects_are_invalid() {
    let server = Server::start();
    for text in ["7", "null", "\"text\"", "true"] {
        server
            .json("POST", "/v1/contributions", text)
            .problem(400, "invalid", &[]);
        let receipt = server
            .json("POST", "/v1/contributions", &format!("[{text}]"))
            .rejected();
        assert_eq!(receipt["rejected"][0]["type"], "invalid", "{text}");
        assert_eq!(
            server.lines(text).rejected()["rejected"][0]["type"],
            "invalid",
            "{text}"
        );
    }
}

#[test]
fn an_array_of_field_values_is_not_a_contribution() {
    let server = Server::start();
    let row = r#"["gifts/a", null, "u", 5, null, null, null, false]"#;
    let receipt = server.json("POST", "/v1/contributions", &format!("[{row}]"));
    assert_eq!(receipt.rejected()["rejected"][0]["type"], "invalid");
    assert_eq!(
        server.lines(row).rejected()["rejected"][0]["type"],
        "invalid"
    );
    assert_eq!(server.versions("gifts/a"), []);
}

#[test]
fn a_duplicate_key_is_an_error() {
    let server = Server::with(
        "[kinds.gifts]\n[kinds.k]\nwindows = [\"all\"]\nfields = [{ name = \"s\" }]\n",
    );
    for (text, part) in [
        (
            "{\"board\": \"gifts/a\", \"member\": \"u\", \"points\": 1, \"points\": 2}",
            "points",
        ),
        (
            "{\"board\": \"gifts/a\", \"member\": \"u\", \"member\": \"v\", \"points\": 1}",
            "member",
        ),
        (
            "{\"board\": \"k/a\", \"member\": \"u\", \"values\": {\"s\": 1, \"s\": 2}}",
            "s",
        ),
    ] {
        let response = server.json("POST", "/v1/contributions", text);
        response.problem(400, "invalid", &[part]);
    }
}

#[test]
fn invalid_utf8_is_an_error() {
    let server = Server::start();
    let body = b"{\"board\": \"gifts/a\", \"member\": \"u\xff\", \"points\": 1}".to_vec();
    let json = [("content-type", "application/json")];
    let response = server.send("POST", "/v1/contributions", &json, body.clone());
    assert_eq!(response.status, 400, "{}", response.body);
    let ndjson = [("content-type", "application/x-ndjson")];
    let lines = [body, format!("\n{}", item()).into_bytes()].concat();
    let receipt = server
        .send("POST", "/v1/contributions", &ndjson, lines)
        .ok();
    assert_eq!(
        (&receipt["applied"], &receipt["rejected_count"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(server.order("gifts/a", "all"), ["u"]);
}

#[test]
fn unknown_parameters_are_errors() {
    let server = Server::start();
    let response = server.post("/v1/contributions?dry=true", &item());
    response.problem(400, "invalid", &["dry: is not a parameter of this path"]);
    assert_eq!(server.versions("gifts/a"), []);
}
