//! How a server is started: [`Launch`], from its configuration to the line that says where it listens.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use tempfile::TempDir;

use crate::binary::megaboard;
use crate::patience::{DEADLINE, eventually};
use crate::server::Server;

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
        Server::of(url, child, self.folder)
    }
}
