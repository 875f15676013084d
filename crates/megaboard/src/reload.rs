//! Reloads the API keys from the configuration file, when it has changed and at SIGHUP.
//!
//! Other settings apply from the next start. The last key is never removed by accident: an empty file, which an editor
//! may leave for a moment, removes no keys.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use access::without_keys;
use api::App;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

use crate::config::{Config, DEFAULT_PATH};

/// How often the file is checked for changes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The source of the keys, and what they are checked against.
pub(crate) struct Reload {
    hangups: Signal,
    config: Option<PathBuf>,
    /// The version of the file that was read; `None` if it did not exist.
    read: Option<Mark>,
}

/// Differs between versions of a file, and between files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Mark {
    /// Returns the version of the configuration file; `None` if it does not exist.
    pub(crate) fn of(config: Option<&Path>) -> Option<Self> {
        let metadata = std::fs::metadata(path_of(config)).ok()?;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

fn path_of(config: Option<&Path>) -> &Path {
    config.unwrap_or(Path::new(DEFAULT_PATH))
}

impl Reload {
    /// Installs the signal handler. `read` is the version of the file from before it was read: if it has changed since,
    /// it is reloaded.
    pub(crate) fn catch(config: Option<PathBuf>, read: Option<Mark>) -> std::io::Result<Self> {
        let hangups = signal(SignalKind::hangup())?;
        Ok(Self {
            hangups,
            config,
            read,
        })
    }

    /// Reloads the keys at each signal, and when the file has changed and is unchanged for one interval.
    pub(crate) async fn run(mut self, app: Arc<App>) {
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut seen = self.read;
        loop {
            tokio::select! {
                hangup = self.hangups.recv() => {
                    if hangup.is_none() {
                        return;
                    }
                }
                _ = looks.tick() => {
                    let before = std::mem::replace(&mut seen, self.mark());
                    // Unchanged since the last check, so it is probably complete. A file that is missing is ignored.
                    if seen.is_none() || seen != before || seen == self.read {
                        continue;
                    }
                }
            }
            self.read = self.mark();
            match self.read_keys(&app) {
                Ok(count) => tracing::info!(keys = count, "the keys were reloaded"),
                Err(error) => {
                    let error = without_keys(&error);
                    tracing::error!(
                        error,
                        "the keys could not be reloaded and remain as they were"
                    );
                }
            }
        }
    }

    fn mark(&self) -> Option<Mark> {
        Mark::of(self.config.as_deref())
    }

    fn read_keys(&self, app: &App) -> Result<usize, String> {
        // By name, so that a missing file is an error, also if it is the default one.
        let path = path_of(self.config.as_deref());
        let config = Config::read(Some(path)).map_err(|error| error.to_string())?;
        let (keys, access) = (config.server.keys(), app.access());
        // `--open` of the command line was given for a server with keys.
        if keys.is_empty() && access.has_keys() && !config.server.is_open() {
            return Err("without any key the server would be open to everyone; \
                to allow this, set open = true"
                .to_owned());
        }
        let set = access.set_keys(keys);
        set.map_err(|error| format!("server.keys: {error}"))?;
        Ok(keys.len())
    }
}
