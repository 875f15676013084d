//! A Megaboard server on a new folder, with a kind of one window and a kind of five.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use benches::child::Server;
use benches::contributions::Contributions;
use benches::http::{self, Connection};
use tempfile::TempDir;

use crate::settings::{Settings, Store};

/// The board with one window.
pub(crate) const ONE: &str = "one/live";

/// The board with five windows.
pub(crate) const FIVE: &str = "five/live";

/// The number of contributions of a request.
pub(crate) const BATCH: u64 = 1000;

const KINDS: &str = r#"
[kinds.one]
windows = ["all"]
shards = 16
dedupe = "1h"

[kinds.five]
windows = ["hour", "day", "week", "month", "all"]
shards = 16
dedupe = "1h"
"#;

/// A server and its folder.
pub(crate) struct Ours {
    pub(crate) server: Server,
    home: TempDir,
    megaboard: PathBuf,
}

impl Ours {
    /// Starts a server on an empty folder.
    pub(crate) fn start(settings: &Settings, store: Store) -> io::Result<Self> {
        let home = tempfile::tempdir_in(&settings.folder)?;
        let url = match store {
            Store::Embedded => format!("embedded:{}", data(&home).display()),
            Store::Memory => "memory:".to_owned(),
        };
        let text = format!("[server]\nstore = {url:?}\ndurability = \"always\"\n{KINDS}");
        std::fs::write(config(&home), text)?;
        Ok(Self {
            server: serve(&settings.megaboard, &home)?,
            home,
            megaboard: settings.megaboard.clone(),
        })
    }

    /// Returns the folder of the embedded store.
    pub(crate) fn data(&self) -> PathBuf {
        data(&self.home)
    }

    /// Kills the server, and starts another on its folder. Returns the time until that listens.
    pub(crate) fn kill_and_start(self) -> io::Result<(Self, Duration)> {
        let Self {
            server,
            home,
            megaboard,
        } = self;
        drop(server);
        let begun = Instant::now();
        let server = serve(&megaboard, &home)?;
        let taken = begun.elapsed();
        let restarted = Self {
            server,
            home,
            megaboard,
        };
        Ok((restarted, taken))
    }

    /// Sends one contribution of each member, in batches.
    pub(crate) fn fill(&self, contributions: &mut Contributions) -> io::Result<()> {
        let mut connection = Connection::open(self.server.address)?;
        loop {
            let members = contributions.next_members(BATCH);
            if members.is_empty() {
                return Ok(());
            }
            http::apply_all(&mut connection, &contributions.lines(&members))?;
        }
    }

    /// Returns the number of windows of a board that have this number of members.
    pub(crate) fn windows_with(&self, board: &str, members: u64) -> io::Result<usize> {
        let request = http::get(&format!("/v1/boards/{board}"));
        let response = http::ask(self.server.address, &request)?;
        let text = String::from_utf8_lossy(&response.body);
        let windows = text.split_once("\"windows\"").map_or("", |(_, list)| list);
        let pattern = format!("\"members\":{members}}}");
        Ok(windows.matches(&pattern).count())
    }
}

fn data(home: &TempDir) -> PathBuf {
    home.path().join("data")
}

fn config(home: &TempDir) -> PathBuf {
    home.path().join("megaboard.toml")
}

fn serve(megaboard: &Path, home: &TempDir) -> io::Result<Server> {
    let mut command = Command::new(megaboard);
    command.args(["serve", "--listen", "127.0.0.1:0", "--config"]);
    command.arg(config(home)).current_dir(home.path());
    // Information in the log would be printed between the rounds.
    Server::announced(command.env("MEGABOARD_LOG", "warn"))
}
