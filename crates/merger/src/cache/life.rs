//! Which life of a board is on, for tops.
//!
//! Rooms open before the first gift, and everybody in them reads: that a board is unborn is cached
//! as its top would be, as old as the kind allows, asked for by one at a time, and served as stale
//! where the store is away.

use std::sync::Arc;

use board::{Activity, BoardName, Kind};
use shard_store::{BoardRecord, StoreError};
use tokio::time::Instant;

use super::snapshot::{Need, Snapshot};
use crate::error::ReadError;
use crate::merger::Merger;

/// What there is under a name.
pub(super) enum Life {
    /// A board in this life.
    On(Arc<BoardRecord>),
    /// Nobody has contributed yet.
    Unborn(Arc<Snapshot>),
}

impl Merger {
    /// What there is under a name, known to be unborn only if that was seen late enough. For who has
    /// found nothing at hand.
    pub(super) async fn life(
        &self,
        name: &BoardName,
        kind: &Kind,
        need: Need,
    ) -> Result<Life, ReadError> {
        let place = self.boards.births.at(name);
        let mut last = place.enter(|| {}).await;
        if let Some(life) = self.life_at_hand(name, kind, need) {
            return Ok(life);
        }
        match &*last {
            Some((began, Err(error))) if *began >= need.not_before => return Err(error.clone()),
            Some((_, Ok(unborn))) if unborn.is_of_now(need, self.now()) => {
                return Ok(Life::Unborn(unborn.clone()));
            }
            _ => {}
        }
        let began = Instant::now();
        let as_of = self.now();
        match self.router.record(name, kind, as_of).await {
            Ok(Some(record)) if record.born => {
                *last = None;
                Ok(Life::On(record))
            }
            Ok(unborn) => {
                let activity = unborn.map_or(Activity::ALWAYS, |record| record.activity);
                let unborn = Arc::new(Snapshot::unborn(kind, activity, as_of, began));
                self.boards.unborn.insert(name.clone(), unborn.clone());
                *last = Some((began, Ok(unborn.clone())));
                Ok(Life::Unborn(unborn))
            }
            // Whoever waits here may have read the kind later.
            Err(StoreError::StaleKind) => Err(ReadError::KindChanged),
            Err(error) => {
                let error = ReadError::from(error);
                *last = Some((began, Err(error.clone())));
                Err(error)
            }
        }
    }

    /// What is known of it without waiting.
    pub(super) fn life_at_hand(&self, name: &BoardName, kind: &Kind, need: Need) -> Option<Life> {
        let now = self.now();
        if let Some(record) = self.router.boards().at_hand(name, kind, now) {
            return Some(Life::On(record));
        }
        let unborn = self.boards.unborn.get(name)?;
        let will_do = unborn.is_of_now(need, now);
        will_do.then_some(Life::Unborn(unborn))
    }
}
