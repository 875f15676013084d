//! How a server is started: [`Launch`], its configuration, flags and environment. A server that has
//! ended returns its launch, to be started again in the same folder.

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

/// The unit of `ulimit -f`, as POSIX defines it.
const LIMIT_BLOCK_BYTES: u64 = 512;

/// How a server is started: in a temporary folder, without the variables that it reads. The folder
/// is removed with the launch, or with the server started last.
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
    /// Without flags: the folder's `megaboard.toml` applies.
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
        // Most tests stop servers whose clients have left.
        command.env("MEGABOARD_DRAIN", "0s");
        Self { folder, command }
    }

    /// With this configuration, on a free port.
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

    /// Adds flags, separated by single spaces.
    pub fn args(mut self, flags: &str) -> Self {
        self.command.args(flags.split(' '));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Returns the server's working folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the default store folder, `megaboard-data`.
    pub fn kept(&self) -> PathBuf {
        self.folder().join("megaboard-data")
    }

    /// Returns the log of all servers started so far in this folder.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap()
    }

    fn log_path(&self) -> PathBuf {
        self.folder().join("server.log")
    }

    /// Runs a server that should refuse to start. Returns its exit status and standard error.
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

    /// Runs a server and kills it after this time, possibly before it has started.
    pub fn killed_after(&mut self, time: Duration) {
        let mut process = Process::of(self.spawn(None, Stdio::null()));
        // Any delay is fine: the test is about kills at arbitrary moments.
        thread::sleep(time);
        process.signal("KILL");
        process.ended();
    }

    /// Starts a server and waits until it listens. Returns its process and its URL.
    #[track_caller]
    pub(crate) fn listening(&mut self, limits: Option<&str>) -> (Process, String) {
        let mut child = self.spawn(limits, Stdio::piped());
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let process = Process::of(child);
        let (sender, lines) = mpsc::channel();
        // Drained, so that the server never blocks on writing to it.
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let line = lines.recv_timeout(DEADLINE);
        let line = line.unwrap_or_else(|_| panic!("the server does not listen: {}", self.log()));
        let url = line.strip_prefix("listening on ");
        let url = url.unwrap_or_else(|| panic!("not the address of a server: {line}"));
        (process, url.to_owned())
    }

    fn spawn(&mut self, limits: Option<&str>, stdout: Stdio) -> Child {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log_path());
        let mut limited = limits.map(|limits| within(limits, &self.command));
        let command = limited.as_mut().unwrap_or(&mut self.command);
        command.stdin(Stdio::null()).stdout(stdout);
        command.stderr(log.unwrap()).spawn().unwrap()
    }
}

/// Returns the shell command that limits the size of files. The signal of the limit is ignored, so that writes past it
/// fail instead.
pub(crate) fn files_up_to(bytes: u64) -> String {
    format!("trap '' XFSZ && ulimit -f {}", bytes / LIMIT_BLOCK_BYTES)
}

/// Returns a shell that sets limits and executes the command.
fn within(limits: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("{limits} && exec \"$0\" \"$@\""))
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
