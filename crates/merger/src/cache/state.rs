//! [`BoardState`]: the current incarnation of a board, for tops.
//!
//! A chat room has many readers before its board has the first contribution. So the absence of a
//! board is cached like its top would be: as old as the kind allows, read by one caller at a time,
//! and served as stale while the store is unavailable.

use std::sync::Arc;

use board::{Activity, BoardName, Kind};
use shard_router::{FoundBoard, KnownBoard};
use shard_store::StoreError;
use tokio::time::Instant;

use super::snapshot::{Need, Snapshot};
use crate::error::ReadError;
use crate::merger::Merger;

/// What exists under a name.
pub(super) enum BoardState {
    /// A board in this incarnation.
    On(Arc<KnownBoard>),
    /// No board: it has no contributions yet.
    Uncreated(Arc<Snapshot>),
}

impl Merger {
    /// Looks up what exists under a name, if the cache does not know it. The absence of a board
    /// counts only if it was seen late enough.
    pub(super) async fn incarnation(
        &self,
        name: &BoardName,
        kind: &Kind,
        need: Need,
    ) -> Result<BoardState, ReadError> {
        let flight = self.boards.creations.at(name);
        let mut last = flight.enter(|| {}).await;
        if let Some(incarnation) = self.state_at_hand(name, kind, need) {
            return Ok(incarnation);
        }
        match &*last {
            Some((began, Err(error))) if *began >= need.not_before => return Err(error.clone()),
            Some((_, Ok(uncreated))) if uncreated.is_of_now(need, self.now()) => {
                return Ok(BoardState::Uncreated(uncreated.clone()));
            }
            _ => {}
        }
        let began = Instant::now();
        let as_of = self.now();
        let found = self.router.found(name, kind, as_of).await;
        let mut absent = |activity, has_expired| {
            let seen = Arc::new(Snapshot {
                unsettled: has_expired,
                ..Snapshot::uncreated(kind, activity, as_of, began)
            });
            self.boards.uncreated.insert(name.clone(), seen.clone());
            *last = Some((began, Ok(seen.clone())));
            BoardState::Uncreated(seen)
        };
        match found {
            Ok(FoundBoard::Created(record)) => {
                *last = None;
                Ok(BoardState::On(record))
            }
            Ok(FoundBoard::Uncreated(settings)) => Ok(absent(settings.activity, false)),
            Ok(FoundBoard::Expired) => Ok(absent(Activity::ALWAYS, true)),
            // A waiting caller may have read the kind later.
            Err(StoreError::StaleKind) => Err(ReadError::KindChanged),
            Err(error) => {
                let error = ReadError::from(error);
                *last = Some((began, Err(error.clone())));
                Err(error)
            }
        }
    }

    /// Returns what the cache knows, without waiting.
    pub(super) fn state_at_hand(
        &self,
        name: &BoardName,
        kind: &Kind,
        need: Need,
    ) -> Option<BoardState> {
        let now = self.now();
        if let Some(record) = self.router.boards().cached(name, kind, now) {
            return Some(BoardState::On(record));
        }
        let uncreated = self.boards.uncreated.get(name)?;
        let is_current = uncreated.is_of_now(need, now);
        is_current.then_some(BoardState::Uncreated(uncreated))
    }
}
