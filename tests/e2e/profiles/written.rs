//! Writing profiles: one by one, many by lines, and their limits.

use serde_json::json;
use testkit::{Server, eventually};

use super::{KINDS, path_of};

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
