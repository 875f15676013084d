//! A Megaboard server on Redis, and contributions over HTTP.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use benches::contributions::Contributions;
use benches::home::{BATCH, Home};
use benches::http::{Connection, apply_all};

pub(crate) const BOARD: &str = "gifts/live";

/// The number of connections, each with one request in flight.
pub(crate) const CONNECTIONS: u64 = 4;

/// A server, and contributions for each connection.
pub(crate) struct Served {
    pub(crate) home: Home,
    streams: Vec<Contributions>,
    /// The contributions that fill the board.
    filling: Contributions,
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
        let config = format!("[server]\nstore = {store:?}\n{kinds}");
        // Hides the warning that Redis has no persistence.
        let home = Home::start(megaboard, tempfile::tempdir()?, &config, "error")?;
        let stream = |seed: u64| {
            let stream = Contributions::to(BOARD, members, seed);
            if ids {
                stream.with_ids(&seed.to_string())
            } else {
                stream
            }
        };
        Ok(Self {
            home,
            streams: (1..=CONNECTIONS).map(stream).collect(),
            filling: stream(0),
        })
    }

    /// Sends one contribution of each member.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        self.home.fill(&mut self.filling)
    }

    /// Sends this number of requests over each connection, concurrently. Returns the time.
    pub(crate) fn send(&mut self, requests: u64) -> io::Result<Duration> {
        let address = self.home.server.address;
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
