//! Reloads the API keys from the configuration file, when it has changed and at SIGHUP.
//!
//! Other settings apply from the next start.
//!
//! A file may be read while it is being written, and its first part may be valid: it lacks keys, or the restrictions of
//! the last one. So a version of the file is read once it has been the same at three looks, a second apart. The last key
//! is never removed by accident: an empty file removes no keys.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use access::KeyChanges;
use api::App;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

use crate::config::{Config, DEFAULT_PATH};

/// How often the file is checked for changes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The number of looks at which a version of the file has to be the same as before, until it is read.
const SAME_LOOKS_MIN: u32 = 2;

/// The source of the keys, and what they are checked against.
pub(crate) struct Reload {
    hangups: Signal,
    config: Option<PathBuf>,
    /// The version of the file that was read; `None` if it did not exist.
    read: Option<Mark>,
}

/// Differs between versions of a file, and between files: device, inode and length, and when it was modified and
/// changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark([u64; 3], [i64; 4]);

impl Mark {
    /// Returns the version of the configuration file; `None` if it does not exist.
    pub(crate) fn of(config: Option<&Path>) -> Option<Self> {
        let it = std::fs::metadata(path_of(config)).ok()?;
        let times = [it.mtime(), it.mtime_nsec(), it.ctime(), it.ctime_nsec()];
        Some(Self([it.dev(), it.ino(), it.len()], times))
    }
}

/// The version of the file that was seen last.
struct Seen {
    mark: Option<Mark>,
    same_looks: u32,
}

impl Seen {
    /// A version that was read, which is settled.
    const fn new(mark: Option<Mark>) -> Self {
        Self {
            mark,
            same_looks: SAME_LOOKS_MIN,
        }
    }

    /// Records a look, an interval after the last one.
    fn look(&mut self, mark: Option<Mark>) {
        if mark == self.mark {
            self.same_looks = self.same_looks.saturating_add(1);
        } else {
            self.recheck(mark);
        }
    }

    /// Records a look at any time.
    fn recheck(&mut self, mark: Option<Mark>) {
        if mark != self.mark {
            *self = Self {
                mark,
                same_looks: 0,
            };
        }
    }

    const fn is_settled(&self) -> bool {
        self.same_looks >= SAME_LOOKS_MIN
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

    /// Reloads the keys when the file has changed, and at each signal, once the file is settled.
    pub(crate) async fn run(mut self, app: Arc<App>) {
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut seen = Seen::new(self.read);
        let mut is_requested = false;
        loop {
            tokio::select! {
                hangup = self.hangups.recv() => {
                    if hangup.is_none() {
                        return;
                    }
                    is_requested = true;
                    seen.recheck(self.mark());
                }
                _ = looks.tick() => seen.look(self.mark()),
            }
            // A file that is missing is ignored, unless it was asked for.
            let is_new = seen.mark.is_some() && seen.mark != self.read;
            if !(seen.is_settled() && (is_new || is_requested)) {
                continue;
            }
            is_requested = false;
            self.read = seen.mark;
            match self.read_keys(&app) {
                Ok(Some((count, KeyChanges { added, removed }))) => {
                    tracing::info!(keys = count, %added, %removed, "the keys were reloaded");
                }
                // What was read may be a part. It is read again once it is settled.
                Ok(None) => seen.recheck(self.mark()),
                Err(error) => tracing::error!(
                    error,
                    "the keys could not be reloaded and remain as they were"
                ),
            }
        }
    }

    fn mark(&self) -> Option<Mark> {
        Mark::of(self.config.as_deref())
    }

    /// Returns the number of keys and what has changed; `None` if the file changed while it was read.
    fn read_keys(&self, app: &App) -> Result<Option<(usize, KeyChanges)>, String> {
        // By name, so that a missing file is an error, also if it is the default one.
        let path = path_of(self.config.as_deref());
        let config = Config::read(Some(path));
        if self.mark() != self.read {
            return Ok(None);
        }
        let config = config?;
        let (keys, access) = (&config.server.keys, app.access());
        // `--open` of the command line was given for a server with keys.
        if keys.is_empty() && access.has_keys() && !config.server.open {
            return Err("without any key the server would be open to everyone; \
                to allow this, set open = true"
                .to_owned());
        }
        let set = access.set_keys(keys);
        let changes = set.map_err(|error| format!("server.keys: {error}"))?;
        Ok(Some((keys.len(), changes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(bytes: u64) -> Mark {
        Mark([1, 1, bytes], [0; 4])
    }

    #[test]
    fn a_file_is_settled_once_it_was_the_same_at_three_looks() {
        let mut seen = Seen::new(Some(version(1)));
        assert!(seen.is_settled());
        seen.recheck(Some(version(1)));
        assert!(seen.is_settled(), "it has not changed");
        for half in [2, 3] {
            seen.look(Some(version(half)));
            seen.look(Some(version(half)));
            assert!(!seen.is_settled());
            seen.recheck(Some(version(half)));
            assert!(!seen.is_settled(), "a signal is no look");
        }
        seen.look(Some(version(3)));
        assert!(seen.is_settled());
        seen.look(None);
        assert!(!seen.is_settled());
    }
}
