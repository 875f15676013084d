//! Access control and limits: what admins see, keys by scope and kind, open servers, tokens, rate
//! limits, other origins, public kinds, and healthy clients beside hostile ones.

mod ended_keys;
mod hostile_clients;
mod hosts;
mod limits;
mod misplaced_keys;
mod open;
mod rates;
mod repeated;
mod scopes;
mod tokens;
mod unread_responses;

testkit::calls!(
    admin,
    any_origin,
    caching,
    cors,
    ended_keys,
    keyless_tokens,
    kinds,
    nodes,
    open,
    public_kinds,
    reload,
    repeated,
    scopes,
    tokens,
);

use serde_json::Value;
use testkit::{Response, Server, cli};

/// A key made by `megaboard key new`, and its lines of configuration.
struct Key {
    text: String,
    lines: String,
}

impl Key {
    fn new(flags: &str) -> Self {
        let arguments: Vec<&str> = ["key", "new"]
            .into_iter()
            .chain(flags.split_whitespace())
            .collect();
        let run = cli::run(&arguments, b"");
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let (text, lines) = run.stdout.split_once("\n\n").unwrap();
        assert!(text.starts_with("mb_") && text.len() == 46, "{text}");
        assert!(!lines.contains(text));
        Self {
            text: text.to_owned(),
            lines: lines.to_owned(),
        }
    }

    /// Sends any request with the key.
    #[track_caller]
    fn ask(&self, server: &Server, method: &str, path: &str, body: Option<&Value>) -> Response {
        let bearer = format!("Bearer {}", self.text);
        ask(server, &[("authorization", &bearer)], method, path, body)
    }

    /// Sends a `GET` with the key.
    #[track_caller]
    fn get(&self, server: &Server, path: &str) -> Response {
        self.ask(server, "GET", path, None)
    }
}

#[track_caller]
fn ask(
    server: &Server,
    headers: &[(&str, &str)],
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Response {
    match (method, body) {
        ("GET", None) => server.get_with(path, headers),
        ("DELETE", None) => server.delete_with(path, headers),
        _ => {
            let mut headers = headers.to_vec();
            headers.push(("content-type", "application/json"));
            let body = body.map(Value::to_string).unwrap_or_default();
            server.send(method, path, &headers, body)
        }
    }
}

/// Returns the configuration of several keys.
fn lines(keys: &[&Key]) -> String {
    keys.iter().map(|key| key.lines.as_str()).collect()
}
