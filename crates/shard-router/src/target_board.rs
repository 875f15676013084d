//! [`TargetBoard`]: the board that a batch goes to, created if it does not exist.
//!
//! Until a board is created, any server may change its settings. So a store creates a board whose
//! settings have bounds only for a caller that has seen these settings (`seen` of
//! [`create_board`](shard_store::ShardStore::create_board)), and returns them to any other.

use std::sync::Arc;

use board::{Activity, BoardName};
use shard_store::{CreateBoardError, ItemFailure, StoreError};

use crate::boards::{Boards, KnownBoard};
use crate::catalogue::{Catalogue, KnownKind};
use crate::empty_board::creates_standing;
use crate::pending::PendingItems;

/// Attempts at the creation of a board whose kind or settings keep changing.
const CREATE_TRIES_MAX: usize = 4;

/// What exists under a board's name.
pub(crate) enum TargetBoard {
    /// A board, whose record is valid as long as its incarnation exists.
    Created(Arc<KnownBoard>),
    /// A board whose record was not cached: it may have been created just now.
    PerhapsNew(Arc<KnownBoard>),
    /// No board, and nothing to create it for; the activity in its settings.
    Uncreated(Activity),
}

/// Finds or creates boards.
#[derive(Clone, Copy)]
pub(crate) struct BoardFinder<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) boards: &'a Boards,
}

impl BoardFinder<'_> {
    /// Returns the board of these items, which is not cached. Removals do not create a board, nor do writes outside of its
    /// activity, nor those that the rules reject without a standing.
    pub(crate) async fn target(
        &self,
        name: &BoardName,
        kind: &KnownKind,
        pending: &PendingItems<'_>,
    ) -> Result<TargetBoard, ItemFailure> {
        let now = pending.moment.now;
        let would_create = |activity: &Activity| {
            let rules = kind.kind.rules();
            let mut items = pending.items.iter();
            items.any(|item| {
                activity.admit(item.origin.at, now).is_ok() && creates_standing(item, rules)
            })
        };
        if !would_create(&Activity::ALWAYS) {
            return match self.boards.found_of(name, &kind.kind, now).await {
                Ok(Some(record)) if record.created => Ok(TargetBoard::Created(record)),
                Ok(uncreated) => Ok(TargetBoard::Uncreated(
                    uncreated.map_or(Activity::ALWAYS, |record| record.activity),
                )),
                Err(StoreError::StaleKind) => Err(self.kind_changed(name).await),
                Err(error) => Err(error.of_unsent()),
            };
        }
        let mut known = kind.clone();
        let mut seen = None;
        for _ in 0..CREATE_TRIES_MAX {
            match self.boards.created_now(name, &known, seen, now).await {
                Ok(record) => return Ok(TargetBoard::PerhapsNew(record)),
                Err(CreateBoardError::SettingsUnseen(uncreated))
                    if would_create(&uncreated.activity) =>
                {
                    seen = Some(uncreated.incarnation);
                }
                Err(CreateBoardError::SettingsUnseen(uncreated)) => {
                    return Ok(TargetBoard::Uncreated(uncreated.activity));
                }
                // If the creation happened nevertheless, the next write finds the board: nothing of
                // this contribution was sent.
                Err(CreateBoardError::Store(error)) => return Err(error.of_unsent()),
                Err(CreateBoardError::StaleKind) => match self.still_meant(kind).await {
                    Some(current) => known = current,
                    None => return Err(has_changed(name)),
                },
            }
        }
        let why = format!("the kind or the settings of board {name} keep changing: send it again");
        Err(ItemFailure::Unavailable(why))
    }

    /// Returns the failure of writes read under a kind that was replaced. The new one is in the
    /// catalogue before they are sent again.
    pub(crate) async fn kind_changed(&self, name: &BoardName) -> ItemFailure {
        match self.catalogue.refresh().await {
            Ok(()) => has_changed(name),
            Err(error) => error.of_unsent(),
        }
    }

    /// Returns the current version of a kind, if it has the same meaning. Otherwise the write has
    /// to be read again, and the new kind is in the catalogue before it is sent again.
    async fn still_meant(&self, read_by: &KnownKind) -> Option<KnownKind> {
        self.catalogue.refresh().await.ok()?;
        let current = self.catalogue.known(read_by.kind.name().as_str())?;
        let same = current.kind.rules() == read_by.kind.rules()
            && current.kind.windows() == read_by.kind.windows()
            && current.kind.calendar() == read_by.kind.calendar();
        same.then_some(current)
    }
}

fn has_changed(name: &BoardName) -> ItemFailure {
    let kind = name.kind();
    ItemFailure::Unavailable(format!("kind {kind} has just changed: send it again"))
}
