//! Streams, which the fuzzer does not wait for: their events match the document.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Events, Server};

use super::{CONFIG, fill};

const STREAM: &str = "/v1/boards/gifts/room-8842/stream";

/// Returns the properties of a schema, and the required ones.
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
fn assert_matches(document: &Value, schema: &str, value: &Value) {
    let described = &document["components"]["schemas"][schema];
    assert!(described.is_object(), "{schema} is not in the document");
    let (all, needed) = members(document, described);
    let own: BTreeSet<String> = value.as_object().unwrap().keys().cloned().collect();
    assert!(own.is_subset(&all), "{schema}: {:?}", own.difference(&all));
    assert!(
        needed.is_subset(&own),
        "{schema}: {:?}",
        needed.difference(&own)
    );
}

#[test]
fn events_match_the_document() {
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
    assert_matches(&document, "Top", &events.named("board").value);
    assert_matches(
        &document,
        "OwnPositionResponse",
        &events.named("member").value,
    );
    server.give("gifts/room-8842", &[("u3", 600)]);
    let changes = events.named("changes").value;
    assert_matches(&document, "Changes", &changes);
    assert_eq!(changes["entered"][0]["member"], "u3", "{changes}");
    assert_matches(&document, "Moved", &changes["entered"][0]);
    let mut absent = Events::of(&server, &format!("{STREAM}?member=nobody"));
    assert_matches(
        &document,
        "NoPositionResponse",
        &absent.named("member").value,
    );
}

#[test]
fn the_last_event_of_an_ended_stream_is_a_problem() {
    let server = Server::with(CONFIG);
    server
        .put("/v1/kinds/brief", &json!({"windows": ["all"]}))
        .is(201);
    let document = server.get("/openapi.json").ok();
    let mut events = Events::of(&server, "/v1/boards/brief/a/stream");
    assert_matches(&document, "Top", &events.named("board").value);
    server.delete("/v1/kinds/brief").is_empty();
    let problem = events.named("problem").value;
    assert_matches(&document, "Problem", &problem);
    assert_eq!(problem["type"], "unknown-kind");
}

#[test]
fn refused_streams_are_documented_problems() {
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
        let response = &document["components"]["responses"][name.rsplit('/').next().unwrap()];
        let content = &response["content"]["application/problem+json"];
        let words = &content["schema"]["allOf"][1]["properties"]["type"]["enum"];
        assert!(
            words.as_array().unwrap().contains(&word.into()),
            "{path}: {words}"
        );
    }
}
