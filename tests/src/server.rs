//! A running server: [`Launch`] says how it is started, [`Server`] asks it things and ends it.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use tempfile::TempDir;
use ureq::http::{Method, Request};
use ureq::{Agent, SendBody};

use crate::answer::Answer;
use crate::binary::megaboard;
use crate::patience::{DEADLINE, eventually};
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

/// How a server is started: in a folder of its own, with nothing of the environment that it reads.
#[must_use]
pub struct Launch {
    folder: TempDir,
    command: Command,
}

impl Default for Launch {
    fn default() -> Self {
        Self::new()
    }
}

impl Launch {
    /// Without flags: what stands in the folder's `megaboard.toml` holds.
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(megaboard());
        command.arg("serve").current_dir(folder.path());
        for name in ["LISTEN", "STORE", "CONFIG", "LOG", "SERVER", "KEY"] {
            command.env_remove(format!("MEGABOARD_{name}"));
        }
        Self { folder, command }
    }

    /// On a free port, with this configuration.
    pub fn on_a_free_port(config: &str) -> Self {
        Self::new()
            .file("megaboard.toml", config)
            .args("--listen 127.0.0.1:0")
    }

    /// Writes a file into the folder.
    pub fn file(self, name: &str, text: &str) -> Self {
        std::fs::write(self.folder.path().join(name), text).unwrap();
        self
    }

    /// Adds flags, parted by spaces.
    pub fn args(mut self, flags: &str) -> Self {
        self.command.args(flags.split(' '));
        self
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs a server that is to refuse to start, and gives its exit status and what it said.
    #[track_caller]
    pub fn refused(mut self) -> (Option<i32>, String) {
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let ended = eventually("the end of a server that cannot start", || {
            child.try_wait().unwrap()
        });
        let said = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
        (ended.code(), said)
    }

    /// Starts the server and waits until it listens.
    #[track_caller]
    pub fn start(mut self) -> Server {
        let log = self.folder.path().join("server.log");
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        // Read to its end, so that the server never blocks on it.
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let said = lines.recv_timeout(DEADLINE).unwrap_or_else(|_| {
            let _ = child.kill();
            panic!("no line: {}", std::fs::read_to_string(&log).unwrap())
        });
        let url = said
            .strip_prefix("listening on ")
            .unwrap_or_else(|| panic!("{said}"));
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(2 * DEADLINE))
            .build();
        Server {
            url: url.to_owned(),
            agent: agent.into(),
            child,
            folder: self.folder,
        }
    }
}

/// A running server; it ends when this is dropped.
pub struct Server {
    url: String,
    agent: Agent,
    child: Child,
    folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
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
        self.folder.path()
    }

    /// What the server has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder().join("server.log")).unwrap()
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
        let mut request = Request::builder().method(method).uri(self.url_of(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.into()).unwrap();
        Answer::read(self.agent.run(request).unwrap())
    }

    /// A body that comes from a reader, in chunks.
    #[track_caller]
    pub fn stream(&self, path: &str, body: impl std::io::Read) -> Answer {
        let mut body = body;
        let request = self.agent.post(self.url_of(path));
        let request = request.header("content-type", "application/x-ndjson");
        Answer::read(request.send(SendBody::from_reader(&mut body)).unwrap())
    }

    #[track_caller]
    fn without_body(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(method).uri(self.url_of(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::read(self.agent.run(request.body(()).unwrap()).unwrap())
    }

    /// `GET`.
    #[track_caller]
    pub fn get(&self, path: impl Display) -> Answer {
        self.without_body(Method::GET, &path.to_string(), &[])
    }

    /// `GET` with further headers.
    #[track_caller]
    pub fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.without_body(Method::GET, path, headers)
    }

    /// `DELETE`.
    #[track_caller]
    pub fn delete(&self, path: impl Display) -> Answer {
        self.without_body(Method::DELETE, &path.to_string(), &[])
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
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        let kib: u64 = line.trim().strip_suffix(" kB").unwrap().parse().unwrap();
        kib << 10
    }

    /// Sends a signal: `TERM`, `INT`.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status();
        assert!(status.unwrap().success());
    }

    /// Waits for the end of the process.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        let child = &mut self.child;
        eventually("the server's end", || child.try_wait().unwrap())
    }

    fn url_of(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}
