//! Tests written as calls and what is expected of them: [`run`] runs the sections of a file on a
//! server for each of its stores, one after the other.
//!
//! ```text
//! stores: memory folder redis          in memory by default; also `script-free`
//! servers: 2                           so many servers of one store; GET@2 is sent to the second
//! with: redis                          a Redis beside the server, for REDIS
//! apart: yes                           each section has servers of its own
//! key: ops --scope admin               a key, made with these flags; then requests need one
//! key: own --scope read | burst = 10   with further settings
//! [kinds.gifts]                        the configuration, up to the first section
//!
//! ## the_name_of_a_section             each begins without boards
//! GIVE gifts/a ann 5, ben 3 at {now-1d}
//! GET(ops) /v1/boards/gifts/a/top?n={1}
//!   > if-none-match: {tag}             a header of the request
//!   200 {"members": 2}                 the status, and what the body has
//!   < etag: $tag                       a header of the response
//!   lacks cid                          the body has this text nowhere; `has ann` is the opposite
//!   ranked 1 ann 5, 2 ben 3            the entries; `members ann ben` has only their names
//!   | 2 | the call is made for each of these rows; {1} is the first cell
//!   x 10                               the call is made so often; {1} counts from 1
//! GET /v1/boards/gifts/a/top?n=x
//!   400 invalid: n, "x"                a problem of this type, whose `detail` has these parts
//! LINES
//!   + {"board": "gifts/a", ...}        a line of the body, which can also follow the path
//!   half                               the last line of the body does not end
//!   * 1000 {"member": "m{n}", ...}      so many lines or elements of an array; {n} counts from 0
//! RUN top gifts/a
//!   0 rank member points, 1 ann 5      the exit status, and JSON, or parts of what is printed
//! ```
//!
//! - `GIVE` contributes points, all of which are applied; `ADD` posts contributions as JSON, `LINES`
//!   as NDJSON. Other verbs are methods of HTTP.
//! - `RUN` runs a command, with the URL of the server; `REFUSED` a server with this configuration,
//!   whose lines are separated by `\n`. `FILE a.csv` writes its body into the server's folder.
//!   `REDIS` sends a command to the Redis beside it, or is `pause`, `resume` or `kill`.
//! - `CONFIG` replaces the configuration by its body, with the lines `{lines:ops}` of a key, and has it
//!   read. `LOG` is the log of the server, `LOG text` an array of its lines with this, and `READ file` a file in its
//!   folder, `.log` as an array.
//! - `RESTART kill` and `RESTART stop` end the server, and start it again.
//! - `METRIC name label=value` is the sum of these series.
//! - `WATCH name path` opens a stream. `NEXT name` is its next event, or with `~` the next one that is
//!   expected: 200, its data, and as headers its `event` and `id`; 204 at the end of the stream. `CLOSE name` closes
//!   it.
//! - Without an expected status a call succeeds. `~200` waits for a status, and for all else that is
//!   expected. `''` after a status: nothing is sent, or printed on standard output.
//! - `| as before` repeats the rows of an earlier call. Lines that begin with `# ` are comments.
//! - `KEPT` repeats the rest of a section after a stop and after a kill, if the store is durable.
//!
//! `pattern` has what is compared, `scope` what can be in braces.

mod acts;
mod parse;
mod pattern;
mod scope;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli;
use crate::clock::now_ms;
use crate::events::Events;
use crate::eventually::DEADLINE;
use crate::launch::Launch;
use crate::redis::RedisServer;
use crate::response::Response;
use crate::server::Server;
use parse::{Call, File, Section, Step};
use scope::Scope;

const SCRIPT_FREE: &str = "[redis]\nwrites = \"script-free\"\n";

/// Defines a test for each of these files of calls, which are beside this module, and one that no
/// file is missing.
#[macro_export]
macro_rules! calls {
    ($($name:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                $crate::calls::run(file!(), stringify!($name));
            }
        )+

        #[test]
        fn all_files_of_calls_have_a_test() {
            $crate::calls::assert_listed(file!(), &[$(stringify!($name)),+]);
        }
    };
}

/// Runs all sections of a file beside a source file, which has a path in the workspace, on each of
/// its stores, also after a failure. Panics with all failures.
pub fn run(source: &str, name: &str) {
    let path = folder(source).join(format!("{name}.calls"));
    let file = parse::file(&std::fs::read_to_string(&path).unwrap());
    let mut failures = Vec::new();
    for store in &file.stores {
        let mut stage = Stage::new(&file, store);
        for section in &file.sections {
            if let Err(error) = stage.section(section) {
                let (path, line, name) = (path.display(), section.line, &section.name);
                failures.push(format!("{path}:{line}: {name} ({store}):\n{error}"));
            }
            if file.is_apart || section.is_disruptive() {
                stage = Stage::new(&file, store);
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

fn folder(source: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    workspace.join(source).parent().unwrap().to_owned()
}

/// Asserts that the files of calls beside a source file are these.
pub fn assert_listed(source: &str, names: &[&str]) {
    let files = std::fs::read_dir(folder(source)).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let calls = files.filter(|path| path.extension().is_some_and(|it| it == "calls"));
    let stems = calls.map(|path| path.file_stem().unwrap().to_owned());
    let mut found: Vec<_> = stems.collect();
    found.sort_unstable();
    assert_eq!(found, names);
}

/// A server of a file's configuration on one store.
struct Stage {
    /// `None` while it is started again.
    server: Option<Server>,
    /// Further servers of the store.
    others: Vec<Server>,
    is_durable: bool,
    /// Names, texts and lines of configuration.
    keys: Vec<(String, String, String)>,
    redis: Option<RedisServer>,
    streams: RefCell<BTreeMap<String, Events>>,
}

impl Stage {
    fn new(file: &File, store: &str) -> Self {
        let mut config = file.config.clone();
        let mut keys = Vec::new();
        for (name, flags) in &file.keys {
            let (flags, settings) = flags.split_once('|').unwrap_or((flags, ""));
            let flags = format!("key new --name {name} {flags}");
            let run = cli::run(&flags.split_whitespace().collect::<Vec<_>>(), b"");
            let (text, lines) = run.stdout.split_once("\n\n").unwrap();
            let lines = format!("{lines}{}\n", settings.replace('|', "\n"));
            config += &lines;
            keys.push((name.clone(), text.to_owned(), lines));
        }
        let is_on_redis = ["redis", "script-free"].contains(&store);
        let redis = (is_on_redis || file.has_redis).then(RedisServer::plain);
        if let Some(redis) = &redis {
            config = config.replace("{redis}", &redis.url());
        }
        if store == "script-free" {
            config = format!("{SCRIPT_FREE}{config}");
        }
        let start = || match (store, &redis) {
            ("memory", _) => Server::with(&config),
            ("folder", _) => Server::durable(&config),
            (_, Some(redis)) => Launch::on_a_free_port(&config)
                .args(&format!("--store {}", redis.url()))
                .start(),
            _ => panic!("unknown store {store}"),
        };
        Self {
            server: Some(start()),
            others: (1..file.servers).map(|_| start()).collect(),
            is_durable: store != "memory",
            keys,
            redis,
            streams: RefCell::default(),
        }
    }

    /// Returns the first server.
    fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// Returns the server that a call is sent to.
    fn server_of(&self, call: &Call) -> &Server {
        let others = call.server.checked_sub(2);
        others.map_or_else(|| self.server(), |other| &self.others[other])
    }

    /// Runs a section, and deletes the boards that it has made.
    fn section(&mut self, section: &Section) -> Result<(), String> {
        let mut scope = Scope::new(now_ms());
        for (name, text, lines) in &self.keys {
            scope.set(&format!("key:{name}"), json!(text));
            scope.set(&format!("lines:{name}"), json!(lines));
        }
        scope.set("server", json!(self.server().address()));
        scope.set("folder", json!(self.server().folder()));
        if let Some(redis) = &self.redis {
            scope.set("redis", json!(redis.url()));
            scope.set("redis:address", json!(redis.address().to_string()));
        }
        let kept = section.kept.unwrap_or(section.steps.len());
        let (first, kept) = section.steps.split_at(kept);
        let mut done = self
            .steps(first, &mut scope)
            .and_then(|()| self.steps(kept, &mut scope));
        let restarts = [
            ("a stop", Server::stop as fn(Server) -> Launch),
            ("a kill", Server::kill),
        ];
        for (cause, end) in restarts {
            if done.is_ok() && self.is_durable && !kept.is_empty() {
                self.server = self.server.take().map(|server| end(server).start());
                done = self.steps(kept, &mut scope);
                done = done.map_err(|error| format!("after {cause}: {error}"));
            }
        }
        self.streams.take();
        if !section.is_disruptive() {
            self.delete_boards();
        }
        done
    }

    /// Deletes what a section has made, for the next one; with keys, by one named `admin`.
    fn delete_boards(&self) {
        let key = (!self.keys.is_empty()).then(|| "admin".to_owned());
        let call = |verb: &str, path: String| {
            let (verb, key) = (verb.to_owned(), key.clone());
            self.send(&Call {
                verb,
                key,
                path,
                ..Call::default()
            })
        };
        for kind in call("GET", "/v1/kinds".to_owned()).ok()["kinds"]
            .as_array()
            .unwrap()
        {
            let kind = kind["kind"].as_str().unwrap();
            let list = call("GET", format!("/v1/boards?kind={kind}&limit=1000")).ok();
            for board in list["boards"].as_array().unwrap() {
                let subject = crate::encoded(board["subject"].as_str().unwrap());
                call("DELETE", format!("/v1/boards/{kind}/{subject}"));
            }
        }
    }

    fn steps(&mut self, steps: &[Step], scope: &mut Scope) -> Result<(), String> {
        for step in steps {
            let rows: &[Vec<String>] = if step.rows.is_empty() {
                &[vec![]]
            } else {
                &step.rows
            };
            for row in rows {
                let call = step.call(row, scope);
                if call.verb == "RESTART" {
                    let end = if call.path == "kill" {
                        Server::kill
                    } else {
                        Server::stop
                    };
                    self.server = self.server.take().map(|server| end(server).start());
                    scope.set("server", json!(self.server().address()));
                    continue;
                }
                let called = self.call(&call, scope);
                called.map_err(|error| {
                    format!("line {}: {} {}\n{error}", step.line, call.verb, call.path)
                })?;
            }
        }
        Ok(())
    }

    /// Makes a call, again if it waits, and checks the response.
    fn call(&self, call: &Call, scope: &mut Scope) -> Result<(), String> {
        let end = std::time::Instant::now() + DEADLINE;
        loop {
            let response = self.send(call);
            let mut seen = scope.clone();
            let checked = check(call, &response, &mut seen);
            match checked {
                Err(_) if call.waits && std::time::Instant::now() < end => {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                Err(error) => {
                    return Err(format!("{error}\n{} {}", response.status, response.body));
                }
                Ok(()) => {
                    *scope = seen;
                    return Ok(());
                }
            }
        }
    }

    fn send(&self, call: &Call) -> Response {
        self.act(call).unwrap_or_else(|| self.request(call))
    }

    fn request(&self, call: &Call) -> Response {
        let has = |name: &str| call.headers.iter().any(|(other, _)| other == name);
        let mut headers: Vec<(&str, &str)> = call
            .headers
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let bearer;
        if let Some(key) = &call.key {
            let (_, text, _) = self.keys.iter().find(|(name, ..)| name == key).expect(key);
            bearer = format!("Bearer {text}");
            headers.push(("authorization", &bearer));
        }
        let server = self.server_of(call);
        match call.verb.as_str() {
            "GET" => server.get_with(&call.path, &headers),
            "DELETE" => server.delete_with(&call.path, &headers),
            verb => {
                if !has("content-type") {
                    headers.push(("content-type", call.media_type));
                }
                server.send(verb, &call.path, &headers, &*call.body)
            }
        }
    }
}

fn check(call: &Call, response: &Response, scope: &mut Scope) -> Result<(), String> {
    let body = || serde_json::from_str::<Value>(&response.body).map_err(|error| error.to_string());
    let (status, expected) = call
        .expected
        .as_ref()
        .map_or(("success", ""), |(a, b)| (a, b));
    let has_succeeded = response.status == 0 || (200..300).contains(&response.status);
    if response.status.to_string() != status && !(status == "success" && has_succeeded) {
        return Err(format!("expected {status}"));
    }
    let is_number = !call.is_command() && expected.starts_with(|c: char| c.is_ascii_digit());
    if is_number || expected.starts_with(['{', '[', '"']) {
        let pattern = serde_json::from_str(expected).map_err(|error| error.to_string());
        let pattern = pattern.map_err(|error| format!("{expected}: {error}"))?;
        if has_succeeded && response.header("content-type") != "application/json" {
            return Err("expected JSON".to_owned());
        }
        pattern::matches(&pattern, Some(&body()?), scope)
            .map_err(|error| format!("expected {expected}: {error}"))?;
    } else if call.is_command() {
        output(expected, response)?;
    } else if let Some((word, parts)) = expected.split_once(':') {
        problem(word, parts, response, &body()?)?;
    } else if expected == "''" && !response.body.is_empty() {
        return Err("expected no body".to_owned());
    }
    for (name, value) in &call.response_headers {
        let header = Some(json!(response.header(name))).filter(|header| header != "");
        pattern::matches(&json!(value), header.as_ref(), scope)
            .map_err(|error| format!("header {name}: {error}"))?;
    }
    if let Some((has, text)) = call
        .texts
        .iter()
        .find(|(has, text)| response.body.contains(text) != *has)
    {
        return Err(format!("has {text}: {}", !has));
    }
    let Some((is_ranked, expected)) = &call.entries else {
        return Ok(());
    };
    let body = body()?;
    let entries = body["entries"].as_array().ok_or("no entries")?.iter();
    let shown = if *is_ranked {
        let entry = |it: &Value| format!("{} {} {}", it["rank"], text(&it["member"]), it["points"]);
        entries.map(entry).collect::<Vec<_>>().join(", ")
    } else {
        entries
            .map(|it| text(&it["member"]))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let is_expected = shown == *expected;
    is_expected
        .then_some(())
        .ok_or_else(|| format!("expected {expected}\ngot {shown}"))
}

/// Checks that a command has printed each of these parts, separated by `, `, with any spaces
/// between words; and, after `''`, nothing on standard output. A number at the end of a part is whole.
fn output(parts: &str, response: &Response) -> Result<(), String> {
    let stderr = response.header("stderr");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = words(&format!("{} {stderr}", response.body));
    let parts = match parts.strip_prefix("''") {
        Some(_) if !response.body.is_empty() => {
            return Err("expected nothing on standard output".to_owned());
        }
        Some(parts) => parts,
        None => parts,
    };
    let missing = parts
        .split(", ")
        .map(words)
        .find(|part| !has_part(&shown, part));
    missing.map_or(Ok(()), |part| Err(format!("expected {part:?}\n{stderr}")))
}

/// Returns whether a text has a part. If its last word is a number, no further digit follows.
fn has_part(text: &str, part: &str) -> bool {
    let last = part.rsplit(' ').next().unwrap_or(part);
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    let mut rests = text
        .match_indices(part)
        .map(|(at, _)| &text[at + part.len()..]);
    rests.any(|rest| !(is_number && rest.starts_with(|next: char| next.is_ascii_digit())))
}

/// Returns a text without quotes, and other values as JSON.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Checks what every problem has, and the parts of its detail, which are separated by `, `.
fn problem(word: &str, parts: &str, response: &Response, body: &Value) -> Result<(), String> {
    for (name, value) in [
        ("content-type", "application/problem+json"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
    ] {
        if response.header(name) != value {
            return Err(format!("{name}: {}", response.header(name)));
        }
    }
    let is_titled = body["title"]
        .as_str()
        .is_some_and(|title| !title.is_empty());
    if body["type"] != word || body["status"] != response.status || !is_titled {
        return Err(format!("expected a problem of the type {word}"));
    }
    let detail = body["detail"].as_str().unwrap_or_default();
    let missing = parts
        .split(", ")
        .map(str::trim)
        .find(|part| !detail.contains(part));
    missing.map_or(Ok(()), |part| {
        Err(format!("expected {part:?} in the detail"))
    })
}
