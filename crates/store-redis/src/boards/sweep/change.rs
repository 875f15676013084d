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
//! ([`Incarnations::thaw`](crate::boards::incarnations::Incarnations::thaw)).

use std::time::Duration;

use board::{Activity, Incarnation};
use bytes::Bytes;
use moka::sync::Cache;
use tokio::time::Instant;

use super::Sweep;
use crate::boards::registry::Record;
use crate::boards::shards::{Freeze, Shards};
use shard_store::{BoardRecord, ChangeActivityError, StoreError};

/// The number of boards that were set right, and how long they are not set right again: the callers that
/// were refused before that are behind one another.
const RECONCILED_MAX: u64 = 1_000;
const RECONCILED: Duration = Duration::from_secs(5);

impl Sweep {
    /// Changes the activity of a created board from that of `board`, before `until`.
    pub(crate) async fn change_activity(
        &self,
        board: &BoardRecord,
        activity: Activity,
        until: Option<Instant>,
    ) -> Result<BoardRecord, ChangeActivityError> {
        let change = |freeze| self.change_within(freeze, board, activity, until);
        let mut changed = change(Freeze::SHORT).await;
        if is_undone(&changed) {
            changed = change(Freeze::LONG).await;
        }
        let is_late = until.is_some_and(|until| Instant::now() >= until);
        if is_late && is_undone(&changed) {
            return Err(ChangeActivityError::DeadlinePassed);
        }
        changed
    }

    async fn change_within(
        &self,
        freeze: Freeze,
        board: &BoardRecord,
        activity: Activity,
        until: Option<Instant>,
    ) -> Result<BoardRecord, ChangeActivityError> {
        let decided = Instant::now() + freeze.decided;
        let record = self.created(board).await?;
        if record.board.activity != board.activity {
            return Err(ChangeActivityError::Stale);
        }
        self.shards(&record).check_connected()?;
        let token = self.token();
        let until_decided = until.map_or(decided, |until| until.min(decided));
        let changed = match self.hold(&record, &token, decided, freeze).await {
            Ok(()) => {
                let changed = self
                    .parts
                    .registry
                    .change_activity(board, activity, until_decided);
                changed.await
            }
            Err(error) => Err(not_held(error)),
        };
        let now = match &changed {
            Ok(record) => Ok(record.board.activity),
            // Perhaps it was changed: the holds expire, and then the registry is asked.
            Err(ChangeActivityError::Store(error @ StoreError::Unknown(_))) => {
                return Err(error.clone().into());
            }
            Err(_) => self.created(board).await.map(|now| now.board.activity),
        };
        if let Ok(now) = now {
            self.release(&record, &token, &now).await;
        }
        Ok(changed?.board)
    }

    /// Handles a shard that has refused the activity of `board`. If that is what the registry has, it
    /// has lost a change: the shards get what it has. Of callers that find the same, one does it, and
    /// goes on when its caller has gone.
    pub(crate) async fn reconcile(&self, board: &BoardRecord) {
        let (sweep, board) = (self.clone(), board.clone());
        let reconciling = tokio::spawn(async move {
            let is_lost = |now: Record| now.board.activity == board.activity;
            if !sweep.created(&board).await.is_ok_and(is_lost) {
                return;
            }
            let reconciled = sweep.reconciled.lock().await;
            if reconciled.contains_key(&board.incarnation) {
                return;
            }
            match sweep.change_activity(&board, board.activity, None).await {
                Ok(_) => reconciled.insert(board.incarnation, ()),
                Err(error) => {
                    tracing::debug!(board = %board.name, %error, "its shards have other settings");
                }
            }
        });
        // Its panic is in the log.
        let _ = reconciling.await;
    }

    /// Returns the record of a created board, as it is now.
    async fn created(&self, board: &BoardRecord) -> Result<Record, ChangeActivityError> {
        match self.parts.registry.incarnation(board).await {
            Ok(held) => held.record.ok_or(ChangeActivityError::Stale),
            Err(StoreError::IncarnationEnded) => Err(ChangeActivityError::Stale),
            Err(error) => Err(error.into()),
        }
    }

    /// Holds all shards; the first one first, so that of two changes one waits for the other.
    pub(super) async fn hold(
        &self,
        record: &Record,
        token: &Bytes,
        decided: Instant,
        freeze: Freeze,
    ) -> Result<(), StoreError> {
        let shards = Shards {
            until: decided,
            ..self.shards(record)
        };
        shards.hold(0, token, freeze).await?;
        let others = |shard| async move {
            match shard {
                0 => Ok(()),
                shard => shards.hold(shard, token, freeze).await,
            }
        };
        shards.each(others).await.map(drop)
    }

    /// Thaws all shards that are held. Best effort: holds expire.
    async fn release(&self, record: &Record, token: &Bytes, activity: &Activity) {
        let shards = self.shards(record);
        let thaw = |shard| async move {
            if let Err(error) = shards.thaw(shard, token, Some(activity)).await {
                tracing::debug!(board = %record.board.name, %error, "a hold ends by itself");
            }
            Ok(())
        };
        // Independently of one another.
        let _ = shards.each(thaw).await;
    }
}

/// Returns the list of boards whose shards were set right, which have to be so only once.
pub(super) fn reconciled() -> Cache<Incarnation, ()> {
    let reconciled = Cache::builder().max_capacity(RECONCILED_MAX);
    reconciled.time_to_live(RECONCILED).build()
}

/// Returns whether a change surely was not made, because a node was not there in time.
const fn is_undone<T>(changed: &Result<T, ChangeActivityError>) -> bool {
    matches!(
        changed,
        Err(ChangeActivityError::Store(
            StoreError::Unavailable(_) | StoreError::Overloaded(_)
        ))
    )
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
