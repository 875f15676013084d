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
use crate::eventually::DEADLINE;
use crate::process::Process;
use crate::server::Server;

/// What `ulimit -f` counts in, as POSIX has it.
const LIMIT_BLOCK_BYTES: u64 = 512;

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
        for name in [
            "LISTEN",
            "STORE",
            "CONFIG",
            "LOG",
            "LOG_FORMAT",
            "SERVER",
            "KEY",
            "OPEN",
            "TOKEN_SECRET",
            "DEMO",
            "MEMORY_LIMIT",
        ] {
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
        let mut process = Process::of(self.spawn(None, Stdio::null()));
        // No time is long enough, and none too short: any moment is one to be killed at.
        thread::sleep(time);
        process.signal("KILL");
        process.ended();
    }

    /// Starts the server and waits until it listens.
    #[track_caller]
    pub fn start(self) -> Server {
        self.listening(None)
    }

    /// The same, but no file of this one server can grow past so many bytes, as if its disk failed
    /// there (EFBIG); what it is started with again has no such limit.
    #[track_caller]
    pub fn start_with_files_up_to(self, bytes: u64) -> Server {
        self.listening(Some(bytes))
    }

    #[track_caller]
    fn listening(mut self, file_bytes_max: Option<u64>) -> Server {
        let mut child = self.spawn(file_bytes_max, Stdio::piped());
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

    fn spawn(&mut self, file_bytes_max: Option<u64>, stdout: Stdio) -> Child {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log_path());
        let mut limited = file_bytes_max.map(|bytes| with_files_up_to(bytes, &self.command));
        let command = limited.as_mut().unwrap_or(&mut self.command);
        command.stdin(Stdio::null()).stdout(stdout);
        command.stderr(log.unwrap()).spawn().unwrap()
    }
}

/// A shell that limits itself and becomes the command. The signal of the limit is ignored, so that
/// what is written past it fails instead.
fn with_files_up_to(bytes: u64, command: &Command) -> Command {
    let limit = bytes / LIMIT_BLOCK_BYTES;
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!(
            "trap '' XFSZ && ulimit -f {limit} && exec \"$0\" \"$@\""
        ))
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}
