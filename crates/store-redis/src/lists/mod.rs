//! Lists: windows of kinds that rank only their best. [`refill`] refills them, [`Refills`] does so
//! in tasks.
//!
//! A sorted set holds at least the best `keep` of its shard; `lists.lua` trims it before a call
//! would make it longer than `trim_at`. When a standing falls or is removed, so that a member that
//! was trimmed may belong on the list again, the shard's meta is marked, and a refill scans the
//! scores in steps and puts back each such member. The caller that marked the list starts the
//! refill; if that failed, the next read of the list finds the mark and notifies the sweep. Steps
//! may be repeated, and several servers may refill one list: each scans all of it.
//!
//! **Invariant:** for a member that has a score and is not in the sorted set, at least `keep`
//! better ones are in it, or the shard is marked for a refill (in an approximate list, others on it
//! may have fallen since). Without `retain` every member is in the sorted set; packed kinds have no
//! scores beside it (`packed`).
//!
//! Not here: which writes mark a list (`apply`), and how a list is compared with its scores
//! (`verify`).

mod refills;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use board::{Kind, Retain, Window};
use bytes::Bytes;
use tokio::time::Instant;

use crate::boards::keys::{ShardKeys, window_name};
use crate::boards::parts::Parts;
use crate::boards::rules::spec;
use crate::boards::wire::{Garbled, Unpack};
use redis_nodes::{Call, Effect, FunctionReply, Location};
pub(super) use refills::{Refill, Refills};
use shard_store::{BoardRecord, StoreError};

/// The approximate number of members that a step reads: some 2 ms of the server's time.
const STEP_MEMBERS: usize = 500;

/// The maximum number of steps of a refill: 50 million members of a shard, or repeated marks.
const STEPS_MAX: usize = 100_000;

/// The list of one window of one shard.
#[derive(Debug)]
pub(crate) struct List {
    /// The incarnation of the board.
    pub(crate) board: BoardRecord,
    pub(crate) shard: u16,
    /// The board's kind.
    pub(crate) kind: Arc<Kind>,
    /// The node of the shard.
    pub(crate) place: Location,
    pub(crate) window: Window,
}

/// The progress of a refill.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    /// The mark of the list; empty if it is complete.
    mark: Bytes,
    cursor: Bytes,
    /// The number of members with scores.
    members: u64,
}

/// The cursor at the beginning and the end of a scan, and the one that reports that everything was
/// read.
const START: &[u8] = b"0";
const DONE: &[u8] = b"-";

/// Puts back members that belong on a marked list, in steps, and reports
/// after each the number of members with scores, until the list is complete.
pub(super) async fn refill(
    parts: &Parts,
    list: &List,
    mut each: impl FnMut(u64),
) -> Result<(), StoreError> {
    let Some(retain) = list.kind.retain() else {
        return Ok(());
    };
    let mut at = Step {
        mark: Bytes::new(),
        cursor: Bytes::from_static(START),
        members: 0,
    };
    let mut looks_at = None;
    for _ in 0..STEPS_MAX {
        let answer = step(parts, list, retain, &at).await?;
        let next = Step::read(&answer.payload).map_err(Garbled::in_doubt)?;
        if next.mark.is_empty() {
            return Ok(());
        }
        each(next.members);
        let process = *looks_at.get_or_insert(answer.epoch);
        at = if next.mark != at.mark || process != answer.epoch {
            // A cursor is valid only for the process that returned it.
            looks_at = None;
            Step {
                cursor: Bytes::from_static(START),
                ..next
            }
        } else if next.cursor == START {
            Step {
                cursor: Bytes::from_static(DONE),
                ..next
            }
        } else {
            next
        };
    }
    let busy = "standings fall faster than the list is refilled";
    Err(StoreError::Unavailable(busy.to_owned()))
}

async fn step(
    parts: &Parts,
    list: &List,
    retain: &Retain,
    at: &Step,
) -> Result<FunctionReply, StoreError> {
    let until = Instant::now() + parts.settings.write_deadline;
    let keys = ShardKeys::new(&list.board, list.shard);
    let args = vec![
        spec(list.kind.rules()),
        Bytes::from(window_name(list.window)),
        Bytes::from(retain.trim_at.to_string()),
        at.mark.clone(),
        at.cursor.clone(),
        Bytes::from(STEP_MEMBERS.to_string()),
        Bytes::from(parts.session.name()),
        Bytes::from(parts.session.next_call().to_string()),
    ];
    let keys = vec![
        keys.meta(),
        keys.scores(list.window),
        keys.rank(list.window),
    ];
    let call = Call {
        waits_until: Some(until),
        ..Call::new("refill", Effect::Write, keys, args, until)
    };
    let answer = parts.servers.call(list.place, &call).await;
    answer.map_err(|error| parts.incarnations.failed(&list.board, error))
}

impl Step {
    fn read(answer: &[u8]) -> Result<Self, Garbled> {
        let mut answer = Unpack::new(answer);
        if answer.array()? != 3 {
            return Err(Garbled("no step of a refill"));
        }
        Ok(Self {
            mark: Bytes::copy_from_slice(answer.raw()?),
            cursor: Bytes::copy_from_slice(answer.raw()?),
            members: answer.count()?,
        })
    }
}

/// Returns the bounds of a list as arguments of functions: what it keeps and when it is trimmed.
pub(super) fn bounds(kind: &Kind) -> Option<(i64, i64)> {
    let retain = kind.retain()?;
    // Both are at most a few 100,000.
    let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    Some((whole(retain.keep), whole(retain.trim_at)))
}
