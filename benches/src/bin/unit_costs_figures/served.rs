//! [`Served`]: a Megaboard server on a Redis.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use benches::contributions::Contributions;
use benches::home::{BATCH, Home};
use benches::http::{Connection, apply_all, get};

/// The numbers of shards of the boards that are read.
pub(crate) const SHARDS: [u64; 4] = [1, 4, 16, 64];

/// A server, and a connection to it.
pub(crate) struct Served {
    pub(crate) home: Home,
    pub(crate) connection: Connection,
}

impl Served {
    /// Starts a server with kinds `of1`, `of4` and so on, of so many shards.
    pub(crate) fn start(megaboard: &Path, store: &str, staleness: &str) -> io::Result<Self> {
        let mut text = format!("[server]\nstore = {store:?}\n");
        for shards in SHARDS {
            // Writing into a string cannot fail.
            let _ = write!(
                text,
                "[kinds.of{shards}]\nwindows = [\"all\"]\nshards = {shards}\ntop = 1000\n\
                 max_staleness = \"{staleness}\"\n"
            );
        }
        // Hides the warning that Redis has no persistence.
        let home = Home::start(megaboard, tempfile::tempdir()?, &text, "error")?;
        let connection = Connection::open(home.server.address)?;
        Ok(Self { home, connection })
    }

    /// Sends one contribution of each member.
    pub(crate) fn fill(&mut self, contributions: &mut Contributions) -> io::Result<()> {
        contributions.fill(&mut self.connection, BATCH)
    }

    /// Sends a request with contributions of random members.
    pub(crate) fn write(&mut self, contributions: &mut Contributions) -> io::Result<()> {
        let members = contributions.random_members(BATCH);
        apply_all(&mut self.connection, &contributions.lines(&members))
    }

    /// Reads below `/v1/boards/ofN/live/`.
    pub(crate) fn read(&mut self, shards: u64, path: &str) -> io::Result<usize> {
        self.read_board(&format!("of{shards}/live"), path)
    }

    /// Reads below `/v1/boards/BOARD/`.
    pub(crate) fn read_board(&mut self, board: &str, path: &str) -> io::Result<usize> {
        let path = format!("/v1/boards/{board}/{path}");
        let response = self.connection.ask(&get(&path))?;
        Ok(response.head.len() + response.body.len())
    }
}
