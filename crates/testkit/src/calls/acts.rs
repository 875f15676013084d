//! What a call does that is not a request: commands, files, streams, the Redis beside the server.

use std::path::Path;

use serde_json::json;

use super::Stage;
use super::parse::Call;
use crate::cli;
use crate::events::{Event, Events};
use crate::exposition::Exposition;
use crate::launch::Launch;
use crate::redis::{RedisServer, Reply};
use crate::response::Response;

impl Stage {
    /// Runs a command, with the URL of the server unless it names one.
    fn command(&self, call: &Call) -> Response {
        let mut words = words(&call.path);
        if !words
            .iter()
            .any(|word| ["--server", "--store", "serve", "key"].contains(word))
        {
            words.extend(["--server", self.server_of(call).url()]);
        }
        let run = cli::run(&words, call.body.as_bytes());
        printed(run.status, run.stdout, run.stderr)
    }

    /// Does what is not a request. Returns `None` for a request.
    pub(super) fn act(&self, call: &Call) -> Option<Response> {
        let server = self.server_of(call);
        let done = |text: String| printed(Some(0), text, String::new());
        let response = match call.verb.as_str() {
            "RUN" => self.command(call),
            "FILE" => {
                std::fs::write(server.folder().join(&call.path), &call.body).unwrap();
                done(String::new())
            }
            "CONFIG" => {
                std::fs::write(server.folder().join("megaboard.toml"), &call.body).unwrap();
                server.signal("HUP");
                done(String::new())
            }
            "LOG" if call.path.is_empty() => done(server.log()),
            "LOG" => {
                let log = server.log();
                let lines = log.lines().filter(|line| line.contains(&call.path));
                done(json!(lines.collect::<Vec<_>>()).to_string())
            }
            "CLOSE" => {
                self.streams.borrow_mut().remove(&call.path);
                done(String::new())
            }
            "READ" => {
                let text = std::fs::read_to_string(server.folder().join(&call.path)).unwrap();
                let is_ndjson = Path::new(&call.path)
                    .extension()
                    .is_some_and(|end| end == "log");
                let lines: Vec<&str> = text.lines().collect();
                done(if is_ndjson {
                    format!("[{}]", lines.join(","))
                } else {
                    text
                })
            }
            "METRIC" => {
                let (name, labels) = call.path.split_once(' ').unwrap_or((&call.path, ""));
                let labels = labels.split(' ').filter_map(|label| label.split_once('='));
                let sum = Exposition::of(server).sum(name, &labels.collect::<Vec<_>>());
                let number = done(sum.to_string());
                Response {
                    status: 200,
                    ..number
                }
            }
            "WATCH" => {
                let (name, path) = call.path.split_once(' ').expect("a name and a path");
                let events = Events::of(server, path);
                let head = events.head.join("\n");
                self.streams.borrow_mut().insert(name.to_owned(), events);
                done(head)
            }
            "NEXT" => {
                let mut streams = self.streams.borrow_mut();
                let event = streams.get_mut(&call.path).expect("WATCH").try_next();
                Response {
                    status: if event.is_some() { 200 } else { 204 },
                    ..event.map_or_else(|| done(String::new()), event_as_response)
                }
            }
            "REDIS" => {
                let redis = self.redis.as_ref().expect("with: redis");
                let act: fn(&RedisServer) = match call.path.as_str() {
                    "pause" => RedisServer::pause,
                    "resume" => RedisServer::resume,
                    "kill" => RedisServer::kill,
                    command => {
                        let reply = redis.command(&words(command));
                        let status = matches!(reply, Reply::Error(_)).into();
                        return Some(printed(Some(status), shown(&reply), String::new()));
                    }
                };
                act(redis);
                done(String::new())
            }
            "REFUSED" => {
                let config = call.path.replace("\\n", "\n");
                let (status, stderr) = Launch::on_a_free_port(&config).refused();
                printed(status, String::new(), stderr)
            }
            _ => return None,
        };
        Some(response)
    }
}

/// Returns the words of a command. What is between single quotes is one word.
fn words(command: &str) -> Vec<&str> {
    let parts = command.split('\'').enumerate();
    let words = parts.map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect::<Vec<_>>().concat()
}

/// Returns what a command has printed as a response: its standard output is the body, its standard
/// error a header.
fn printed(status: Option<i32>, stdout: String, stderr: String) -> Response {
    Response {
        status: status
            .and_then(|status| status.try_into().ok())
            .unwrap_or(u16::MAX),
        bytes: stdout.len(),
        body: stdout,
        headers: vec![
            ("stderr".to_owned(), stderr),
            ("content-type".to_owned(), "application/json".to_owned()),
        ],
    }
}

/// Returns a text as it is, and an array as JSON.
fn shown(reply: &Reply) -> String {
    match reply {
        Reply::Status(text) | Reply::Error(text) => text.clone(),
        Reply::Integer(number) => number.to_string(),
        Reply::Bulk(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Reply::Nil => "nil".to_owned(),
        Reply::Array(items) => json!(items.iter().map(shown).collect::<Vec<_>>()).to_string(),
    }
}

/// Returns the data of an event as the body of a response, and its name and id as headers.
fn event_as_response(event: Event) -> Response {
    let mut response = printed(Some(0), event.value.to_string(), String::new());
    response.headers.push(("event".to_owned(), event.name));
    response.headers.push(("id".to_owned(), event.id));
    response
}
