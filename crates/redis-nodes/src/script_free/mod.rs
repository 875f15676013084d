//! Calls without scripts, for servers that run none: [`ScriptFree`].
//!
//! The functions are the same as those that Redis runs elsewhere, in our interpreter
//! (`lua_functions`): their reads are sent to the server; their writes are kept until they have
//! ended, and then sent in one transaction, which the server rejects if anything that was read has
//! changed. So no logic exists twice, in two languages.
//!
//! ```text
//! ScriptFree ── Sessions, of reads and of writes ── Session: a connection, an Interpreter
//!      └─────── Transaction: attempts ── ReadSet: what one of them has read
//!                      │         └────── Run: the function, command by command
//!                    ClosingKey: when the call must not be applied any more
//! ```

mod closing_key;
mod read_set;
mod session;
mod transaction;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use tokio::time::Instant;

use crate::call::{Call, Effect};
use crate::dial::Dial;
use crate::info::Info;
use crate::library::FunctionLibrary;
use crate::redis_link::{Address, CommandError};
use closing_key::ClosingKey;
use session::Sessions;
pub(crate) use session::{Lease, SESSIONS_MAX};
use transaction::{FunctionCall, Transaction};

/// Calls to one process, without scripts.
#[derive(Debug)]
pub(crate) struct ScriptFree {
    reads: Arc<Sessions>,
    /// Each is in use until replicas have the writes, which may be as long as a deadline: no read
    /// waits for one.
    writes: Arc<Sessions>,
    conflicts: AtomicU64,
    round_trips: AtomicU64,
    library: &'static FunctionLibrary,
}

impl ScriptFree {
    /// Creates the calls to the process with this `INFO`. Connects at the first call.
    pub(crate) fn new(dial: &Dial, address: &Address, info: &Info) -> Self {
        Self {
            reads: Sessions::new(dial, address, info),
            writes: Sessions::new(dial, address, info),
            conflicts: AtomicU64::new(0),
            round_trips: AtomicU64::new(0),
            library: dial.library,
        }
    }

    /// Waits for a session.
    pub(crate) async fn lease(
        &self,
        effect: Effect,
        until: Instant,
    ) -> Result<Lease, CommandError> {
        let sessions = match effect {
            Effect::Read | Effect::Volatile => &self.reads,
            Effect::Write => &self.writes,
        };
        sessions.take(until).await
    }

    /// Makes a call with these arguments. Returns the function's reply, and the session that wrote.
    pub(crate) async fn call(
        &self,
        call: &Call,
        args: &[Bytes],
        mut lease: Lease,
    ) -> Result<(Bytes, Lease), CommandError> {
        let closing_key = ClosingKey::of(call, args).transpose()?;
        let name = self.library.function(call.function);
        let function_call = FunctionCall {
            call,
            name: &name,
            args,
            closing_key: closing_key.as_ref(),
        };
        let mut transaction = Transaction::new(lease.session(), function_call);
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
            Err(CommandError::Redis(words)) => {
                lease.is_done();
                Err(CommandError::Redis(passing(words)))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns how many conflicts with other writes occurred, and how many replies were waited for.
    pub(crate) fn spent(&self) -> (u64, u64) {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (count(&self.conflicts), count(&self.round_trips))
    }

    /// Ends all connections.
    pub(crate) fn end(&self) {
        self.reads.end();
        self.writes.end();
    }
}

/// `ASKING` applies to one command, and not within `MULTI`: a migrating slot is waited for.
fn passing(words: String) -> String {
    if words.starts_with("ASK ") {
        format!("TRYAGAIN the slot is on its way: {words}")
    } else {
        words
    }
}
