//! SIGHUP: the keys are read again, out of the file that the server was started with.
//!
//! Nothing else of the file is: what else it says holds from the next start on. The last key never goes by
//! oversight: an empty file, as an editor leaves it for a moment, takes none away.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use api::App;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::{Config, DEFAULT_PATH};

/// What the keys are read again from, and held against.
pub(crate) struct Reload {
    hangups: Signal,
    config: Option<PathBuf>,
}

impl Reload {
    /// From now on the signal no longer ends the process.
    pub(crate) fn catch(config: Option<PathBuf>) -> std::io::Result<Self> {
        let hangups = signal(SignalKind::hangup())?;
        Ok(Self { hangups, config })
    }

    /// Reads the keys at each signal.
    pub(crate) async fn run(mut self, app: Arc<App>) {
        while self.hangups.recv().await.is_some() {
            match self.read(&app) {
                Ok(count) => tracing::info!(keys = count, "the keys were read again"),
                Err(error) => tracing::error!(error, "the keys stay as they were"),
            }
        }
    }

    fn read(&self, app: &App) -> Result<usize, String> {
        let path = self.config.as_deref().unwrap_or(Path::new(DEFAULT_PATH));
        // Named, so that a file that is gone is an error also where none was asked for.
        let config = Config::read(Some(path)).map_err(|error| error.to_string())?;
        let (keys, access) = (config.server.keys(), app.access());
        // What the command line said was said of a server with keys.
        if keys.is_empty() && access.has_keys() && !config.server.is_open() {
            return Err(
                "without its last key the server would be open to everybody; \
                        say that this is wanted with open = true"
                    .to_owned(),
            );
        }
        let set = access.set_keys(keys);
        set.map_err(|error| format!("server.keys: {error}"))?;
        Ok(keys.len())
    }
}
