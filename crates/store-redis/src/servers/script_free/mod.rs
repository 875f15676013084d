//! Calls without scripts, for servers that run none: [`ScriptFree`].
//!
//! The functions are the same as those that Redis runs elsewhere, in an interpreter of ours (`lua-functions`): what they ask
//! goes to the server, what they write is kept until they have ended and then written in one transaction,
//! which the server refuses if anything has changed that was asked. So nothing is decided twice, in two
//! languages.
//!
//! ```text
//! ScriptFree ── Sessions, of reads and of writes ── Session: a connection, an Interpreter
//!      └─────── Transaction: attempts ── Look: what one of them is shown
//!                      │         └────── Run: the function, command by command
//!                    Fence: what it must not come behind
//! ```

mod fence;
mod look;
mod session;
mod transaction;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use tokio::time::Instant;

use super::super::library::Library;
use super::call::{Call, Effect};
use super::dial::Dial;
use super::fault::Fault;
use super::info::Info;
use fence::Fence;
use redis_link::Address;
pub(super) use session::Lease;
use session::Sessions;
use transaction::Transaction;

/// Calls to one process, without scripts.
#[derive(Debug)]
pub(super) struct ScriptFree {
    reads: Arc<Sessions>,
    /// Each is taken until replicas have what was written, which may be as long as a deadline: no read waits for one.
    writes: Arc<Sessions>,
    conflicts: AtomicU64,
    round_trips: AtomicU64,
}

/// A call as a function is given it.
#[derive(Debug, Clone, Copy)]
struct Clocked<'a> {
    /// The function's short name.
    function: &'static str,
    /// Its full one.
    name: &'a str,
    keys: &'a [Bytes],
    /// With the deadline, by the node's clock, where there is one.
    args: &'a [Bytes],
    effect: Effect,
    until: Instant,
    /// What it must not come behind.
    fence: Option<&'a Fence>,
}

impl ScriptFree {
    /// Of the process that says this of itself. Nothing is connected before the first call.
    pub(super) fn new(dial: &Dial, address: &Address, info: &Info) -> Self {
        Self {
            reads: Sessions::new(dial, address, info),
            writes: Sessions::new(dial, address, info),
            conflicts: AtomicU64::new(0),
            round_trips: AtomicU64::new(0),
        }
    }

    /// Waits for a session to make a call in.
    pub(super) async fn lease(&self, effect: Effect, until: Instant) -> Result<Lease, Fault> {
        let sessions = match effect {
            Effect::Read | Effect::Passing => &self.reads,
            Effect::Write => &self.writes,
        };
        sessions.take(until).await
    }

    /// Makes a call with these arguments; answers what the function says, and the session that wrote.
    pub(super) async fn call(
        &self,
        call: &Call,
        args: &[Bytes],
        mut lease: Lease,
    ) -> Result<(Bytes, Lease), Fault> {
        let fence = Fence::of(call, args).transpose()?;
        let name = Library::this().function(call.function);
        let clocked = Clocked {
            function: call.function,
            name: &name,
            keys: &call.keys,
            args,
            effect: call.effect,
            until: call.until,
            fence: fence.as_ref(),
        };
        let mut transaction = Transaction::new(lease.session(), clocked);
        let said = transaction.run().await;
        let (conflicts, round_trips) = transaction.spent();
        let function = call.function;
        tracing::trace!(function, round_trips, conflicts, "called without scripts");
        self.conflicts.fetch_add(conflicts, Ordering::Relaxed);
        self.round_trips.fetch_add(round_trips, Ordering::Relaxed);
        match said {
            Ok(said) => {
                lease.is_done();
                Ok((said, lease))
            }
            Err(Fault::Redis(words)) => {
                lease.is_done();
                Err(Fault::Redis(passing(words)))
            }
            Err(fault) => Err(fault),
        }
    }

    /// How often writes of others came between, and how often an answer was waited for.
    #[cfg(test)]
    pub(super) fn spent(&self) -> (u64, u64) {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (count(&self.conflicts), count(&self.round_trips))
    }

    /// Ends all connections.
    pub(super) fn end(&self) {
        self.reads.end();
        self.writes.end();
    }
}

/// `ASKING` is for one command, and none within `MULTI`: a slot that is on its way is waited for.
fn passing(words: String) -> String {
    if words.starts_with("ASK ") {
        format!("TRYAGAIN the slot is on its way: {words}")
    } else {
        words
    }
}
