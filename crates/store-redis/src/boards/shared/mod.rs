//! Merged boards that servers share: one server merges and publishes, the others take the result.
//!
//! [`SharedTops`] keeps a board's shared tops in the slot of its shard 0, with an expiry, and knows
//! whether other servers are active (`Presence`): a server that is alone makes no calls. Leases and
//! boards may be lost with the node that has them; the merger decides who merges then.

mod presence;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use self::presence::Presence;
use super::keys::ShardKeys;
use super::parts::Parts;
use super::wire::{Garbled, Unpack, millis};
use redis_nodes::{Call, Effect};
use shard_store::{
    Calls, Lease, SharedBoards, SharedMergeResult, SharedTake, SharedTop, StoreError,
};

/// The maximum bytes of a board that is shared: Redis blocks other calls while it copies one.
pub(super) const BOARD_BYTES_MAX: usize = 4 << 20;

/// How long a lease to merge is valid. A merge that takes longer is still published.
pub(super) const LEASE: Duration = Duration::from_millis(500);

/// The timeout of asking for a board or a lease: a reader waits.
const TAKE_TIMEOUT: Duration = Duration::from_millis(500);

/// The timeout of publishing: others wait only as long as a lease is valid.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(1);

/// The shard in whose slot the board's shared tops are.
const HOME_SHARD: u16 = 0;

/// The shared tops of a store.
#[derive(Debug)]
pub(crate) struct SharedTops {
    parts: Parts,
    presence: Presence,
    calls: Arc<Calls>,
}

impl SharedTops {
    /// Starts to announce this server to the others, until [`SharedTops::close`].
    pub(crate) fn new(parts: &Parts, calls: Arc<Calls>) -> Self {
        Self {
            presence: Presence::begin(parts.servers.clone(), parts.session.clone()),
            parts: parts.clone(),
            calls,
        }
    }

    /// Returns whether other servers are active: otherwise there is no server to share with.
    pub(crate) fn has_others(&self) -> bool {
        self.presence.has_others()
    }

    /// Announces that this server stops.
    pub(crate) async fn close(&self) {
        let Parts {
            servers, session, ..
        } = &self.parts;
        self.presence.end(servers, session).await;
    }

    /// Calls a function on a shared top.
    async fn call(
        &self,
        function: &'static str,
        top: &SharedTop,
        args: Vec<Bytes>,
        timeout: Duration,
    ) -> Result<Bytes, StoreError> {
        let incarnations = &self.parts.incarnations;
        let place = incarnations.place(&top.board, HOME_SHARD).await?;
        let key = ShardKeys::new(&top.board, HOME_SHARD).top(top.window, &top.shape);
        let until = Instant::now() + timeout;
        let call = Call::new(function, Effect::Volatile, vec![key], args, until);
        Ok(self.parts.servers.call(place, &call).await?.payload)
    }
}

impl SharedBoards for SharedTops {
    fn bytes_max(&self) -> usize {
        BOARD_BYTES_MAX
    }

    fn acquire<'a>(
        &'a self,
        top: &'a SharedTop,
        known: Option<&'a str>,
        age_max: Duration,
    ) -> BoxFuture<'a, Result<SharedTake, StoreError>> {
        let take = async move {
            let token = self.parts.session.next_name('-');
            let args = vec![
                Bytes::from(token.clone()),
                Bytes::copy_from_slice(known.unwrap_or_default().as_bytes()),
                millis(age_max),
                millis(LEASE),
            ];
            let payload = self.call("take", top, args, TAKE_TIMEOUT).await?;
            Ok(taken(&payload, token)?)
        };
        self.calls.take_shared.time(take).boxed()
    }

    fn publish<'a>(
        &'a self,
        top: &'a SharedTop,
        lease: &'a Lease,
        merged: SharedMergeResult,
        kept: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let publish = async move {
            let (what, version, bytes) = match merged {
                SharedMergeResult::Board { version, bytes } if bytes.len() <= BOARD_BYTES_MAX => {
                    ("board", version, bytes)
                }
                SharedMergeResult::Unchanged { version } => ("same", version, Bytes::new()),
                SharedMergeResult::Board { .. } | SharedMergeResult::Nothing => {
                    ("nothing", String::new(), Bytes::new())
                }
            };
            let args = vec![
                Bytes::from(lease.token.clone()),
                Bytes::from(lease.began_ms.to_string()),
                millis(kept),
                Bytes::from_static(what.as_bytes()),
                Bytes::from(version),
                bytes,
            ];
            let published = self.call("publish", top, args, PUBLISH_TIMEOUT).await;
            published.map(drop)
        };
        self.calls.publish_shared.time(publish).boxed()
    }
}

/// Reads the reply of `take`.
fn taken(payload: &Bytes, token: String) -> Result<SharedTake, Garbled> {
    let mut answer = Unpack::new(payload);
    let len = answer.array()?;
    let what = answer.text()?;
    let number = answer.count()?;
    let span = Duration::from_millis(number);
    let take = match (what, len) {
        ("unchanged", 2) => SharedTake::Unchanged { age: span },
        ("wait", 2) => SharedTake::Wait(span),
        ("board", 3) => SharedTake::Board {
            bytes: payload.slice_ref(answer.raw()?),
            age: span,
        },
        ("merge", 3) => SharedTake::Merge(Lease {
            token,
            began_ms: i64::try_from(number).map_err(|_| Garbled("no time"))?,
            published: Some(answer.text()?)
                .filter(|version| !version.is_empty())
                .map(str::to_owned),
        }),
        _ => return Err(Garbled("no answer of take")),
    };
    answer.end()?;
    Ok(take)
}
