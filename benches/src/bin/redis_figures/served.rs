//! A Megaboard server on Redis, and contributions over HTTP.

use std::io;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use benches::child::Server;
use benches::contributions::Contributions;
use benches::http::{Connection, apply_all};
use tempfile::TempDir;

pub(crate) const BOARD: &str = "gifts/live";

/// The number of contributions of a request.
pub(crate) const BATCH: u64 = 1000;

/// The number of connections, each with one request in flight.
pub(crate) const CONNECTIONS: u64 = 4;

/// A server, and contributions for each connection.
pub(crate) struct Served {
    pub(crate) server: Server,
    streams: Vec<Contributions>,
    /// The contributions that fill the board.
    filling: Contributions,
    _home: TempDir,
}

impl Served {
    /// Starts a server on this store, for a board of this number of members. `kinds` is the configuration of kinds that
    /// the store does not have yet.
    pub(crate) fn start(
        megaboard: &Path,
        store: &str,
        kinds: &str,
        members: u64,
        ids: bool,
    ) -> io::Result<Self> {
        let home = tempfile::tempdir()?;
        let config = home.path().join("megaboard.toml");
        std::fs::write(&config, format!("[server]\nstore = {store:?}\n{kinds}"))?;
        let mut command = Command::new(megaboard);
        command.args(["serve", "--listen", "127.0.0.1:0", "--config"]);
        command.arg(config).current_dir(home.path());
        // Hides the warning that Redis has no persistence.
        let server = Server::announced(command.env("MEGABOARD_LOG", "error"))?;
        let stream = |seed: u64| {
            let stream = Contributions::to(BOARD, members, seed);
            if ids {
                stream.with_ids(&seed.to_string())
            } else {
                stream
            }
        };
        Ok(Self {
            server,
            streams: (1..=CONNECTIONS).map(stream).collect(),
            filling: stream(0),
            _home: home,
        })
    }

    /// Sends one contribution of each member.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        let mut connection = Connection::open(self.server.address)?;
        loop {
            let members = self.filling.next_members(BATCH);
            if members.is_empty() {
                return Ok(());
            }
            apply_all(&mut connection, &self.filling.lines(&members))?;
        }
    }

    /// Sends this number of requests over each connection, concurrently. Returns the time.
    pub(crate) fn send(&mut self, requests: u64) -> io::Result<Duration> {
        let address = self.server.address;
        let bodies: Vec<Vec<String>> = self
            .streams
            .iter_mut()
            .map(|stream| {
                let requests = (0..requests).map(|_| {
                    let members = stream.random_members(BATCH);
                    stream.lines(&members)
                });
                requests.collect()
            })
            .collect();
        let begun = Instant::now();
        let writers: Vec<_> = bodies
            .into_iter()
            .map(|bodies| {
                thread::spawn(move || {
                    let mut connection = Connection::open(address)?;
                    bodies
                        .iter()
                        .try_for_each(|body| apply_all(&mut connection, body))
                })
            })
            .collect();
        for writer in writers {
            let ended = writer.join();
            ended.map_err(|_| io::Error::other("a writer panicked"))??;
        }
        Ok(begun.elapsed())
    }
}
