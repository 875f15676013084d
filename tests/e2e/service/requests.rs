//! `X-Request-Id` and log lines: every request has an id, which is in its response and in its log
//! lines.

use serde_json::{Value, json};
use testkit::{Launch, Response, Server, eventually};

/// The example of the W3C Trace Context specification.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

fn id(response: &Response) -> &str {
    response.header("x-request-id")
}

fn launch(flags: &str) -> Launch {
    Launch::new()
        .env("MEGABOARD_LOG", "info,api=debug")
        .args("--listen 127.0.0.1:0 --store memory:")
        .args(flags)
}

/// Waits for the log line of a request. Returns it as JSON.
fn line_of(server: &Server, id: &str) -> Value {
    eventually("the request is logged", || {
        let log = server.log();
        let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
        let mut ours = lines.filter(|line: &Value| line["request_id"] == id);
        ours.next()
    })
}

#[test]
fn json_logs_have_one_object_per_line_with_the_request() {
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
fn text_logs_have_the_request_and_never_a_token() {
    for flags in ["--log-format text", "--open"] {
        let server = launch(flags).start();
        let headers = [("x-request-id", "seen")];
        server.get_with("/v1/boards/gifts/a/stream?token=secret&n=x", &headers);
        let line = eventually("the request is logged", || {
            let log = server.log();
            let mut lines = log.lines().filter(|line| line.contains("answered"));
            lines.next().map(str::to_owned)
        });
        assert!(line.ends_with(" request_id=seen"), "{line}");
        assert!(!server.log().contains("secret"));
    }
}

#[test]
fn the_log_format_is_set_by_flag_environment_or_file() {
    let is_json = |launch: Launch| {
        let server = launch.start();
        server.get_with("/healthz", &[("x-request-id", "seen")]);
        let line = eventually("a line is logged", || {
            server.log().lines().next().map(str::to_owned)
        });
        serde_json::from_str::<Value>(&line).is_ok()
    };
    let file = || launch("--open").file("megaboard.toml", "[server]\nlog_format = \"json\"\n");
    assert!(is_json(file()));
    assert!(!is_json(file().env("MEGABOARD_LOG_FORMAT", "text")));
    let both = file().env("MEGABOARD_LOG_FORMAT", "text");
    assert!(is_json(both.args("--log-format json")));
    let (status, stderr) = launch("--log-format xml").refused();
    assert_eq!(status, Some(2), "{stderr}");
    let wrong = "[server]\nlog_format = \"xml\"\n";
    let (status, stderr) = Launch::on_a_free_port(wrong).refused();
    assert_eq!(status, Some(1));
    assert!(stderr.contains("server.log_format"), "{stderr}");
}

#[test]
fn an_invalid_log_filter_is_reported() {
    for wrong in ["inof", "info,api=debgu"] {
        let mut launch = Launch::on_a_free_port("").env("MEGABOARD_LOG", wrong);
        let (status, stderr) = launch.refused();
        assert_eq!(status, Some(1), "{wrong}: {stderr}");
        let part = wrong.rsplit(',').next().unwrap();
        assert!(
            stderr.contains("MEGABOARD_LOG") && stderr.contains(part),
            "{stderr}"
        );
    }
}
