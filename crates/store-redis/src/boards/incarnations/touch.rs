//! Touches: recording in the registry that a board is about to be written to.

use std::time::Duration;

use board::Timestamp;
use tokio::time::{Instant, timeout};

use super::known::{FailedTouch, KnownIncarnation};
use super::{Incarnations, unsent};
use crate::boards::registry::Touched;
use shard_store::{BoardRecord, StoreError};

/// The timeout of recording a touch.
const TOUCH_TIMEOUT: Duration = Duration::from_secs(2);

/// How often a board may be found being emptied while it is touched.
const TOUCHES_MAX: usize = 16;

impl Incarnations {
    /// Records that a board is about to be written to. A board that was found idle before is
    /// emptied first, since the server that began that may have stopped.
    pub(super) async fn touch(
        &self,
        board: &BoardRecord,
        incarnation: &KnownIncarnation,
        idle: Duration,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let came = Instant::now();
        let _alone = incarnation.touching.lock().await;
        // Callers that waited for a touch that failed do not repeat it one after the other.
        if let Some(failed) = incarnation.touch_failed_since(came) {
            return untouched(incarnation, idle, now, failed);
        }
        for _ in 0..TOUCHES_MAX {
            if !incarnation.wants_touch(idle, now) {
                return Ok(());
            }
            match self.touched(board, Some(now), None).await {
                Ok(Touched::Current(held)) => incarnation.note(&held),
                Ok(Touched::Emptying(bound)) => {
                    if let Err(error) = self.empty(board, incarnation, bound).await {
                        let failed = incarnation.note_failed_touch(error, true);
                        return untouched(incarnation, idle, now, failed);
                    }
                }
                Err(StoreError::IncarnationEnded) => {
                    self.known.invalidate(&board.incarnation);
                    return Err(StoreError::IncarnationEnded);
                }
                Err(error) => {
                    let failed = incarnation.note_failed_touch(unsent(error), false);
                    return untouched(incarnation, idle, now, failed);
                }
            }
        }
        if incarnation.wants_touch(idle, now) {
            let why = "the board is found idle again and again".to_owned();
            return Err(StoreError::Unavailable(why));
        }
        Ok(())
    }

    /// Calls the registry, with a shorter timeout than for a shard.
    pub(super) async fn touched(
        &self,
        board: &BoardRecord,
        now: Option<Timestamp>,
        due: Option<Timestamp>,
    ) -> Result<Touched, StoreError> {
        let touched = timeout(TOUCH_TIMEOUT, self.registry.touch(board, now, due));
        touched.await.unwrap_or_else(|_| {
            let backlog = self.servers.writes_backlog(self.servers.registry());
            let overload = backlog.map(|backlog| backlog.overload());
            match overload.filter(|overload| overload.wait >= TOUCH_TIMEOUT) {
                Some(overload) => Err(StoreError::Overloaded(overload)),
                None => Err(StoreError::Unknown(
                    "the registry does not answer".to_owned(),
                )),
            }
        })
    }

    async fn empty(
        &self,
        board: &BoardRecord,
        incarnation: &KnownIncarnation,
        bound: Timestamp,
    ) -> Result<(), StoreError> {
        let shards = self.shards(board, incarnation);
        let emptied = shards.empty_all(bound, &self.session).await;
        let emptied = match emptied {
            Ok(()) => self.registry.end_emptying(board, bound).await,
            error => error,
        };
        emptied.map_err(unsent)
    }
}

/// Returns what a failed touch means for the write. No server empties a board before its time, and
/// one that does sees what is written meanwhile.
fn untouched(
    incarnation: &KnownIncarnation,
    idle: Duration,
    now: Timestamp,
    failed: FailedTouch,
) -> Result<(), StoreError> {
    if failed.is_emptying || incarnation.may_be_idle(idle, now) {
        Err(failed.error)
    } else {
        Ok(())
    }
}
