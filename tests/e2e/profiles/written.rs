//! Writing profiles: one by one, many by lines, and their limits.

use serde_json::{Value, json};
use testkit::{Server, eventually};

use super::{KINDS, path_of, put};

#[test]
fn a_profile_is_returned_as_it_was_put_until_it_is_deleted() {
    let server = Server::durable(KINDS);
    let path = path_of("gifts", "u1");
    server
        .get(&path)
        .problem(404, "no-profile", &["member \"u1\"", "kind gifts"]);
    let text = r#"{"data": {"team": 7.0, "tags": ["a b", null]}, "name": "Ann \"A\" Ü",
                   "avatar": "https://img.example/a.png?s=1"}"#;
    let sent: Value = serde_json::from_str(text).unwrap();
    let stored = server.json("PUT", &path, text);
    assert_eq!(stored.ok(), sent);
    assert!(stored.body.contains("\"team\":7.0"), "{}", stored.body);
    let shown = server.get(&path);
    assert_eq!(shown.ok(), sent);
    let tag = shown.header("etag");
    let known = server.get_with(&path, &[("if-none-match", tag)]);
    assert_eq!(known.status, 304);
    // Replaced as a whole, in this kind only, and kept over a restart.
    put(&server, "gifts", "u1", "Ben");
    server
        .get(path_of("races", "u1"))
        .problem(404, "no-profile", &[]);
    let server = server.kill().start();
    assert_eq!(server.get(&path).ok(), json!({"name": "Ben"}));
    let server = server.stop().start();
    for _ in 0..2 {
        server.delete(&path).is_empty();
        server.get(&path).problem(404, "no-profile", &[]);
    }
    let server = server.kill().start();
    server.get(&path).problem(404, "no-profile", &[]);
}

#[test]
fn what_is_wrong_with_a_profile_is_named() {
    let server = Server::with(KINDS);
    let long = "x".repeat(1023);
    for (profile, parts) in [
        (json!({}), ["name: is missing", "avatar"]),
        (json!({"name": "x".repeat(65)}), ["name: has 65", "64"]),
        (json!({"avatar": "javascript:1"}), ["avatar: ", "https://"]),
        (
            json!({"avatar": "https://u:pass@img.example/a.png"}),
            ["avatar: has a user name or a password", "leave it out"],
        ),
        (json!({"data": long}), ["data: has 1025 bytes", "1024"]),
        (json!({"nick": "a"}), ["unknown field", "nick"]),
    ] {
        let refused = server.put(path_of("gifts", "u1"), &profile);
        refused.problem(400, "invalid", &parts);
    }
    let name = json!({"name": "x"});
    let unknown = server.put(path_of("nope", "u1"), &name);
    unknown.problem(404, "unknown-kind", &["nope"]);
    let name = server.put(path_of("gifts", "a%00"), &name);
    name.problem(400, "invalid", &["member"]);
    server
        .get(path_of("gifts", "u1"))
        .problem(404, "no-profile", &[]);
}

#[test]
fn many_profiles_are_put_by_lines_and_wrong_lines_are_named() {
    let server = Server::durable(KINDS);
    put(&server, "gifts", "u2", "Ben");
    let lines = "{\"member\":\"u1\",\"profile\":{\"name\":\"Ann\"}}\n\
        {\"member\":\"u2\",\"profile\":null}\n\
        \n\
        {\"member\":\"u3\",\"profile\":{\"avatar\":\"x\"}}\n\
        {\"member\":\"u3\"\n\
        {\"member\":\"u4\",\"profile\":{\"name\":\"Dan\"}}\n\
        {\"member\":\"u4\",\"profile\":{\"name\":\"Dave\"}}";
    let send = |path: &str, lines: &str| {
        let headers = [("content-type", "application/x-ndjson")];
        server.send("POST", path, &headers, lines)
    };
    let receipt = send("/v1/kinds/gifts/profiles", lines).ok();
    assert_eq!(
        (&receipt["put"], &receipt["deleted"]),
        (&json!(3), &json!(1))
    );
    let rejected = receipt["rejected"].as_array().unwrap().iter();
    let rejected: Vec<_> = rejected
        .map(|line| (&line["index"], &line["type"]))
        .collect();
    let (invalid, malformed) = (json!("invalid"), json!("malformed"));
    assert_eq!(rejected, [(&json!(3), &invalid), (&json!(4), &malformed)]);
    let detail = receipt["rejected"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("avatar: "), "{detail}");
    for (member, name) in [
        ("u1", Some("Ann")),
        ("u2", None),
        ("u3", None),
        ("u4", Some("Dave")),
    ] {
        let shown = server.get(path_of("gifts", member)).value();
        assert_eq!(shown["name"], json!(name), "{member}");
    }
    let too_many = "{\"member\":\"u1\",\"profile\":null}\n".repeat(1_001);
    let refused = send("/v1/kinds/gifts/profiles", &too_many);
    refused.problem(413, "too-large", &["1000 lines"]);
    assert_eq!(server.get(path_of("gifts", "u1")).ok()["name"], "Ann");
    send("/v1/kinds/nope/profiles", lines).problem(404, "unknown-kind", &["nope"]);
    let json = server.post("/v1/kinds/gifts/profiles", &json!([]));
    json.problem(415, "unsupported-media-type", &["application/x-ndjson"]);
}

#[test]
fn profiles_are_deleted_with_their_kind() {
    let server = Server::durable("[kinds.other]\n");
    let kind = json!({"windows": ["all"]});
    for name in ["Ann", "Ben"] {
        server.put("/v1/kinds/gifts", &kind);
        server
            .get(path_of("gifts", "u1"))
            .problem(404, "no-profile", &[]);
        put(&server, "gifts", "u1", name);
        assert_eq!(server.get(path_of("gifts", "u1")).ok()["name"], name);
        server.delete("/v1/kinds/gifts").is_empty();
        let deleted = server.get(path_of("gifts", "u1"));
        deleted.problem(404, "unknown-kind", &["gifts"]);
    }
    server.put("/v1/kinds/gifts", &kind);
    let server = server.kill().start();
    server
        .get(path_of("gifts", "u1"))
        .problem(404, "no-profile", &[]);
}

#[test]
fn a_snapshot_has_all_profiles() {
    let config = format!("[embedded]\nsnapshot_after_bytes = 1_000_000\n{KINDS}");
    let server = Server::durable(&config);
    for round in 0..20 {
        let line = |n: u32| {
            let data = json!({"round": round, "text": "x".repeat(100)});
            json!({"member": format!("u{n}"), "profile": {"data": data}}).to_string()
        };
        let lines: Vec<String> = (0..500).map(line).collect();
        let headers = [("content-type", "application/x-ndjson")];
        let put = server.send(
            "POST",
            "/v1/kinds/gifts/profiles",
            &headers,
            lines.join("\n"),
        );
        assert_eq!(put.ok()["put"], 500);
    }
    let folder = server.kept();
    eventually("a snapshot is taken", || {
        let files = std::fs::read_dir(&folder).ok()?.filter_map(Result::ok);
        let mut names = files.map(|file| file.file_name());
        names.find(|name| name.to_string_lossy().ends_with(".snap"))
    });
    let server = server.kill().start();
    for n in [0, 250, 499] {
        let shown = server.get(path_of("gifts", &format!("u{n}"))).ok();
        assert_eq!(shown["data"]["round"], 19, "u{n}");
    }
}

#[test]
fn profiles_are_refused_at_the_memory_limit() {
    let config = format!("[server]\nmemory_limit = \"96MiB\"\n{KINDS}");
    let server = Server::with(&config);
    let text = "x".repeat(1_000);
    let line =
        |n: u32| json!({"member": format!("member-{n}"), "profile": {"data": text}}).to_string();
    let headers = [("content-type", "application/x-ndjson")];
    let refused = (0..200).find_map(|round| {
        let lines: Vec<String> = (1_000 * round..1_000 * (round + 1)).map(line).collect();
        let put = server.send(
            "POST",
            "/v1/kinds/gifts/profiles",
            &headers,
            lines.join("\n"),
        );
        (put.status != 200).then_some(put)
    });
    let refused = refused.expect("200 MB of profiles do not fit");
    refused.problem(503, "unavailable", &["memory limit"]);
    // Deletions need no memory.
    server.delete(path_of("gifts", "member-0")).is_empty();
    server
        .get(path_of("gifts", "member-0"))
        .problem(404, "no-profile", &[]);
    assert_eq!(server.get(path_of("gifts", "member-1")).ok()["data"], text);
}
