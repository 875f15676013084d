//! Allows one start at a time on independent servers: [`StartLock`], a key that one start holds
//! while the others wait.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::link::Link;
use crate::open_error::OpenError;
use crate::redis_link::{Backoff, reply};

/// The first and the longest pause between attempts to reach a node when a store is opened.
pub(crate) const START_PAUSES: (Duration, Duration) =
    (Duration::from_millis(20), Duration::from_millis(500));

/// The key that the holder sets.
const KEY: &str = "megaboard:starting";

/// The maximum time that the lock is held, in milliseconds: far longer than reading and writing a
/// few keys takes.
const LOCK_MS: &str = "5000";

/// The lock of one start.
#[derive(Debug)]
pub(crate) struct StartLock {
    name: String,
}

impl StartLock {
    /// Waits for the lock, until a deadline.
    pub(crate) async fn acquire(link: &Link, until: Instant) -> Result<Self, OpenError> {
        let name = getrandom::u64()
            .map_err(|error| OpenError::Setting(format!("no random numbers: {error}")))?;
        let lock = Self {
            name: format!("{name:016x}"),
        };
        let mut pause = Backoff::new(START_PAUSES.0, START_PAUSES.1);
        loop {
            let args = [KEY, &lock.name, "NX", "PX", LOCK_MS];
            let why = match link.send("SET", &args).await {
                Ok(answer) if !reply::is_null(&answer) => return Ok(lock),
                Ok(_) => "another Megaboard server is starting on it".to_owned(),
                Err(error) => error.to_string(),
            };
            if Instant::now() >= until {
                let why = format!("{}: {why}", link.address());
                return Err(OpenError::Unreachable(why));
            }
            sleep(pause.next_pause()).await;
        }
    }

    /// Releases it. Best effort: a lock expires.
    pub(crate) async fn release(self, link: &Link) {
        let held = link.send("GET", &[KEY]).await;
        if held.is_ok_and(|held| reply::text(&held) == Some(&self.name)) {
            // It expires in a millisecond: so the user of Redis needs the right to one command
            // less.
            let _ = link.send("SET", &[KEY, &self.name, "XX", "PX", "1"]).await;
        }
    }
}
