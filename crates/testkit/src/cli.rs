//! Runs of `megaboard`: commands that exit by themselves ([`run`]), and long-running ones
//! ([`Running`]).

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use tempfile::TempDir;

use crate::binary::megaboard;
use crate::eventually;
use crate::process::Process;

/// The result of a finished run.
#[derive(Debug)]
pub struct Run {
    /// The exit status.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs `megaboard` with these arguments and standard input. All variables that it reads are
/// removed from its environment.
#[track_caller]
pub fn run(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input may have exited already.
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

/// A running `megaboard`, killed on drop.
pub struct Running {
    // Dropped before the folder that it writes to.
    process: Process,
    folder: TempDir,
}

impl Running {
    /// Starts `megaboard` with these arguments.
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

    /// Returns the standard output so far.
    pub fn stdout(&self) -> String {
        self.read("stdout")
    }

    /// Returns the standard error so far.
    pub fn stderr(&self) -> String {
        self.read("stderr")
    }

    /// Waits until the process handles SIGINT and SIGTERM.
    #[track_caller]
    pub fn catches_signals(&self) {
        // SIGINT is signal 2, the second bit; SIGTERM signal 15.
        const BOTH: u64 = (1 << 1) | (1 << 14);
        let path = format!("/proc/{}/status", self.process.id());
        eventually("the signals are handled", || {
            let status = std::fs::read_to_string(&path).unwrap();
            let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:"));
            let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
            (caught & BOTH == BOTH).then_some(())
        });
    }

    /// Sends a signal: `TERM`, `INT`, `KILL`, `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Waits for the process to exit.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        self.process.ended()
    }
}
