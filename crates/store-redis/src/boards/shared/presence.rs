//! Which servers are active: each announces itself regularly, and is counted.
//!
//! Whether others are active is a hint. A server that is wrongly counted as active costs a few
//! calls, one that is not yet seen a few additional merges.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::boards::session::Session;
use crate::boards::wire::{Unpack, millis};
use redis_nodes::{Call, Effect, Nodes, registry_key};
use shard_store::StoreError;

/// How often a server announces itself.
const SAY_EVERY: Duration = Duration::from_secs(2);

/// How long after its last announcement a server counts as active.
pub(super) const PRESENT_FOR: Duration = Duration::from_secs(10);

/// How long one announcement may take.
const SAY_TIMEOUT: Duration = Duration::from_secs(1);

/// A server's presence among others, announced in the background.
#[derive(Debug)]
pub(super) struct Presence {
    others: Arc<AtomicBool>,
    telling: AbortHandle,
}

impl Presence {
    /// Announces this server from now on.
    pub(super) fn begin(servers: Arc<Nodes>, session: Arc<Session>) -> Self {
        let others = Arc::new(AtomicBool::new(false));
        let seen = others.clone();
        let telling = tokio::spawn(async move {
            let mut ticks = interval(SAY_EVERY);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                // Until the next successful call, the last result holds.
                if let Ok(count) = say(&servers, &session).await {
                    seen.store(count > 1, Ordering::Relaxed);
                }
            }
        });
        Self {
            others,
            telling: telling.abort_handle(),
        }
    }

    /// Returns whether others were active at the last call.
    pub(super) fn has_others(&self) -> bool {
        self.others.load(Ordering::Relaxed)
    }

    /// Announces that this server stops. If that fails, its presence expires.
    pub(super) async fn end(&self, servers: &Nodes, session: &Session) {
        self.telling.abort();
        self.others.store(false, Ordering::Relaxed);
        let args = vec![Bytes::from(session.name())];
        let _ = call(servers, "absent", args).await;
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.telling.abort();
    }
}

/// Announces this server, and counts those that are active, itself included.
pub(super) async fn say(servers: &Nodes, session: &Session) -> Result<u64, StoreError> {
    let args = vec![Bytes::from(session.name()), millis(PRESENT_FOR)];
    let payload = call(servers, "present", args).await?;
    Ok(Unpack::new(&payload).count()?)
}

async fn call(
    servers: &Nodes,
    function: &'static str,
    args: Vec<Bytes>,
) -> Result<Bytes, StoreError> {
    let until = Instant::now() + SAY_TIMEOUT;
    let keys = vec![registry_key("servers")];
    let call = Call::new(function, Effect::Volatile, keys, args, until);
    Ok(servers.call(servers.registry(), &call).await?.payload)
}
