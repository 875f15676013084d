//! A Megaboard server with a board of one window.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use benches::child::Server;
use benches::contributions::Contributions;
use benches::figures::number;
use benches::http::{self, Connection};
use benches::load::Target;
use benches::process::{cpu_of, resident_bytes_of};
use benches::sample::member;
use tempfile::TempDir;

use crate::Settings;
use crate::cost::{PAGE, Read};

pub(crate) const BOARD: &str = "gifts/live";

/// The number of contributions of a request.
const BATCH: u64 = 1_000;

/// A server and its folder.
pub(crate) struct Ours {
    pub(crate) server: Server,
    home: TempDir,
    megaboard: PathBuf,
}

impl Ours {
    /// Starts a server on an empty folder, whose connections may all be of one address. `kind` has further settings of the kind `gifts`.
    pub(crate) fn start(settings: &Settings, kind: &str) -> io::Result<Self> {
        let home = tempfile::tempdir()?;
        let store = format!("embedded:{}", home.path().join("data").display());
        let text = format!(
            "[server]\nstore = {store:?}\n[server.limits]\nconnections_per_address = 16384\n\
             [kinds.gifts]\nwindows = [\"all\"]\n{kind}\n"
        );
        std::fs::write(home.path().join("megaboard.toml"), text)?;
        Ok(Self {
            server: serve(&settings.megaboard, &home)?,
            home,
            megaboard: settings.megaboard.clone(),
        })
    }

    /// Sends one contribution of each member. Returns the server's CPU time per contribution, in microseconds.
    pub(crate) fn fill(&self, members: u64) -> io::Result<f64> {
        let mut contributions = Contributions::to(BOARD, members, 1);
        let mut connection = Connection::open(self.server.address)?;
        let begun = cpu_of(self.server.pid())?;
        loop {
            let numbers = contributions.next_members(BATCH);
            if numbers.is_empty() {
                let cpu = cpu_of(self.server.pid())?.saturating_sub(begun);
                return Ok(cpu.as_secs_f64() * 1e6 / number(members));
            }
            http::apply_all(&mut connection, &contributions.lines(&numbers))?;
        }
    }

    /// Returns the resident memory, in bytes.
    pub(crate) fn resident_bytes(&self) -> io::Result<f64> {
        resident_bytes_of(self.server.pid()).map(number)
    }

    /// Kills the server, and starts another on its folder. Returns the time until that listens.
    pub(crate) fn restart(self) -> io::Result<(Self, Duration)> {
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

    /// Returns this server with requests to it.
    pub(crate) fn target<'a>(&self, requests: &'a [String]) -> Target<'a> {
        Target {
            address: self.server.address,
            pid: self.server.pid(),
            requests,
            begins: http::OK,
            response_length: http::response_length,
        }
    }
}

/// Returns a request to the board.
pub(crate) fn request(read: Read, number: u64) -> String {
    let end = match read {
        Read::Top => "top?n=100".to_owned(),
        Read::Standing => format!("members/{}", member(number).as_str()),
        Read::Page => format!("range?from={}&to={}", number + 1, number + PAGE),
    };
    http::get(&format!("/v1/boards/{BOARD}/{end}"))
}

fn serve(megaboard: &Path, home: &TempDir) -> io::Result<Server> {
    let mut command = Command::new(megaboard);
    command.args(["serve", "--listen", "127.0.0.1:0", "--config"]);
    command.arg(home.path().join("megaboard.toml"));
    command.current_dir(home.path());
    Server::announced(command.env("MEGABOARD_LOG", "error"))
}
