//! [`Home`]: a Megaboard server with a folder of its own.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::child::Server;
use crate::contributions::Contributions;
use crate::figures::number;
use crate::http::Connection;
use crate::process::resident_bytes_of;

/// The number of contributions of a request.
pub const BATCH: u64 = 1_000;

/// A Megaboard server and its folder, which is removed on drop.
#[derive(Debug)]
pub struct Home {
    /// The server.
    pub server: Server,
    folder: TempDir,
    binary: PathBuf,
    log: &'static str,
}

impl Home {
    /// Starts a server in an empty folder with this configuration. The store `embedded:data` is in [`data`](Self::data).
    /// `log` is the level of what it logs.
    pub fn start(
        binary: &Path,
        folder: TempDir,
        config: &str,
        log: &'static str,
    ) -> io::Result<Self> {
        std::fs::write(folder.path().join("megaboard.toml"), config)?;
        Ok(Self {
            server: Server::megaboard(binary, folder.path(), log)?,
            folder,
            binary: binary.to_owned(),
            log,
        })
    }

    /// Kills the server, and starts another in its folder. Returns the time until that listens.
    pub fn restart(self) -> io::Result<(Self, Duration)> {
        let Self {
            server,
            folder,
            binary,
            log,
        } = self;
        drop(server);
        let begun = Instant::now();
        let server = Server::megaboard(&binary, folder.path(), log)?;
        let taken = begun.elapsed();
        let restarted = Self {
            server,
            folder,
            binary,
            log,
        };
        Ok((restarted, taken))
    }

    /// Returns the folder of the embedded store.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Sends one contribution of each member, in batches.
    pub fn fill(&self, contributions: &mut Contributions) -> io::Result<()> {
        let mut connection = Connection::open(self.server.address)?;
        contributions.fill(&mut connection, BATCH)
    }

    /// Returns the resident memory, in bytes.
    pub fn resident_bytes(&self) -> io::Result<f64> {
        resident_bytes_of(self.server.pid()).map(number)
    }
}
