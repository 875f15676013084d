//! Servers as child processes, killed on drop.

use std::io::{self, BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The maximum time until a server listens.
const START_MAX: Duration = Duration::from_secs(10);

/// The pause between attempts to connect.
const CONNECT_INTERVAL: Duration = Duration::from_millis(10);

/// A running server.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// The address on which it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Starts a server that prints `listening on http://ADDRESS` once it listens.
    pub fn announced(command: &mut Command) -> io::Result<Self> {
        let child = command.stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| named(command, &error))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let address = line.trim().strip_prefix("listening on http://");
        if let Some(address) = address.and_then(|address| address.parse().ok()) {
            return Ok(Self { child, address });
        }
        child.kill()?;
        child.wait()?;
        Err(io::Error::other(format!("{command:?} printed {line:?}")))
    }

    /// Starts a Megaboard server in a folder, with the `megaboard.toml` there. `log` is the level of what it logs.
    pub fn megaboard(binary: &Path, folder: &Path, log: &str) -> io::Result<Self> {
        let mut command = Command::new(binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--config"]);
        command.arg(folder.join("megaboard.toml"));
        Self::announced(command.current_dir(folder).env("MEGABOARD_LOG", log))
    }

    /// Starts a server on a free port, and waits until it accepts connections.
    pub fn on_free_port(command: impl FnOnce(u16) -> Command) -> io::Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut command = command(address.port());
        let child = command.stdout(Stdio::null()).spawn();
        let child = child.map_err(|error| named(&command, &error))?;
        let server = Self { child, address };
        let begun = Instant::now();
        while let Err(error) = TcpStream::connect(address) {
            if begun.elapsed() > START_MAX {
                return Err(named(&command, &error));
            }
            std::thread::sleep(CONNECT_INTERVAL);
        }
        Ok(server)
    }

    /// Returns the process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn named(command: &Command, error: &io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", command.get_program().display()))
}

/// Returns the path of a binary in the folder of this one.
pub fn sibling(name: &str) -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let path = own.with_file_name(name);
    if path.exists() {
        Ok(path)
    } else {
        let path = path.display();
        Err(io::Error::other(format!(
            "{path} does not exist: build it first"
        )))
    }
}
