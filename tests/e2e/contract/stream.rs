//! Streams, which no fuzzer waits for: their events are what the document says.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Events, Server};

use super::{CONFIG, fill};

const STREAM: &str = "/v1/boards/gifts/room-8842/stream";

/// Members that a schema tells of, and those of them that are always there.
fn members(document: &Value, schema: &Value) -> (BTreeSet<String>, BTreeSet<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap();
        return members(document, &document["components"]["schemas"][name]);
    }
    let texts = |list: &Value| {
        let list = list.as_array().into_iter().flatten();
        list.map(|text| text.as_str().unwrap().to_owned())
            .collect::<BTreeSet<_>>()
    };
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut all: BTreeSet<String> = properties.map(|(name, _)| name.clone()).collect();
    let mut needed = texts(&schema["required"]);
    for part in schema["allOf"].as_array().into_iter().flatten() {
        let (more, more_needed) = members(document, part);
        all.extend(more);
        needed.extend(more_needed);
    }
    (all, needed)
}

#[track_caller]
fn is_of(document: &Value, schema: &str, value: &Value) {
    let told = &document["components"]["schemas"][schema];
    assert!(told.is_object(), "{schema} is not in the document");
    let (all, needed) = members(document, told);
    let own: BTreeSet<String> = value.as_object().unwrap().keys().cloned().collect();
    assert!(own.is_subset(&all), "{schema}: {:?}", own.difference(&all));
    assert!(
        needed.is_subset(&own),
        "{schema}: {:?}",
        needed.difference(&own)
    );
}

#[test]
fn events_are_what_the_document_says() {
    let server = Server::with(CONFIG);
    fill(&server);
    let document = server.get("/openapi.json").ok();
    let mut events = Events::of(
        &server,
        &format!("{STREAM}?n=2&changes=true&member=u3&window=all"),
    );
    assert!(
        events
            .head
            .iter()
            .any(|line| line == "content-type: text/event-stream")
    );
    is_of(&document, "Top", &events.named("board").value);
    is_of(&document, "OwnPlaceAnswer", &events.named("member").value);
    server.give("gifts/room-8842", &[("u3", 600)]);
    let changes = events.named("changes").value;
    is_of(&document, "Changes", &changes);
    assert_eq!(changes["entered"][0]["member"], "u3", "{changes}");
    is_of(&document, "Moved", &changes["entered"][0]);
    let mut absent = Events::of(&server, &format!("{STREAM}?member=nobody"));
    is_of(&document, "NoPlaceAnswer", &absent.named("member").value);
}

#[test]
fn what_ends_a_stream_is_a_problem() {
    let server = Server::with(CONFIG);
    server
        .put("/v1/kinds/brief", &json!({"windows": ["all"]}))
        .is(201);
    let document = server.get("/openapi.json").ok();
    let mut events = Events::of(&server, "/v1/boards/brief/a/stream");
    is_of(&document, "Top", &events.named("board").value);
    server.delete("/v1/kinds/brief").is_empty();
    let problem = events.named("problem").value;
    is_of(&document, "Problem", &problem);
    assert_eq!(problem["type"], "unknown-kind");
}

#[test]
fn refusals_are_problems_of_the_document() {
    let server = Server::with(CONFIG);
    let document = server.get("/openapi.json").ok();
    let responses = &document["paths"]["/v1/boards/{kind}/{subject}/stream"]["get"]["responses"];
    assert!(responses["200"]["content"]["text/event-stream"].is_object());
    for (path, status, word) in [
        ("/v1/boards/none/a/stream", 404, "unknown-kind"),
        (
            "/v1/boards/races/a/stream?window=day",
            404,
            "unknown-window",
        ),
        (
            "/v1/boards/gifts/a/stream?window=day:2020-01-01",
            410,
            "window-gone",
        ),
        ("/v1/boards/gifts/a/stream?n=0", 400, "invalid"),
    ] {
        server.get(path).problem(status, word, &[]);
        let name = responses[status.to_string()]["$ref"].as_str().unwrap();
        let told = &document["components"]["responses"][name.rsplit('/').next().unwrap()];
        let told = &told["content"]["application/problem+json"];
        let words = &told["schema"]["allOf"][1]["properties"]["type"]["enum"];
        assert!(
            words.as_array().unwrap().contains(&word.into()),
            "{path}: {words}"
        );
    }
}
