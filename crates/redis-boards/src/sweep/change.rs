//! Changes of the activity of a board that has contributions.
//!
//! The registry has the activity, in the board's record. Servers cache records, so each shard whose
//! board was changed has the activity, too, and refuses who has seen another one. No call may go by the
//! old activity after one has gone by the new one:
//!
//! 1. All shards are held: frozen, and closed for readers.
//! 2. The record is changed, long before the first of the shards would be open again.
//! 3. Each shard gets the activity that the record has now, and is thawed.
//!
//! A server that ends in between leaves shards held. When that has expired, readers and writers ask the
//! registry what was decided, and thaw them
//! ([`Incarnations::thaw`](crate::incarnations::Incarnations::thaw)).

use board::Activity;
use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::time::Instant;

use super::{DECIDED, Sweep};
use crate::registry::Record;
use crate::shards::Shards;
use crate::spread::Spread;
use shard_store::{BoardRecord, ChangeActivityError, StoreError};

impl Sweep {
    /// Changes the activity of a created board from that of `board`, before `until`.
    #[must_use]
    pub fn change_activity<'a>(
        &'a self,
        board: &'a BoardRecord,
        activity: Activity,
        until: Option<Instant>,
    ) -> BoxFuture<'a, Result<BoardRecord, ChangeActivityError>> {
        async move {
            let decided = Instant::now() + DECIDED;
            let record = self.created(board).await?;
            let spread = &record.spread;
            if spread.board.activity != board.activity {
                return Err(ChangeActivityError::Stale);
            }
            self.shards(spread).check_connected()?;
            let token = Bytes::from(self.token());
            let until_decided = until.map_or(decided, |until| until.min(decided));
            let changed = match self.hold(spread, &token, decided).await {
                Ok(()) => {
                    let changed = self
                        .registry
                        .change_activity(board, activity, until_decided);
                    changed.await
                }
                Err(error) => Err(not_held(error)),
            };
            let now = match &changed {
                Ok(record) => Ok(record.board().activity),
                // Perhaps it was changed: the holds expire, and then the registry is asked.
                Err(ChangeActivityError::Store(error @ StoreError::Unknown(_))) => {
                    return Err(error.clone().into());
                }
                Err(_) => self
                    .created(board)
                    .await
                    .map(|now| now.spread.board.activity),
            };
            if let Ok(now) = now {
                self.release(spread, &token, &now).await;
            }
            let is_late = until.is_some_and(|until| Instant::now() >= until);
            match changed {
                Ok(record) => Ok(record.spread.board),
                Err(ChangeActivityError::Store(
                    StoreError::Unavailable(_) | StoreError::Overloaded(_),
                )) if is_late => Err(ChangeActivityError::DeadlinePassed),
                Err(error) => Err(error),
            }
        }
        .boxed()
    }

    /// Handles a shard that has refused the activity of `board`. If that is what the registry has, it
    /// has lost a change: the shards get what it has.
    #[must_use]
    pub fn reconcile<'a>(&'a self, board: &'a BoardRecord) -> BoxFuture<'a, ()> {
        async move {
            let is_lost = |now: Record| now.spread.board.activity == board.activity;
            if !self.created(board).await.is_ok_and(is_lost) {
                return;
            }
            if let Err(error) = self.change_activity(board, board.activity, None).await {
                tracing::debug!(board = %board.name, %error, "its shards have other settings");
            }
        }
        .boxed()
    }

    /// Returns the record of a created board, as it is now.
    async fn created(&self, board: &BoardRecord) -> Result<Record, ChangeActivityError> {
        match self.registry.incarnation(board).await {
            Ok(held) => held.record.ok_or(ChangeActivityError::Stale),
            Err(StoreError::IncarnationEnded) => Err(ChangeActivityError::Stale),
            Err(error) => Err(error.into()),
        }
    }

    /// Holds all shards; the first one first, so that of two changes one waits for the other.
    async fn hold(
        &self,
        spread: &Spread,
        token: &Bytes,
        decided: Instant,
    ) -> Result<(), StoreError> {
        let shards = Shards {
            until: decided,
            ..self.shards(spread)
        };
        shards.hold(0, token).await?;
        let others = |shard| async move {
            match shard {
                0 => Ok(()),
                shard => shards.hold(shard, token).await,
            }
        };
        shards.each(others).await.map(drop)
    }

    /// Thaws all shards that are held. Best effort: holds expire.
    async fn release(&self, spread: &Spread, token: &Bytes, activity: &Activity) {
        let shards = self.shards(spread);
        let thaw = |shard| async move {
            if let Err(error) = shards.thaw(shard, token, Some(activity)).await {
                tracing::debug!(board = %spread.board.name, %error, "a hold ends by itself");
            }
            Ok(())
        };
        // Independently of one another.
        let _ = shards.each(thaw).await;
    }
}

/// Returns the error of a change for which not all shards could be held.
fn not_held(error: StoreError) -> ChangeActivityError {
    match error {
        StoreError::IncarnationEnded => ChangeActivityError::Stale,
        // Nothing was decided.
        StoreError::Unknown(why) => StoreError::Unavailable(why).into(),
        error => error.into(),
    }
}
