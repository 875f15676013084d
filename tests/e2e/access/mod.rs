//! Who may do what, and how often: keys by scope and kind, what is open without one, tokens, limits,
//! other origins, and healthy clients beside those who mean ill.

mod answers;
mod cors;
mod crowd;
mod ends;
mod hosts;
mod kinds;
mod load;
mod open;
mod rates;
mod reload;
mod scopes;
mod tokens;

use serde_json::Value;
use testkit::{Answer, Server, cli};

/// A key as `megaboard key new` makes it, and what it has the configuration say.
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

    /// Any request with it.
    #[track_caller]
    fn ask(&self, server: &Server, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let bearer = format!("Bearer {}", self.text);
        ask(server, &[("authorization", &bearer)], method, path, body)
    }

    /// A request without a body.
    #[track_caller]
    fn get(&self, server: &Server, path: &str) -> Answer {
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
) -> Answer {
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

/// Of several keys what the configuration says.
fn lines(keys: &[&Key]) -> String {
    keys.iter().map(|key| key.lines.as_str()).collect()
}
