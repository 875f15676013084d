//! Batches into shards: each is a function call that is applied once, however often it is sent.
//!
//! [`Applier`] takes batches. `lane` collects what arrives for one shard while a call is under way,
//! and makes one call of it. `incarnations` knows where the shard is. `sending` sends the call: as
//! `single` if it folds into one field, otherwise as `items`. `redis-nodes` sends it to the node that
//! has the slot, follows MOVED and ASK, loads missing functions, and retries until the deadline;
//! with `acks` it then waits for replicas. `answer` reads the outcome.
//!
//! The function checks whether it has done this call before, whether the shard is dead or frozen or
//! the deadline has passed, decides every item on what it has read, and only then writes. The
//! content of a shard is not known here.
//!
//! A batch is rejected as `overloaded` before anything is done for it if the node has more waiting
//! work than it can do until the batch's deadline.
//!
//! Of an id 12 bytes of its digest are stored: at a billion ids the probability of a collision is
//! 10^-11. The number that a shard remembers comes with the reply to each call that has ids
//! (`metrics`).

mod answer;
mod items;
mod lane;
mod metrics;
mod part;
mod sending;
mod single;
#[cfg(test)]
mod tests;
mod windows;

use std::sync::Arc;

use metering::Registry as Metrics;
use tokio::time::Instant;

use super::lists::Refills;
use super::read::check_shards;
use crate::boards::parts::Parts;
use lane::Lanes;
use metrics::ShardIds;
use part::{BatchPart, Until};
use shard_store::{Batch, BoardRecord, ItemFailure, Memory, Outcome, StoreError};

/// Applies batches to shards.
#[derive(Debug)]
pub(super) struct Applier {
    lanes: Arc<Lanes>,
    parts: Parts,
    ids: Arc<ShardIds>,
    /// Counts the weight of what waits and is under way.
    memory: Arc<Memory>,
}

impl Applier {
    pub(super) fn new(parts: &Parts, refills: Arc<Refills>) -> Self {
        let ids = ShardIds::new(parts.settings.ids_per_shard_max, Instant::now());
        let ids = Arc::new(ids);
        Self {
            lanes: Arc::new(Lanes::new(parts, refills, ids.clone())),
            parts: parts.clone(),
            ids,
            memory: Arc::default(),
        }
    }

    /// Registers the metrics.
    pub(super) fn register_metrics(&self, metrics: &mut Metrics) {
        self.ids.register(metrics);
    }

    /// Advances metrics that are counted over a span of time. Called regularly.
    pub(super) fn pass_time(&self) {
        self.ids.pass_time(Instant::now());
    }

    /// Uses this memory budget from now on.
    pub(super) fn hold_in(&mut self, memory: Arc<Memory>) {
        self.memory = memory;
    }

    /// Applies a batch to one shard: an outcome for each item, in order. A batch that is longer
    /// than a call is sent in several; if some of these fail, their items fail.
    pub(super) async fn apply(
        &self,
        board: &BoardRecord,
        shard: u16,
        batch: Batch<'_>,
    ) -> Result<Vec<Outcome>, StoreError> {
        if batch.kind.meaning() != board.meaning {
            return Err(StoreError::StaleKind);
        }
        check_shards(batch.kind, board)?;
        let until = Until::of(&batch, self.parts.settings.write_deadline);
        let backlog = self.lanes.backlog(board, shard);
        if let Some(backlog) = &backlog {
            let checked = backlog.check(until.at);
            checked.map_err(|overload| until.refused(overload))?;
        }
        self.parts.registry.see(batch.kind);
        let (parts, answers) = BatchPart::split(
            board.activity,
            &batch,
            until,
            backlog.as_ref(),
            &self.memory,
        );
        self.lanes.put(board, shard, parts)?;
        let mut outcomes = Vec::with_capacity(batch.items.len());
        let mut failed = None;
        let several = answers.len() > 1;
        for (items, answer) in answers {
            let answer = answer.await.unwrap_or_else(|_| Err(interrupted()));
            match answer {
                Ok(applied) => outcomes.extend(applied),
                Err(error) if !several => return Err(error),
                Err(error) => {
                    let outcome = Outcome::Failed(failure(&error));
                    outcomes.extend(std::iter::repeat_n(outcome, items));
                    failed = Some(error);
                }
            }
        }
        let is_failed = |outcome: &Outcome| matches!(outcome, Outcome::Failed(_));
        match failed {
            Some(error) if outcomes.iter().all(is_failed) && !is_unknown(&outcomes) => Err(error),
            _ => Ok(outcomes),
        }
    }
}

fn interrupted() -> StoreError {
    StoreError::Unknown("the call was interrupted".to_owned())
}

fn failure(error: &StoreError) -> ItemFailure {
    match error {
        StoreError::Unknown(what) => ItemFailure::Unknown(what.clone()),
        StoreError::Overloaded(overload) => ItemFailure::Overloaded(overload.clone()),
        other => ItemFailure::Unavailable(other.to_string()),
    }
}

fn is_unknown(outcomes: &[Outcome]) -> bool {
    let unknown = |outcome: &Outcome| matches!(outcome, Outcome::Failed(ItemFailure::Unknown(_)));
    outcomes.iter().any(unknown)
}
