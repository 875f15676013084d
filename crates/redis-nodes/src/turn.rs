//! One start at a time on independent servers: a key that one start has, and the others wait for.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::link::Link;
use crate::open_error::OpenError;
use redis_link::Backoff;
use redis_link::reply;

/// The first and the longest pause between attempts to reach a node when a store is opened.
pub(crate) const START_PAUSES: (Duration, Duration) =
    (Duration::from_millis(20), Duration::from_millis(500));

/// The key of whose turn it is.
const KEY: &str = "megaboard:starting";

/// For how long a turn is had, in milliseconds: far longer than it takes to read and write a few keys.
const TURN_MS: &str = "5000";

/// A start's turn.
#[derive(Debug)]
pub(crate) struct Turn {
    name: String,
}

impl Turn {
    /// Waits for it until then.
    pub(crate) async fn take(link: &Link, until: Instant) -> Result<Self, OpenError> {
        let name = getrandom::u64()
            .map_err(|error| OpenError::Setting(format!("no random numbers: {error}")))?;
        let turn = Self {
            name: format!("{name:016x}"),
        };
        let mut pause = Backoff::new(START_PAUSES.0, START_PAUSES.1);
        loop {
            let args = [KEY, &turn.name, "NX", "PX", TURN_MS];
            let why = match link.send("SET", &args).await {
                Ok(answer) if !reply::is_null(&answer) => return Ok(turn),
                Ok(_) => "another Megaboard server is starting on it".to_owned(),
                Err(fault) => fault.words().to_owned(),
            };
            if Instant::now() >= until {
                let why = format!("{}: {why}", link.address());
                return Err(OpenError::Unreachable(why));
            }
            sleep(pause.next_pause()).await;
        }
    }

    /// Lets the next one have it. Best effort: a turn ends by itself.
    pub(crate) async fn give_back(self, link: &Link) {
        let held = link.send("GET", &[KEY]).await;
        if held.is_ok_and(|held| reply::text(&held) == Some(&self.name)) {
            // It goes in a millisecond: one command less that a user of Redis has to be allowed.
            let _ = link.send("SET", &[KEY, &self.name, "XX", "PX", "1"]).await;
        }
    }
}
