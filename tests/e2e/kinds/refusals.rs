//! Invalid kinds are rejected with the setting and the value, and nothing is changed.

use serde_json::json;
use testkit::Server;

#[test]
fn invalid_settings_are_reported() {
    let server = Server::start();
    let before = server.get("/v1/kinds/gifts").ok();
    for (shape, parts) in [
        (json!({"shard": 3}), &["shard"][..]),
        (json!({"kind": "other"}), &["kind", "other", "gifts"]),
        (json!({"mode": "average"}), &["mode", "average"]),
        (json!({"rank": "denser"}), &["rank", "denser"]),
        (json!({"ties": "coin"}), &["ties", "coin"]),
        (json!({"windows": []}), &["windows"]),
        (json!({"windows": ["decade"]}), &["windows", "decade"]),
        (json!({"windows": ["day", "day"]}), &["windows", "day"]),
        (json!({"windows": "day"}), &["windows", "day"]),
        (
            json!({"time_zone": "Mars/Olympus"}),
            &["time_zone", "Mars/Olympus"],
        ),
        (
            json!({"time_zone": "Australia/Lord_Howe"}),
            &["windows", "Australia/Lord_Howe"],
        ),
        (json!({"shards": 0}), &["shards", "0"]),
        (json!({"shards": 3}), &["shards", "3"]),
        (json!({"shards": 8192}), &["shards", "8192"]),
        (json!({"shards": -1}), &["shards", "-1"]),
        (json!({"top": 0}), &["top", "0"]),
        (json!({"top": 1_000_000}), &["top", "1000000"]),
        (json!({"max_staleness": "soon"}), &["max_staleness", "soon"]),
        (json!({"max_staleness": 200}), &["max_staleness", "200"]),
        (json!({"max_staleness": "1y"}), &["max_staleness"]),
        (json!({"dedupe": "30d"}), &["dedupe"]),
        (json!({"keep": {"decade": "1d"}}), &["keep", "decade"]),
        (json!({"keep": {"day": "soon"}}), &["keep.day", "soon"]),
        (json!({"keep": {"day": {"idle": "1d"}}}), &["keep.day"]),
        (json!({"keep": {"all": "35d"}}), &["keep.all"]),
        (
            json!({"windows": ["all"], "keep": {"day": "1d"}}),
            &["keep", "day"],
        ),
        (json!({"close": {"all": "1d"}}), &["close.all"]),
        (json!({"close": {"day": "later"}}), &["close.day", "later"]),
        (json!({"fields": []}), &["fields"]),
        (
            json!({"fields": [{"name": "a"}, {"name": "a"}]}),
            &["fields", "a"],
        ),
        (
            json!({"fields": [{"name": "Points"}]}),
            &["fields", "Points"],
        ),
        (json!({"fields": [{"name": "x".repeat(33)}]}), &["fields"]),
        (
            json!({"fields": [{"name": "a", "op": "avg"}]}),
            &["fields", "avg"],
        ),
        (
            json!({"fields": [{"name": "a", "sort": "asc"}]}),
            &["fields", "sort"],
        ),
        (
            json!({"mode": "best", "fields": [{"name": "a", "op": "max"}]}),
            &["fields", "a"],
        ),
        (
            json!({"fields": (0..5).map(|n| json!({"name": format!("f{n}")})).collect::<Vec<_>>()}),
            &["fields", "5"],
        ),
        (json!({"fields": [["points", "desc"]]}), &["fields"]),
        (json!({"keep": {"all": ["7d"]}}), &["keep"]),
        (json!([]), &["object"]),
    ] {
        server
            .put("/v1/kinds/gifts", &shape)
            .problem(400, "invalid", parts);
    }
    assert_eq!(server.get("/v1/kinds/gifts").ok(), before);
}

#[test]
fn reserved_words_are_not_field_names() {
    let server = Server::start();
    for word in [
        "rank",
        "member",
        "reached_at",
        "position",
        "percentile",
        "above",
        "below",
        "gap",
        "to_target",
        "values",
        "window",
    ] {
        let shape = json!({"fields": [{"name": word}]});
        server
            .put("/v1/kinds/k", &shape)
            .problem(400, "invalid", &["fields", word]);
    }
}

#[test]
fn names_must_be_dns_labels() {
    let server = Server::start();
    let long = "a".repeat(63);
    for name in ["a", "a-1", "a-", &long] {
        server.put(format!("/v1/kinds/{name}"), &json!({})).is(201);
        server.give(&format!("{name}/room"), &[("u", 1)]);
    }
    let longer = "a".repeat(64);
    for name in ["A", "1a", "-a", "a_b", "a.b", "%C3%A9", "a%2Fb", &longer] {
        server
            .put(format!("/v1/kinds/{name}"), &json!({}))
            .problem(400, "invalid", &["kind"]);
        server
            .get(format!("/v1/kinds/{name}"))
            .problem(404, "unknown-kind", &[]);
        server
            .delete(format!("/v1/kinds/{name}"))
            .problem(404, "unknown-kind", &[]);
    }
}

#[test]
fn invalid_bodies_are_rejected() {
    let server = Server::start();
    let path = "/v1/kinds/k";
    server
        .json("PUT", path, "{\n\"top\": }")
        .problem(400, "malformed", &["line 2", "column 8"]);
    server
        .json("PUT", path, "")
        .problem(400, "malformed", &["line 1"]);
    let response = server.send("PUT", path, &[("content-type", "application/toml")], "{}");
    response.problem(
        415,
        "unsupported-media-type",
        &["content-type", "application/toml"],
    );
    server
        .put("/v1/kinds/k?force=true", &json!({}))
        .problem(400, "invalid", &["force"]);
    server
        .delete("/v1/kinds/gifts?force=true")
        .problem(400, "invalid", &["force"]);
    server.get(path).problem(404, "unknown-kind", &["k"]);
}
