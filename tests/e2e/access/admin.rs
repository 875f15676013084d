//! What admins see of a server: its audit log and its keys.

use serde_json::{Value, json};
use testkit::{Launch, Server};

use super::{Key, lines};

/// Returns the events of a page, and its `next`.
fn events(page: &Value) -> (Vec<&str>, Option<&str>) {
    let entries = page["entries"].as_array().unwrap().iter();
    let events = entries.map(|entry| entry["event"].as_str().unwrap());
    (events.collect(), page["next"].as_str())
}

#[test]
fn the_newest_lines_of_the_audit_log_are_read_page_by_page() {
    let (admin, writer) = (
        Key::new("--scope admin --name ops"),
        Key::new("--scope write --name game"),
    );
    let config = lines(&[&admin, &writer]);
    let server = Launch::on_a_free_port(&config).start();
    let audit = |query: &str| admin.get(&server, &format!("/v1/audit{query}"));
    assert_eq!(audit("").ok(), json!({"entries": [], "next": null}));
    let kind = json!({"windows": ["all"]});
    admin.ask(&server, "PUT", "/v1/kinds/gifts", Some(&kind));
    let board = "/v1/boards/gifts/none";
    admin
        .ask(&server, "DELETE", board, None)
        .problem(404, "unknown-board", &[]);
    let member = "/v1/boards/gifts/a/members/u";
    writer.ask(&server, "DELETE", member, None).ok();

    let all = audit("").ok();
    assert_eq!(events(&all), (vec!["refused", "ended", "begun"], None));
    let [refused, ended, begun] = &all["entries"].as_array().unwrap()[..] else {
        panic!("{all}");
    };
    assert_eq!(
        (&refused["path"], &refused["status"]),
        (&json!(board), &json!(404))
    );
    assert_eq!(
        (&begun["key"], &begun["method"]),
        (&json!("ops"), &json!("PUT"))
    );
    assert_eq!(begun["operation"], ended["operation"]);
    let first = audit("?limit=2").ok();
    let (newest, next) = events(&first);
    assert_eq!(newest, ["refused", "ended"]);
    let second = audit(&format!("?limit=2&before={}", next.unwrap())).ok();
    assert_eq!(events(&second), (vec!["begun"], None));
    let writers = audit("?writers=true").ok();
    assert_eq!(events(&writers), (vec!["ended", "begun"], None));
    for (query, part) in [
        ("?before=x", "before: \"x\""),
        ("?before=0-0", "before: \"0-0\""),
        ("?limit=1001", "limit: \"1001\""),
        ("?writers=1", "writers: \"1\""),
        ("?after=x", "after: is not a parameter"),
    ] {
        audit(query).problem(400, "invalid", &[part]);
    }
    // A key that was sent in the wrong place is in no response and no log.
    let path = format!("/v1/members/u?key={}", admin.text);
    let response = admin.ask(&server, "DELETE", &path, None);
    response.problem(400, "invalid", &["key: is not a parameter of this path"]);
    assert!(!response.body.contains(&admin.text), "{response:?}");
    let newest = audit("?limit=1").ok()["entries"][0].clone();
    assert_eq!(newest["path"], "/v1/members/u?key=mb_...");
    // A store in memory has no folder for a log.
    let without = Server::with(&config);
    let none = admin.get(&without, "/v1/audit");
    none.problem(404, "no-audit-log", &["--audit-log FILE"]);
}

#[test]
fn keys_are_listed_without_secrets() {
    let keys = [
        Key::new("--scope admin --name ops"),
        Key::new("--scope write --name game --kind gifts"),
        Key::new("--scope admin --name of-gifts --kind gifts"),
    ];
    let server = Server::with(&lines(&keys.each_ref()));
    let [admin, _, bound] = &keys;
    let listed = admin.get(&server, "/v1/keys");
    let expected = json!({"keys": [
        {"name": "game", "scope": "write", "kinds": ["gifts"], "expired": false},
        {"name": "of-gifts", "scope": "admin", "kinds": ["gifts"], "expired": false},
        {"name": "ops", "scope": "admin", "expired": false},
    ]});
    assert_eq!(listed.ok(), expected);
    for key in &keys {
        assert!(!listed.body.contains(&key.text));
    }
    // They, and the log, are about all kinds.
    for path in ["/v1/keys", "/v1/audit"] {
        let refused = bound.get(&server, path);
        refused.problem(403, "forbidden", &["of-gifts", "all kinds"]);
    }
    // Without keys there is none.
    let open = Server::with("").get("/v1/keys").ok();
    assert_eq!(open, json!({"keys": []}));
}

#[test]
fn the_files_of_the_admin_page_need_no_key_and_what_it_shows_does() {
    let key = Key::new("--scope admin --name ops");
    let server = Server::with(&lines(&[&key]));
    let (page, file) = (server.get("/admin"), server.get("/page/admin.html"));
    assert_eq!((page.status, &page.body), (200, &file.body));
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    for path in ["/v1/kinds", "/v1/members/u/hidden", "/v1/audit", "/metrics"] {
        assert_eq!(server.get(path).status, 401, "{path}");
    }
}
