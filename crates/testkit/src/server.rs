//! A running server: [`Server`] sends it requests, returns its responses, and ends it.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use ureq::http::{Method, Request};
use ureq::{Agent, SendBody};

use crate::eventually::DEADLINE;
use crate::launch::{Launch, files_up_to};
use crate::process::Process;
use crate::response::Response;
use crate::wire::Wire;

/// All but the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Percent-encodes a text for a path or a query.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Returns contributions as NDJSON.
pub fn ndjson(items: &[Value]) -> String {
    let lines: Vec<String> = items.iter().map(Value::to_string).collect();
    lines.join("\n")
}

/// A running server, killed on drop.
pub struct Server {
    url: String,
    agent: Agent,
    // Dropped before the folder that it works in.
    process: Process,
    launch: Launch,
}

impl Launch {
    /// Starts the server and waits until it listens.
    #[track_caller]
    pub fn start(self) -> Server {
        Server::of(self, None)
    }

    /// As [`start`](Self::start), but no file of this server can grow beyond this size, as if the
    /// disk failed there (EFBIG). The limit does not apply when the launch is started again.
    #[track_caller]
    pub fn start_with_files_up_to(self, bytes: u64) -> Server {
        Server::of(self, Some(&files_up_to(bytes)))
    }

    /// As [`start`](Self::start), but this server can have no more files and connections open.
    #[track_caller]
    pub fn start_with_open_files_up_to(self, count: u64) -> Server {
        Server::of(self, Some(&format!("ulimit -n {count}")))
    }
}

impl Server {
    #[track_caller]
    fn of(mut launch: Launch, limits: Option<&str>) -> Self {
        let (process, url) = launch.listening(limits);
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(2 * DEADLINE))
            .build();
        Self {
            url,
            agent: agent.into(),
            process,
            launch,
        }
    }

    /// Starts a server with the default kind, `gifts`, in memory.
    #[track_caller]
    pub fn start() -> Self {
        Self::with("")
    }

    /// Starts a server with this configuration, on a free port, in memory.
    #[track_caller]
    pub fn with(config: &str) -> Self {
        Launch::on_a_free_port(config)
            .args("--store memory:")
            .start()
    }

    /// Starts a server with this configuration, on a free port, with the default store folder:
    /// [`kept`](Self::kept).
    #[track_caller]
    pub fn durable(config: &str) -> Self {
        Launch::on_a_free_port(config).start()
    }

    /// Returns `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns `127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    /// Returns the server's working folder, which a test may use too.
    pub fn folder(&self) -> &Path {
        self.launch.folder()
    }

    /// Returns the store folder of a [`durable`](Self::durable) server.
    pub fn kept(&self) -> PathBuf {
        self.launch.kept()
    }

    /// Returns the log of this server and of earlier ones in its folder.
    pub fn log(&self) -> String {
        self.launch.log()
    }

    /// Opens a raw connection.
    pub fn wire(&self) -> Wire {
        Wire::to(self.address())
    }

    /// Sends any request with a body.
    #[track_caller]
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Vec<u8>>,
    ) -> Response {
        self.try_send(method, path, headers, body).unwrap()
    }

    /// As [`send`](Self::send), to a server that may end before it answers.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Vec<u8>>,
    ) -> Result<Response, ureq::Error> {
        let mut request = Request::builder().method(method).uri(self.url_of(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Response::read(self.agent.run(request.body(body.into())?)?)
    }

    /// Sends a body from a reader, with chunked encoding.
    #[track_caller]
    pub fn stream(&self, path: &str, body: impl std::io::Read) -> Response {
        let mut body = body;
        let request = self.agent.post(self.url_of(path));
        let request = request.header("content-type", "application/x-ndjson");
        Response::read(request.send(SendBody::from_reader(&mut body)).unwrap()).unwrap()
    }

    fn without_body(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<Response, ureq::Error> {
        let mut request = Request::builder().method(method).uri(self.url_of(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Response::read(self.agent.run(request.body(())?)?)
    }

    /// Sends a `GET`.
    #[track_caller]
    pub fn get(&self, path: impl Display) -> Response {
        self.try_get(path).unwrap()
    }

    /// Sends a `GET` to a server that may end before it answers.
    pub fn try_get(&self, path: impl Display) -> Result<Response, ureq::Error> {
        self.without_body(Method::GET, &path.to_string(), &[])
    }

    /// Sends a `GET` with further headers.
    #[track_caller]
    pub fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        self.without_body(Method::GET, path, headers).unwrap()
    }

    /// Sends a `DELETE`.
    #[track_caller]
    pub fn delete(&self, path: impl Display) -> Response {
        self.without_body(Method::DELETE, &path.to_string(), &[])
            .unwrap()
    }

    /// Sends a `DELETE` with further headers.
    #[track_caller]
    pub fn delete_with(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        self.without_body(Method::DELETE, path, headers).unwrap()
    }

    /// Sends a `POST` with a JSON body.
    #[track_caller]
    pub fn post(&self, path: impl Display, body: &Value) -> Response {
        self.json("POST", &path.to_string(), &body.to_string())
    }

    /// Sends a `PUT` with a JSON body.
    #[track_caller]
    pub fn put(&self, path: impl Display, body: &Value) -> Response {
        self.json("PUT", &path.to_string(), &body.to_string())
    }

    /// Sends any text with the content type of JSON.
    #[track_caller]
    pub fn json(&self, method: &str, path: &str, text: &str) -> Response {
        self.send(method, path, &[("content-type", "application/json")], text)
    }

    /// Sends `POST /v1/contributions` with a JSON body.
    #[track_caller]
    pub fn contribute(&self, body: &Value) -> Response {
        self.post("/v1/contributions", body)
    }

    /// Sends `POST /v1/contributions` with an NDJSON body.
    #[track_caller]
    pub fn lines(&self, text: &str) -> Response {
        let headers = [("content-type", "application/x-ndjson")];
        self.send("POST", "/v1/contributions", &headers, text)
    }

    /// Contributes points to members of a board, and asserts that all were applied.
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

    /// Returns the current versions of a board's windows, which change with every change in them.
    /// Empty for a board that does not exist.
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

    /// Returns the members of a board's window, best first.
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

    /// Returns the resident memory of the process in bytes.
    pub fn resident_bytes(&self) -> u64 {
        self.process.resident_bytes()
    }

    /// Returns the peak resident memory of the process in bytes.
    pub fn peak_resident_bytes(&self) -> u64 {
        self.process.peak_resident_bytes()
    }

    /// Returns the nice value of a thread of the process; Linux keeps the first 15 bytes of its name.
    pub fn nice_of(&self, thread: &str) -> i32 {
        self.process.nice_of(thread)
    }

    /// Sends a signal: `TERM`, `INT`, `KILL`.
    pub fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Waits for the process to exit.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        self.process.ended()
    }

    /// Stops the server with SIGTERM, and returns its launch to start it again.
    #[track_caller]
    pub fn stop(mut self) -> Launch {
        self.signal("TERM");
        assert_eq!(self.ended().code(), Some(0), "{}", self.log());
        self.launch
    }

    /// Kills the server with SIGKILL, and returns its launch to start it again.
    pub fn kill(self) -> Launch {
        drop(self.process);
        self.launch
    }

    fn url_of(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}
