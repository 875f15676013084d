//! A Redis server as a child process: [`RedisServer`], which can be stopped, killed, paused and
//! restarted on its port and folder.

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

/// How many ports are tried if another process takes a reserved one.
const PORTS_MAX: usize = 10;

/// A Redis server on its own port and in its own folder. It is killed on drop, and at the latest
/// when the test process ends.
#[derive(Debug)]
pub struct RedisServer {
    // Dropped before the folder that it works in.
    running: Mutex<Option<Running>>,
    port: Port,
    options: RedisOptions,
    folder: TempDir,
}

#[derive(Debug)]
struct Running {
    // Dropped before the process, so that it never kills a reused process id.
    _guard: Guard,
    process: Process,
}

impl RedisOptions {
    /// Makes the server a replica. Its other options must have the password of the primary.
    pub fn replica_of(mut self, primary: &RedisServer) -> Self {
        self.replica = true;
        self.program = primary.options.program.clone();
        self.config(&format!("replicaof 127.0.0.1 {}", primary.port()))
    }

    /// Starts a server and waits until it answers and, for a replica, until it is connected to its
    /// primary.
    #[track_caller]
    pub fn start(&self) -> RedisServer {
        RedisServer::with(self)
    }
}

impl RedisServer {
    /// Starts a server that persists nothing.
    #[track_caller]
    pub fn plain() -> Self {
        Self::with(&RedisOptions::new())
    }

    /// Starts a server with these options.
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
        // In a file, since a sentinel makes a server rewrite its configuration.
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

    /// Starts the server again, on its port and in its folder.
    #[track_caller]
    pub fn start(&self) {
        assert!(self.running().is_none(), "the server is already running");
        // If another process has the port now, it is for a single connection.
        eventually("the port is free", || self.try_start().then_some(()));
    }

    /// Returns whether the server started. It does not if its port is taken.
    #[track_caller]
    fn try_start(&self) -> bool {
        let mut process = self.spawn();
        let guard = Guard::over(process.id(), self.folder.path());
        let answers = eventually("Redis answers", || {
            if process.has_ended() {
                return Some(false);
            }
            self.answers().then_some(true)
        });
        if !answers {
            let log = self.log();
            assert!(
                log.contains("Address already in use"),
                "the server exited:\n{log}"
            );
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

    /// Stops the server with `SHUTDOWN`, which persists what its options say, and waits for its
    /// end. A paused server must be resumed first.
    #[track_caller]
    pub fn stop(&self) {
        let mut running = self.running().take().expect("the server is running");
        // The reply is the end of the connection.
        let _ = self.connect().try_command(&["SHUTDOWN"]);
        running.process.ended();
    }

    /// Kills the server (SIGKILL) and waits for its end.
    #[track_caller]
    pub fn kill(&self) {
        let mut running = self.running().take().expect("the server is running");
        running.process.signal("KILL");
        running.process.ended();
    }

    /// Returns whether the server was started and neither stopped nor killed since.
    pub fn is_running(&self) -> bool {
        self.running().is_some()
    }

    /// Pauses the server (SIGSTOP): connections stay open, and it does not answer.
    #[track_caller]
    pub fn pause(&self) {
        self.signal("STOP");
    }

    /// Resumes a paused server.
    #[track_caller]
    pub fn resume(&self) {
        self.signal("CONT");
    }

    #[track_caller]
    fn signal(&self, name: &str) {
        let running = self.running();
        running
            .as_ref()
            .expect("the server is running")
            .process
            .signal(name);
    }

    /// Sends a command over a new connection, with all rights. `WAIT` refers to the writes of its
    /// own connection, so it requires [`connect`](Self::connect).
    #[track_caller]
    pub fn command(&self, words: &[impl AsRef<[u8]>]) -> Reply {
        self.connect().command(words)
    }

    /// As [`command`](Self::command), but fails if the connection ends before the reply.
    pub fn try_command(&self, words: &[impl AsRef<[u8]>]) -> io::Result<Reply> {
        self.try_connect()?.try_command(words)
    }

    /// Opens a connection with all rights.
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

    /// Returns `redis://127.0.0.1:PORT`, with the login if one is required.
    pub fn url(&self) -> String {
        self.url_at(self.address())
    }

    /// Returns the URL with another address, for a proxy.
    pub(super) fn url_at(&self, address: SocketAddr) -> String {
        format!("redis://{}{address}", self.options.url_login())
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Returns the port that the server listens on.
    pub fn port(&self) -> u16 {
        self.port.number()
    }

    /// Returns the server's folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the options that the server was started with.
    pub fn options(&self) -> &RedisOptions {
        &self.options
    }

    /// Returns the log since the last start.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap()
    }

    fn log_path(&self) -> PathBuf {
        self.folder().join("redis.log")
    }

    /// Returns whether the server answers as a primary. Sentinels close a server's connections when
    /// they change its role: a server that does not answer has no role now.
    pub fn is_primary(&self) -> bool {
        let role = self.try_command(&["ROLE"]);
        role.is_ok_and(|role| role.items()[0].text() == "master")
    }

    /// Returns the number of connected replicas.
    #[track_caller]
    pub fn replicas(&self) -> usize {
        let role = self.command(&["ROLE"]);
        match role.items() {
            [name, _, replicas] if name.text() == "master" => replicas.items().len(),
            _ => 0,
        }
    }

    /// Returns whether the server is a replica that is in sync with its primary.
    pub fn is_linked(&self) -> bool {
        let info = self.try_command(&["INFO", "replication"]);
        info.is_ok_and(|info| info.field("master_link_status") == Some("up"))
    }

    /// Waits until the replica is in sync with its primary.
    #[track_caller]
    pub fn wait_for_link(&self) {
        eventually("the replica is in sync", || self.is_linked().then_some(()));
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        // The lock may be poisoned by a test that has failed already.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
