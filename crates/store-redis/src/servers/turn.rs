//! One start at a time on independent servers: a key that one start has, and the others wait for.

use tokio::time::{Instant, sleep};

use super::link::Link;
use super::{OpenError, START_PAUSES};
use redis_link::Backoff;
use redis_link::reply;

/// The key of whose turn it is.
const KEY: &str = "megaboard:starting";

/// For how long a turn is had, in milliseconds: far longer than it takes to read and write a few keys.
const TURN_MS: &str = "5000";

/// A start's turn.
#[derive(Debug)]
pub(super) struct Turn {
    name: String,
}

impl Turn {
    /// Waits for it until then.
    pub(super) async fn take(link: &Link, until: Instant) -> Result<Self, OpenError> {
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
    pub(super) async fn give_back(self, link: &Link) {
        let held = link.send("GET", &[KEY]).await;
        if held.is_ok_and(|held| reply::text(&held) == Some(&self.name)) {
            // It goes in a millisecond: one command less that a user of Redis has to be allowed.
            let _ = link.send("SET", &[KEY, &self.name, "XX", "PX", "1"]).await;
        }
    }
}
