//! A running server: [`Server`] asks it things, reads what it answered, and ends it.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use ureq::http::{Method, Request};
use ureq::{Agent, SendBody};

use crate::answer::Answer;
use crate::eventually::DEADLINE;
use crate::launch::Launch;
use crate::process::Process;
use crate::wire::Wire;

/// All but the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A text as it stands in a path or a query.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Contributions one a line.
pub fn ndjson(items: &[Value]) -> String {
    let lines: Vec<String> = items.iter().map(Value::to_string).collect();
    lines.join("\n")
}

/// A running server; it ends when this is dropped.
pub struct Server {
    url: String,
    agent: Agent,
    // Before the folder that it works in.
    process: Process,
    launch: Launch,
}

impl Server {
    pub(crate) fn of(url: &str, process: Process, launch: Launch) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(2 * DEADLINE))
            .build();
        Self {
            url: url.to_owned(),
            agent: agent.into(),
            process,
            launch,
        }
    }

    /// With nothing but the default kind, `gifts`.
    #[track_caller]
    pub fn start() -> Self {
        Self::with("")
    }

    /// With this configuration, on a free port, kept in memory.
    #[track_caller]
    pub fn with(config: &str) -> Self {
        Launch::on_a_free_port(config)
            .args("--store memory:")
            .start()
    }

    /// With this configuration, on a free port, kept where a server keeps its boards when nothing
    /// is said: in [`kept`](Self::kept).
    #[track_caller]
    pub fn durable(config: &str) -> Self {
        Launch::on_a_free_port(config).start()
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    /// The server's own folder, for files of the test too.
    pub fn folder(&self) -> &Path {
        self.launch.folder()
    }

    /// Where a [`durable`](Self::durable) server keeps its boards.
    pub fn kept(&self) -> PathBuf {
        self.launch.kept()
    }

    /// What the server has logged, and those before it in its folder.
    pub fn log(&self) -> String {
        self.launch.log()
    }

    /// A bare connection.
    pub fn wire(&self) -> Wire {
        Wire::to(self.address())
    }

    /// Any request with a body.
    #[track_caller]
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Vec<u8>>,
    ) -> Answer {
        self.try_send(method, path, headers, body).unwrap()
    }

    /// The same to a server that may end meanwhile: then there is no answer.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Vec<u8>>,
    ) -> Result<Answer, ureq::Error> {
        let mut request = Request::builder().method(method).uri(self.url_of(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::read(self.agent.run(request.body(body.into())?)?)
    }

    /// A body that comes from a reader, in chunks.
    #[track_caller]
    pub fn stream(&self, path: &str, body: impl std::io::Read) -> Answer {
        let mut body = body;
        let request = self.agent.post(self.url_of(path));
        let request = request.header("content-type", "application/x-ndjson");
        Answer::read(request.send(SendBody::from_reader(&mut body)).unwrap()).unwrap()
    }

    fn without_body(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<Answer, ureq::Error> {
        let mut request = Request::builder().method(method).uri(self.url_of(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::read(self.agent.run(request.body(())?)?)
    }

    /// `GET`.
    #[track_caller]
    pub fn get(&self, path: impl Display) -> Answer {
        self.try_get(path).unwrap()
    }

    /// `GET` from a server that may end meanwhile: then there is no answer.
    pub fn try_get(&self, path: impl Display) -> Result<Answer, ureq::Error> {
        self.without_body(Method::GET, &path.to_string(), &[])
    }

    /// `GET` with further headers.
    #[track_caller]
    pub fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.without_body(Method::GET, path, headers).unwrap()
    }

    /// `DELETE`.
    #[track_caller]
    pub fn delete(&self, path: impl Display) -> Answer {
        self.without_body(Method::DELETE, &path.to_string(), &[])
            .unwrap()
    }

    /// `DELETE` with further headers.
    #[track_caller]
    pub fn delete_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.without_body(Method::DELETE, path, headers).unwrap()
    }

    /// `POST` of a JSON body.
    #[track_caller]
    pub fn post(&self, path: impl Display, body: &Value) -> Answer {
        self.json("POST", &path.to_string(), &body.to_string())
    }

    /// `PUT` of a JSON body.
    #[track_caller]
    pub fn put(&self, path: impl Display, body: &Value) -> Answer {
        self.json("PUT", &path.to_string(), &body.to_string())
    }

    /// Any text, called JSON.
    #[track_caller]
    pub fn json(&self, method: &str, path: &str, text: &str) -> Answer {
        self.send(method, path, &[("content-type", "application/json")], text)
    }

    /// `POST /v1/contributions` of JSON.
    #[track_caller]
    pub fn contribute(&self, body: &Value) -> Answer {
        self.post("/v1/contributions", body)
    }

    /// `POST /v1/contributions` of lines.
    #[track_caller]
    pub fn lines(&self, text: &str) -> Answer {
        let headers = [("content-type", "application/x-ndjson")];
        self.send("POST", "/v1/contributions", &headers, text)
    }

    /// Contributes points to a board, member by member, all applied.
    #[track_caller]
    pub fn give(&self, board: &str, points: &[(&str, i64)]) {
        let items: Vec<Value> = points
            .iter()
            .map(|(member, points)| {
                serde_json::json!({"board": board, "member": member, "points": points})
            })
            .collect();
        let receipt = self.contribute(&items.into()).ok();
        assert_eq!(receipt["applied"], points.len(), "{receipt}");
    }

    /// The versions of a board's windows now, which change with whatever changes in them. Of a
    /// board that nobody has contributed to they are none.
    #[track_caller]
    pub fn versions(&self, board: &str) -> Vec<(String, String)> {
        let path = format!("/v1/boards/{board}?fresh=true");
        let shown = self.get(&path).ok();
        let windows = shown["windows"].as_array().unwrap().iter();
        let version = |window: &Value| {
            let name = window["window"].as_str().unwrap();
            let shown = self.get(format!("{path}&window={}", encoded(name))).ok();
            let version = shown["version"].as_str().unwrap().to_owned();
            (name.to_owned(), version)
        };
        windows.map(version).collect()
    }

    /// Members of a board's window, best first.
    #[track_caller]
    pub fn order(&self, board: &str, window: &str) -> Vec<String> {
        let top = self.get(format!(
            "/v1/boards/{board}/top?fresh=true&window={}",
            encoded(window)
        ));
        let names = top.entries().into_iter();
        names
            .map(|entry| entry["member"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Bytes of memory that the process holds.
    pub fn resident_bytes(&self) -> u64 {
        self.process.resident_bytes()
    }

    /// The most bytes of memory that the process held at any time.
    pub fn peak_resident_bytes(&self) -> u64 {
        self.process.peak_resident_bytes()
    }

    /// Sends a signal: `TERM`, `INT`, `KILL`.
    pub fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Waits for the end of the process.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        self.process.ended()
    }

    /// SIGTERM, which a server ends well from; the way to start it again as it was.
    #[track_caller]
    pub fn stop(mut self) -> Launch {
        self.signal("TERM");
        assert_eq!(self.ended().code(), Some(0), "{}", self.log());
        self.launch
    }

    /// SIGKILL, if it lives; the way to start it again as it was.
    pub fn kill(self) -> Launch {
        drop(self.process);
        self.launch
    }

    fn url_of(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}
