//! A Redis server as a child process: [`RedisServer`], which can be ended in every way and started
//! again where it was.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

use super::guard::Guard;
use super::options::RedisOptions;
use super::port::Port;
use super::reply::Reply;
use super::wire::RedisWire;
use crate::eventually::eventually;
use crate::process::Process;

/// How often a server is given another port when something that is no test took the one it had.
const PORTS_MAX: usize = 10;

/// A Redis server on a port of its own, in a folder of its own; it ends when this is dropped, and with
/// the tests when it never is.
#[derive(Debug)]
pub struct RedisServer {
    // Before the folder that it works in.
    running: Mutex<Option<Running>>,
    port: Port,
    options: RedisOptions,
    folder: TempDir,
}

#[derive(Debug)]
struct Running {
    // Before the process: it is not to kill an id that may be another's by then.
    _guard: Guard,
    process: Process,
}

impl RedisServer {
    /// Starts one that keeps nothing on disk.
    #[track_caller]
    pub fn plain() -> Self {
        Self::with(&RedisOptions::new())
    }

    /// Starts one with these options.
    #[track_caller]
    pub fn with(options: &RedisOptions) -> Self {
        for _ in 0..PORTS_MAX {
            let server = Self::stopped(options);
            if server.try_start() {
                if options.replica {
                    server.wait_for_link();
                }
                return server;
            }
        }
        panic!("{PORTS_MAX} ports that were free no longer are");
    }

    fn stopped(options: &RedisOptions) -> Self {
        let folder = TempDir::new().unwrap();
        let port = Port::reserve();
        // Written down, since a sentinel has a server rewrite its configuration.
        let port_line = format!("port {}", port.number());
        let own = ["bind 127.0.0.1", &port_line, ""];
        let lines = options.lines.iter().map(String::as_str).chain(own);
        let config = lines.collect::<Vec<_>>().join("\n");
        std::fs::write(folder.path().join("redis.conf"), config).unwrap();
        Self {
            running: Mutex::new(None),
            port,
            options: options.clone(),
            folder,
        }
    }

    /// Starts it again, on its old port and what it left in its folder.
    #[track_caller]
    pub fn start(&self) {
        assert!(self.running().is_none(), "it is running");
        // Whoever has its port now holds it only for a connection.
        eventually("its old port", || self.try_start().then_some(()));
    }

    /// Whether it started; not where its port is taken.
    #[track_caller]
    fn try_start(&self) -> bool {
        let mut process = self.spawn();
        let guard = Guard::over(process.id(), self.folder.path());
        let answers = eventually("a Redis that answers", || {
            if process.has_ended() {
                return Some(false);
            }
            self.answers().then_some(true)
        });
        if !answers {
            let log = self.log();
            assert!(log.contains("Address already in use"), "it ended:\n{log}");
            return false;
        }
        *self.running() = Some(Running {
            _guard: guard,
            process,
        });
        true
    }

    fn spawn(&self) -> Process {
        let log = File::create(self.log_path()).unwrap();
        let program = &self.options.program;
        let mut command = program.command();
        command.arg("redis.conf").current_dir(self.folder.path());
        if self.options.sentinel {
            command.arg("--sentinel");
        }
        command.envs(self.options.env.iter().map(|(name, value)| (name, value)));
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap());
        match command.stderr(log).spawn() {
            Ok(child) => Process::of(child),
            Err(error) if error.kind() == ErrorKind::NotFound => panic!(
                "{} is missing: tests/run gets it; redis-server by hand (Debian, Ubuntu): \
                 apt-get install redis-server",
                program.path().display()
            ),
            Err(error) => panic!("{}: {error}", program.path().display()),
        }
    }

    fn answers(&self) -> bool {
        let pong = self.try_command(&["PING"]);
        pong.is_ok_and(|pong| pong == Reply::Status("PONG".to_owned()))
    }

    /// Asks it to end, which keeps what its options say it keeps, and waits for its end. One that is
    /// paused does not hear it.
    #[track_caller]
    pub fn stop(&self) {
        let mut running = self.running().take().expect("a server that runs");
        // What answers is the end of the connection.
        let _ = self.connect().try_command(&["SHUTDOWN"]);
        running.process.ended();
    }

    /// Kills it (SIGKILL) and waits for its end.
    #[track_caller]
    pub fn kill(&self) {
        let mut running = self.running().take().expect("a server that runs");
        running.process.signal("KILL");
        running.process.ended();
    }

    /// Whether it was started and neither stopped nor killed since.
    pub fn is_running(&self) -> bool {
        self.running().is_some()
    }

    /// Stops it where it is (SIGSTOP): connections stay, and nothing answers.
    #[track_caller]
    pub fn pause(&self) {
        self.signal("STOP");
    }

    /// Lets it go on.
    #[track_caller]
    pub fn resume(&self) {
        self.signal("CONT");
    }

    #[track_caller]
    fn signal(&self, name: &str) {
        let running = self.running();
        running
            .as_ref()
            .expect("a server that runs")
            .process
            .signal(name);
    }

    /// Sends a command over a connection of its own, as one who may do all. `WAIT`, which is about what its
    /// connection has written, wants a [`connect`](Self::connect).
    #[track_caller]
    pub fn command(&self, words: &[impl AsRef<[u8]>]) -> Reply {
        self.connect().command(words)
    }

    /// The same; an error where the connection ends before the reply.
    pub fn try_command(&self, words: &[impl AsRef<[u8]>]) -> io::Result<Reply> {
        self.try_connect()?.try_command(words)
    }

    /// A connection, logged in as one who may do all.
    #[track_caller]
    pub fn connect(&self) -> RedisWire {
        let address = self.address();
        self.try_connect()
            .unwrap_or_else(|error| panic!("{address}: {error}"))
    }

    fn try_connect(&self) -> io::Result<RedisWire> {
        let mut wire = RedisWire::try_to(self.address())?;
        if let Some(login) = &self.options.admin {
            wire.try_command(&login.words())?;
        }
        Ok(wire)
    }

    /// `redis://127.0.0.1:PORT`, with who may log in where not everybody may.
    pub fn url(&self) -> String {
        self.url_at(self.address())
    }

    /// The same for somebody who stands before it.
    pub(super) fn url_at(&self, address: SocketAddr) -> String {
        format!("redis://{}{address}", self.options.url_login())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// The port that it listens at.
    pub fn port(&self) -> u16 {
        self.port.number()
    }

    /// Where it keeps what it keeps.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// How it is started.
    pub fn options(&self) -> &RedisOptions {
        &self.options
    }

    /// What it has logged since it was last started.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap()
    }

    fn log_path(&self) -> PathBuf {
        self.folder().join("redis.log")
    }

    /// Whether it answers as a primary. Sentinels end a server's connections when they give it another
    /// part: one that does not answer has none now.
    pub fn is_primary(&self) -> bool {
        let role = self.try_command(&["ROLE"]);
        role.is_ok_and(|role| role.items()[0].text() == "master")
    }

    /// How many replicas follow it.
    #[track_caller]
    pub fn replicas(&self) -> usize {
        let role = self.command(&["ROLE"]);
        match role.items() {
            [name, _, replicas] if name.text() == "master" => replicas.items().len(),
            _ => 0,
        }
    }

    /// Whether it answers as a replica that has what its primary has.
    pub fn is_linked(&self) -> bool {
        let info = self.try_command(&["INFO", "replication"]);
        info.is_ok_and(|info| info.field("master_link_status") == Some("up"))
    }

    /// Waits until it follows its primary.
    #[track_caller]
    pub fn wait_for_link(&self) {
        eventually("a replica with its primary", || {
            self.is_linked().then_some(())
        });
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        // A test that failed in between is no reason to fail otherwise.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
