//! Runs of `megaboard` that end by themselves.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::binary::megaboard;

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
    let mut command = Command::new(megaboard());
    command.args(arguments);
    for name in ["LISTEN", "STORE", "CONFIG", "LOG", "SERVER", "KEY"] {
        command.env_remove(format!("MEGABOARD_{name}"));
    }
    let mut child = command
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
