//! A client that sends its key in the wrong place finds it in no problem and in no log.

use serde_json::json;
use testkit::Launch;

use super::{Key, ask};

#[test]
fn a_misplaced_key_is_in_no_problem_and_no_log() {
    for format in ["text", "json"] {
        let admin = Key::new("--scope admin --name ops");
        let key = admin.text.as_str();
        let flags = format!("--store memory: --audit-log audit.log --log-format {format}");
        let launch = Launch::on_a_free_port(&admin.lines).args(&flags);
        let server = launch.env("MEGABOARD_LOG", "debug").start();
        let bearer = format!("Bearer {key}");
        let headers = [("authorization", bearer.as_str()), ("x-request-id", key)];
        let item = |board: &str| json!({"board": board, "member": "u", "points": "1"});
        let requests = [
            ("GET", format!("/{key}"), None),
            ("GET", format!("/v1/{key}/top"), None),
            ("PATCH", format!("/v1/kinds/{key}"), None),
            ("GET", format!("/v1/kinds/{key}"), None),
            ("GET", format!("/v1/boards/{key}/a/top"), None),
            ("GET", format!("/v1/boards/gifts/{key}/members/u"), None),
            ("GET", format!("/v1/boards/gifts/a/members/{key}"), None),
            ("GET", format!("/v1/boards/gifts/a/top?n={key}"), None),
            ("GET", format!("/v1/boards/gifts/a/top?window={key}"), None),
            ("GET", format!("/v1/boards/gifts/a/top?{key}=1"), None),
            ("DELETE", format!("/v1/boards/gifts/{key}?n=1"), None),
            ("DELETE", format!("/v1/boards/{key}/a"), None),
            ("PUT", format!("/v1/kinds/x?{key}"), Some(json!({key: 1}))),
            ("PUT", "/v1/kinds/x".to_owned(), Some(json!({key: 1}))),
            ("POST", "/v1/contributions".to_owned(), Some(item(key))),
            (
                "POST",
                "/v1/contributions".to_owned(),
                Some(json!({key: 1})),
            ),
        ];
        for (method, path, body) in &requests {
            let response = ask(&server, &headers, method, path, body.as_ref());
            assert!(response.status >= 400, "{method} {path}: {response:?}");
            let shown = &response.body;
            assert!(!shown.contains(key), "{method} {path}: {shown}");
        }
        // Done, and recorded.
        let path = format!("/v1/members/{key}");
        assert_eq!(ask(&server, &headers, "DELETE", &path, None).status, 200);
        let audit = std::fs::read_to_string(server.folder().join("audit.log")).unwrap();
        assert!(audit.contains("/v1/members/mb_..."), "{audit}");
        let launch = server.stop();
        for (name, text) in [("audit", audit), ("log", launch.log())] {
            assert!(text.contains("mb_..."), "{name}");
            let found = text.lines().find(|line| line.contains(key));
            assert_eq!(found, None, "{name}");
        }
    }
}
