//! How a Redis server is started: [`RedisOptions`].

use std::process::Command;

use super::program::Program;
use super::server::RedisServer;

/// What the kit itself logs in as where a server has users.
pub(super) const ADMIN: &str = "kit-admin";

/// When the log of commands is forced to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fsync {
    /// Before each answer.
    Always,
    /// Each second.
    EverySecond,
    /// When the system likes to.
    No,
}

/// A name and its password; the name is empty where there is only a password.
#[derive(Clone, Debug)]
pub(super) struct Login {
    pub(super) name: String,
    pub(super) password: String,
}

impl Login {
    /// The command that logs in.
    pub(super) fn words(&self) -> Vec<&str> {
        let words = ["AUTH", &self.name, &self.password];
        words.into_iter().filter(|word| !word.is_empty()).collect()
    }
}

/// How a server is started. By default it keeps nothing on disk, asks for no password,
/// and compares by bytes, whatever the locale of who runs the tests.
#[derive(Clone, Debug)]
#[must_use]
pub struct RedisOptions {
    pub(super) program: Program,
    pub(super) lines: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) sentinel: bool,
    pub(super) replica: bool,
    /// What a URL for clients says.
    pub(super) client: Option<Login>,
    /// What the kit and other servers log in as.
    pub(super) admin: Option<Login>,
}

impl Default for RedisOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl RedisOptions {
    /// Without anything on disk.
    pub fn new() -> Self {
        let options = Self {
            program: Program::of_this_test(),
            lines: Vec::new(),
            env: vec![("LC_ALL".to_owned(), "C".to_owned())],
            sentinel: false,
            replica: false,
            client: None,
            admin: None,
        };
        options
            .config("save \"\"")
            // A child that rewrites the log would outlive a server that is killed.
            .config("auto-aof-rewrite-percentage 0")
            // Replicas need not wait for others that may come, and nobody long for them.
            .config("repl-diskless-sync-delay 0")
            .config("shutdown-timeout 1")
    }

    /// One that watches others, by these lines.
    pub(super) fn sentinel(lines: &[String]) -> Self {
        let mut options = Self::new();
        options.sentinel = true;
        options.lines = lines.to_vec();
        options
    }

    /// Adds a line of configuration, such as `maxmemory-policy allkeys-lru`.
    pub fn config(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Takes Redis itself, for what a Valkey that is built for embedding lacks: TLS.
    pub fn redis_itself(mut self) -> Self {
        self.program = Program::redis();
        self
    }

    /// Keeps a log of commands on disk.
    pub fn append_only(self, fsync: Fsync) -> Self {
        let fsync = match fsync {
            Fsync::Always => "always",
            Fsync::EverySecond => "everysec",
            Fsync::No => "no",
        };
        self.config("appendonly yes")
            .config(&format!("appendfsync {fsync}"))
    }

    /// Saves a snapshot (RDB) when it is stopped, and after an hour with a change.
    pub fn snapshots(self) -> Self {
        self.config("save 3600 1")
    }

    /// Asks everybody for this password.
    pub fn password(mut self, password: &str) -> Self {
        let login = Login {
            name: String::new(),
            password: password.to_owned(),
        };
        self.admin = Some(login.clone());
        self.client = Some(login);
        self.config(&format!("requirepass {password}"))
            .config(&format!("masterauth {password}"))
    }

    /// Lets in only a user of this name, with rules such as `~* &* +@all`; the URL names it. The kit
    /// has a user of its own, who may do all.
    pub fn user(mut self, name: &str, password: &str, rules: &str) -> Self {
        let login = |name: &str, password: &str| Login {
            name: name.to_owned(),
            password: password.to_owned(),
        };
        self.client = Some(login(name, password));
        self.admin = Some(login(ADMIN, ADMIN));
        self.config("user default off")
            .config(&format!("user {ADMIN} on >{ADMIN} ~* &* +@all"))
            .config(&format!("user {name} on >{password} {rules}"))
            .config(&format!("masteruser {ADMIN}"))
            .config(&format!("masterauth {ADMIN}"))
    }

    /// Orders texts by this locale, such as `en_US.UTF-8`, in `SORT` and in Lua.
    #[track_caller]
    pub fn locale(self, name: &str) -> Self {
        let known = Command::new("locale").arg("-a").output().unwrap().stdout;
        // `locale -a` has `utf8` for UTF-8.
        let plain = |name: &str| name.to_ascii_lowercase().replace('-', "");
        let known = String::from_utf8(known).unwrap();
        assert!(
            known.lines().any(|known| plain(known) == plain(name)),
            "the locale {name} is missing: tests/run makes it, or by hand (Debian, Ubuntu): \
             apt-get install locales && localedef -i en_US -f UTF-8 en_US.UTF-8"
        );
        self.env("LC_ALL", name)
    }

    /// Makes it a replica of another, to be started with options that ask for the same password.
    pub fn replica_of(mut self, primary: &RedisServer) -> Self {
        self.replica = true;
        self.program = primary.options().program.clone();
        self.config(&format!("replicaof 127.0.0.1 {}", primary.port()))
    }

    /// `NAME:PASSWORD@` where there is one.
    pub(super) fn url_login(&self) -> String {
        let login = self.client.as_ref();
        let login = login.map(|login| format!("{}:{}@", login.name, login.password));
        login.unwrap_or_default()
    }

    /// Starts a server and waits until it answers, and until it follows its primary if it has one.
    #[track_caller]
    pub fn start(&self) -> RedisServer {
        RedisServer::with(self)
    }
}
