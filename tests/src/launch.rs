//! How a server is started: [`Launch`], from its configuration to the line that says where it listens.
//! A server that has ended gives its launch back, to be started again on what it left.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::binary::megaboard;
use crate::patience::DEADLINE;
use crate::process::Process;
use crate::server::Server;

/// How a server is started: in a folder of its own, with nothing of the environment that it reads.
/// The folder goes with it, or with the server that was started last.
#[derive(Debug)]
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

    /// The folder that the server works in.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where it keeps its boards when nothing is said.
    pub fn kept(&self) -> PathBuf {
        self.folder().join("megaboard-data")
    }

    /// What was logged by all that was started.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap()
    }

    fn log_path(&self) -> PathBuf {
        self.folder().join("server.log")
    }

    /// Runs a server that is to refuse to start, and gives its exit status and what it said.
    #[track_caller]
    pub fn refused(&mut self) -> (Option<i32>, String) {
        let child = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.unwrap();
        let stderr = child.stderr.take().unwrap();
        let ended = Process::of(child).ended();
        (ended.code(), std::io::read_to_string(stderr).unwrap())
    }

    /// Runs a server and kills it so soon that it may not have started.
    pub fn killed_after(&mut self, time: Duration) {
        let mut process = Process::of(self.spawn(Stdio::null()));
        // No time is long enough, and none too short: any moment is one to be killed at.
        thread::sleep(time);
        process.signal("KILL");
        process.ended();
    }

    /// Starts the server and waits until it listens.
    #[track_caller]
    pub fn start(mut self) -> Server {
        let mut child = self.spawn(Stdio::piped());
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let process = Process::of(child);
        let (sender, lines) = mpsc::channel();
        // Read to its end, so that the server never blocks on it.
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let said = lines.recv_timeout(DEADLINE);
        let said = said.unwrap_or_else(|_| panic!("no line: {}", self.log()));
        let url = said
            .strip_prefix("listening on ")
            .unwrap_or_else(|| panic!("{said}"));
        Server::of(url, process, self)
    }

    fn spawn(&mut self, stdout: Stdio) -> Child {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log_path());
        let command = self.command.stdin(Stdio::null()).stdout(stdout);
        command.stderr(log.unwrap()).spawn().unwrap()
    }
}
