//! The keys are read again, out of the file that the server was started with: when it has changed, and at
//! SIGHUP.
//!
//! Nothing else of the file is: what else it says holds from the next start on. The last key never goes by
//! oversight: an empty file, as an editor leaves it for a moment, takes none away.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use access::without_keys;
use api::App;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

use crate::config::{Config, DEFAULT_PATH};

/// How often it is looked whether the file has changed.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What the keys are read again from, and held against.
pub(crate) struct Reload {
    hangups: Signal,
    config: Option<PathBuf>,
    /// The file as it was read; none where there was none.
    read: Option<Mark>,
}

/// What changes with a file's content, or with which file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Mark {
    /// Of the configuration file; none where there is none.
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
    /// From now on the signal no longer ends the process. `read` is the file as it was before it was read: what
    /// has changed since is read again.
    pub(crate) fn catch(config: Option<PathBuf>, read: Option<Mark>) -> std::io::Result<Self> {
        let hangups = signal(SignalKind::hangup())?;
        Ok(Self {
            hangups,
            config,
            read,
        })
    }

    /// Reads the keys at each signal, and when the file has changed and is at rest.
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
                    // Twice the same: nobody is at work on it. One that is gone says nothing.
                    if seen.is_none() || seen != before || seen == self.read {
                        continue;
                    }
                }
            }
            self.read = self.mark();
            match self.read_keys(&app) {
                Ok(count) => tracing::info!(keys = count, "the keys were read again"),
                Err(error) => {
                    let error = without_keys(&error);
                    tracing::error!(error, "the keys stay as they were");
                }
            }
        }
    }

    fn mark(&self) -> Option<Mark> {
        Mark::of(self.config.as_deref())
    }

    fn read_keys(&self, app: &App) -> Result<usize, String> {
        // Named, so that a file that is gone is an error also where none was asked for.
        let path = path_of(self.config.as_deref());
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
