//! The forms of stream entries, and entries that are not contributions.

use serde_json::json;
use testkit::clock::{now_ms, rfc3339};
use testkit::redis::RedisServer;
use testkit::{Server, eventually};

use super::{
    GROUP, KIND, add_json, ends_well, has_none_pending, ingest, item, points, reaches, stream,
};

const FIELDS: &str = "[kinds.f]\nwindows = [\"all\"]\n\
                      fields = [{ name = \"a\" }, { name = \"b\", op = \"max\" }]\n";

#[test]
fn an_entry_is_json_or_fields_with_optional_id_and_time() {
    let redis = RedisServer::plain();
    let server = Server::with(&format!("{KIND}{FIELDS}"));
    let now = now_ms();
    add_json(&redis, 0, &item("json", 1));
    add_json(
        &redis,
        0,
        &json!({"board": "k/a", "member": "json", "points": 2, "id": "e1"}),
    );
    // Another entry with the same id is the same contribution.
    add_json(
        &redis,
        0,
        &json!({"board": "k/a", "member": "json", "points": 2, "id": "e1"}),
    );
    let at = (now - 5_000).to_string();
    let fields = ["board", "k/a", "member", "fields", "points", "4", "at", &at];
    redis.command(&[&["XADD", &stream(1), "*"][..], &fields].concat());
    let values = [
        "board",
        "f/x",
        "member",
        "v",
        "values",
        "{\"a\": 1, \"b\": -2}",
    ];
    redis.command(&[&["XADD", &stream(2), "*"][..], &values].concat());
    // The id of a stream entry, which contains its time.
    let id = format!("{}-0", now - 9_000);
    let timed = ["board", "k/a", "member", "timed", "points", "8"];
    redis.command(&[&["XADD", &stream(3), &id][..], &timed].concat());
    let ingest = ingest(&redis, server.url(), &[]);
    reaches(&server, 1 + 2 + 4 + 8);
    eventually("the board of the other kind", || {
        (server.order("f/x", "all") == ["v"]).then_some(())
    });
    assert_eq!(points(&server)["json"], 3);
    let reached = |member: &str| {
        let shown = server.get(format!("/v1/boards/k/a/members/{member}")).ok();
        shown["reached_at"].as_str().unwrap().to_owned()
    };
    assert_eq!(reached("fields"), rfc3339(now - 5_000));
    assert_eq!(reached("timed"), rfc3339(now - 9_000));
    let summary = ends_well(ingest);
    assert!(
        summary.starts_with("applied 5, duplicates 1, rejected 0"),
        "{summary}"
    );
}

#[test]
fn invalid_and_rejected_entries_are_logged_saved_and_acknowledged() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    add_json(&redis, 0, &item("u", 1));
    let wrong: [(&[&str], &str); 6] = [
        (&["json", "{\"board\": \"k/a\""], "json"),
        (&["json", "[1, 2]"], "json"),
        (&["board", "k/a", "member", "u", "points", "1.5"], "points"),
        (&["who", "u"], "who"),
        (&["board", "nope/a", "member", "u", "points", "1"], "nope"),
        (
            &[
                "json",
                "{\"board\": \"k/a\", \"member\": \"\", \"points\": 1}",
            ],
            "member",
        ),
    ];
    for (fields, _) in &wrong {
        let stream = stream(0);
        redis.command(&[&["XADD", stream.as_str(), "*"][..], fields].concat());
    }
    let name = stream(0);
    let bytes: [&[u8]; 5] = [b"XADD", name.as_bytes(), b"*", b"json", b"\xff\xfe"];
    redis.command(&bytes);
    add_json(&redis, 0, &item("u", 2));
    let ingest = ingest(&redis, server.url(), &["--rejected", "q/rejected"]);
    reaches(&server, 3);
    eventually("no entry is pending", || {
        has_none_pending(&redis, 0).then_some(())
    });
    let aside = redis.command(&["XRANGE", "q/rejected", "-", "+"]);
    assert_eq!(aside.items().len(), wrong.len() + 1, "{aside:?}");
    for (fields, part) in wrong {
        let found = aside.items().iter().find(|entry| {
            let set = entry.items()[1].items();
            set.len() == 8 + fields.len()
                && set[8..].iter().zip(fields).all(|(a, b)| a.text() == *b)
        });
        let found = found.unwrap_or_else(|| panic!("{fields:?} in {aside:?}"));
        let set = found.items()[1].items();
        assert_eq!(
            (set[0].text(), set[1].text()),
            ("rejected-stream", stream(0).as_str())
        );
        assert_eq!(
            (set[2].text(), set[6].text()),
            ("rejected-entry", "rejected-detail")
        );
        assert!(set[7].text().contains(part), "{found:?}");
    }
    assert!(ingest.stderr().contains("nope"), "{}", ingest.stderr());
    let summary = ends_well(ingest);
    assert!(
        summary.starts_with("applied 2, duplicates 0, rejected 7"),
        "{summary}"
    );
}

#[test]
fn missing_streams_and_groups_are_created() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    // One stream has entries and no group, one has a group that has read some, the others do not
    // exist.
    add_json(&redis, 0, &item("u", 1));
    add_json(&redis, 1, &item("v", 1));
    add_json(&redis, 1, &item("w", 1));
    redis
        .command(&["XGROUP", "CREATE", &stream(1), GROUP, "0"])
        .ok();
    let read = [
        "XREADGROUP",
        "GROUP",
        GROUP,
        "another",
        "COUNT",
        "1",
        "STREAMS",
    ];
    redis.command(&[&read[..], &[&stream(1), ">"]].concat());
    let ingest = ingest(&redis, server.url(), &[]);
    reaches(&server, 3);
    add_json(&redis, 9, &item("x", 1));
    reaches(&server, 4);
    assert_eq!(redis.command(&["EXISTS", &stream(15)]).integer(), 1);
    assert_eq!(points(&server)["v"], 1);
    ends_well(ingest);
}

#[test]
fn rereading_entries_older_than_the_dedupe_span_is_warned_of() {
    let redis = RedisServer::plain();
    let server = Server::with(&KIND.replace("1h", "1m"));
    let old = format!("{}-0", now_ms() - 600_000);
    let fields = ["board", "k/a", "member", "u", "points", "1"];
    redis.command(&[&["XADD", &stream(0), &old][..], &fields].concat());
    redis
        .command(&["XGROUP", "CREATE", &stream(0), GROUP, "0"])
        .ok();
    let read = ["XREADGROUP", "GROUP", GROUP, "dead", "STREAMS"];
    redis.command(&[&read[..], &[&stream(0), ">"]].concat());
    let ingest = ingest(&redis, server.url(), &[]);
    reaches(&server, 1);
    eventually("a warning is printed", || {
        ingest.stderr().contains("count twice").then_some(())
    });
    ends_well(ingest);
}
