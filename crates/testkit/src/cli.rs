//! Runs of `megaboard`: those that end by themselves ([`run`]), and those that go on until they are ended ([`Running`]).

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use tempfile::TempDir;

use crate::binary::megaboard;
use crate::process::Process;

/// What a run came to.
#[derive(Debug)]
pub struct Run {
    /// The exit status.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs `megaboard` with these arguments and this standard input, with nothing of the environment
/// that it reads.
#[track_caller]
pub fn run(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A run that does not read its input may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Run {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(megaboard());
    command.args(arguments);
    for name in ["LISTEN", "STORE", "CONFIG", "LOG", "SERVER", "KEY", "FROM"] {
        command.env_remove(format!("MEGABOARD_{name}"));
    }
    command
}

/// A `megaboard` that goes on until it is ended; it ends when this is dropped.
pub struct Running {
    // Before the folder that it writes to.
    process: Process,
    folder: TempDir,
}

impl Running {
    /// Starts one with these arguments.
    #[track_caller]
    pub fn start(arguments: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let file = |name| File::create(folder.path().join(name)).unwrap();
        let child = command(arguments)
            .stdin(Stdio::null())
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .spawn();
        Self {
            process: Process::of(child.unwrap()),
            folder,
        }
    }

    fn read(&self, name: &str) -> String {
        let path: PathBuf = self.folder.path().join(name);
        std::fs::read_to_string(path).unwrap()
    }

    /// What it wrote to standard output so far.
    pub fn stdout(&self) -> String {
        self.read("stdout")
    }

    /// What it wrote to standard error so far.
    pub fn stderr(&self) -> String {
        self.read("stderr")
    }

    /// Sends a signal: `TERM`, `INT`, `KILL`, `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Waits for its end.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        self.process.ended()
    }
}
