//! `X-Request-Id` and log lines: every request has an id, its answer and all that is logged of it tell.

use serde_json::{Value, json};
use testkit::{Answer, Launch, Server, eventually};

/// As the W3C's Trace Context gives it.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

fn id(answer: &Answer) -> &str {
    answer.header("x-request-id")
}

fn launch(flags: &str) -> Launch {
    Launch::new()
        .env("MEGABOARD_LOG", "info,api=debug")
        .args("--listen 127.0.0.1:0 --store memory:")
        .args(flags)
}

/// Waits for the line of an answered request, as JSON.
fn line_of(server: &Server, id: &str) -> Value {
    eventually("a line of the request", || {
        let log = server.log();
        let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
        let mut ours = lines.filter(|line: &Value| line["request_id"] == id);
        ours.next()
    })
}

#[test]
fn every_answer_has_an_id_of_its_own_or_its_callers() {
    let server = Server::start();
    let first = server.get("/healthz");
    let second = server.get("/v1/nowhere");
    assert_eq!(second.status, 404);
    assert!(id(&first).is_ascii() && !id(&first).is_empty());
    assert_ne!(id(&first), id(&second));
    for told in ["a", "01HZX-9/b:~", &"x".repeat(128)] {
        let answer = server.get_with("/healthz", &[("x-request-id", told)]);
        assert_eq!(id(&answer), told);
    }
    for told in ["a b", "", &"x".repeat(129), "caf\u{e9}"] {
        let answer = server.get_with("/healthz", &[("x-request-id", told)]);
        assert_ne!(id(&answer), told);
        assert!(!id(&answer).is_empty());
    }
    let refused = server.send("POST", "/v1/contributions", &[("x-request-id", "b")], "{");
    assert_eq!((refused.status, id(&refused)), (415, "b"));
}

#[test]
fn json_logs_are_an_object_a_line_with_the_request() {
    let server = launch("--log-format json").start();
    let traced = format!("00-{TRACE}-00f067aa0ba902b7-00");
    let headers = [("x-request-id", "seen"), ("traceparent", traced.as_str())];
    server.get_with("/v1/boards/gifts/a/top?n=3", &headers).ok();
    let line = line_of(&server, "seen");
    assert_eq!(
        (&line["level"], &line["message"], &line["trace_id"]),
        (&json!("DEBUG"), &json!("answered"), &json!(TRACE))
    );
    let fields = json!({"method": "GET", "path": "/v1/boards/gifts/a/top", "status": 200});
    assert_eq!(line["fields"], fields);
    assert!(line["target"].as_str().unwrap().starts_with("api::"));
    let time = line["time"].as_str().unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
    let untraced = server.get("/healthz");
    let line = line_of(&server, id(&untraced));
    assert_eq!(line.get("trace_id"), None);
}

#[test]
fn text_logs_tell_the_request_too_and_never_a_token() {
    for flags in ["--log-format text", "--open"] {
        let server = launch(flags).start();
        let headers = [("x-request-id", "seen")];
        server.get_with("/v1/boards/gifts/a/stream?token=secret&n=x", &headers);
        let line = eventually("a line of the request", || {
            let log = server.log();
            let mut lines = log.lines().filter(|line| line.contains("answered"));
            lines.next().map(str::to_owned)
        });
        assert!(line.ends_with(" request_id=seen"), "{line}");
        assert!(!server.log().contains("secret"));
    }
}

#[test]
fn the_form_comes_from_flag_environment_or_file() {
    let is_json = |launch: Launch| {
        let server = launch.start();
        server.get_with("/healthz", &[("x-request-id", "seen")]);
        let line = eventually("a line", || server.log().lines().next().map(str::to_owned));
        serde_json::from_str::<Value>(&line).is_ok()
    };
    let file = || launch("--open").file("megaboard.toml", "[server]\nlog_format = \"json\"\n");
    assert!(is_json(file()));
    assert!(!is_json(file().env("MEGABOARD_LOG_FORMAT", "text")));
    let both = file().env("MEGABOARD_LOG_FORMAT", "text");
    assert!(is_json(both.args("--log-format json")));
    let (status, said) = launch("--log-format xml").refused();
    assert_eq!(status, Some(2), "{said}");
    let wrong = "[server]\nlog_format = \"xml\"\n";
    let (status, said) = Launch::on_a_free_port(wrong).refused();
    assert_eq!(status, Some(1));
    assert!(said.contains("server.log_format"), "{said}");
}

#[test]
fn a_filter_that_says_nothing_is_refused_by_name() {
    for wrong in ["inof", "info,api=debgu"] {
        let mut launch = Launch::on_a_free_port("").env("MEGABOARD_LOG", wrong);
        let (status, said) = launch.refused();
        assert_eq!(status, Some(1), "{wrong}: {said}");
        let part = wrong.rsplit(',').next().unwrap();
        assert!(
            said.contains("MEGABOARD_LOG") && said.contains(part),
            "{said}"
        );
    }
}
