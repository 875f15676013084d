//! The options of a Redis server: [`RedisOptions`].

use std::process::Command;

use super::program::Program;

/// The user of the testkit itself, on servers with users.
pub(super) const ADMIN: &str = "kit-admin";

/// When the append-only file is synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fsync {
    /// Before each reply.
    Always,
    /// Every second.
    EverySecond,
    /// By the operating system.
    No,
}

/// A user name and a password; the name is empty if there is only a password.
#[derive(Clone, Debug)]
pub(super) struct Login {
    pub(super) name: String,
    pub(super) password: String,
}

impl Login {
    /// Returns the `AUTH` command.
    pub(super) fn words(&self) -> Vec<&str> {
        let words = ["AUTH", &self.name, &self.password];
        words.into_iter().filter(|word| !word.is_empty()).collect()
    }
}

/// The options of a server. By default it persists nothing, requires no password, and compares by
/// bytes regardless of the locale of the test run.
#[derive(Clone, Debug)]
#[must_use]
pub struct RedisOptions {
    pub(super) program: Program,
    pub(super) lines: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) sentinel: bool,
    pub(super) replica: bool,
    /// The login in the URL for clients.
    pub(super) client: Option<Login>,
    /// The login of the testkit and of other servers.
    pub(super) admin: Option<Login>,
}

impl Default for RedisOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl RedisOptions {
    /// The default: nothing is persisted.
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
            // A child process that rewrites the log would outlive a killed server.
            .config("auto-aof-rewrite-percentage 0")
            // A sync does not wait for more replicas, and a shutdown waits at most 1 s for them.
            .config("repl-diskless-sync-delay 0")
            .config("shutdown-timeout 1")
    }

    /// The options of a sentinel with these configuration lines.
    pub(super) fn sentinel(lines: &[String]) -> Self {
        let mut options = Self::new();
        options.sentinel = true;
        options.lines = lines.to_vec();
        options
    }

    /// Adds a configuration line, such as `maxmemory-policy allkeys-lru`.
    pub fn config(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Selects `redis-server`, for features that the Valkey builds lack, such as TLS.
    pub fn redis_itself(mut self) -> Self {
        self.program = Program::redis();
        self
    }

    /// Enables the append-only file.
    pub fn append_only(self, fsync: Fsync) -> Self {
        let fsync = match fsync {
            Fsync::Always => "always",
            Fsync::EverySecond => "everysec",
            Fsync::No => "no",
        };
        self.config("appendonly yes")
            .config(&format!("appendfsync {fsync}"))
    }

    /// Saves a snapshot (RDB) at a shutdown, and an hour after a change.
    pub fn snapshots(self) -> Self {
        self.config("save 3600 1")
    }

    /// Requires this password of all clients.
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

    /// Disables the default user and creates one with this name and rules such as `~* &* +@all`;
    /// the URL contains its login. The testkit gets a user of its own with all rights.
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

    /// Sets the locale in which `SORT` and Lua compare, such as `en_US.UTF-8`.
    #[track_caller]
    pub fn locale(self, name: &str) -> Self {
        let known = Command::new("locale").arg("-a").output().unwrap().stdout;
        // `locale -a` lists `utf8` for UTF-8.
        let plain = |name: &str| name.to_ascii_lowercase().replace('-', "");
        let known = String::from_utf8(known).unwrap();
        assert!(
            known.lines().any(|known| plain(known) == plain(name)),
            "the locale {name} is missing: tests/run makes it, or by hand (Debian, Ubuntu): \
             apt-get install locales && localedef -i en_US -f UTF-8 en_US.UTF-8"
        );
        self.env("LC_ALL", name)
    }

    /// Returns `NAME:PASSWORD@`, or an empty string without a login.
    pub(super) fn url_login(&self) -> String {
        let login = self.client.as_ref();
        let login = login.map(|login| format!("{}:{}@", login.name, login.password));
        login.unwrap_or_default()
    }
}
