//! Finds out in which windows of a board a member is ranked.

use board::{Kind, Member, Window};
use shard_store::{Anchor, BoardRecord, Groups, Query, RangeAsk, ShardQuery, StoreError};

use crate::merger::Merger;

impl Merger {
    /// Returns those of the windows in which this board has a standing of the member, whether it is hidden or not. One
    /// call to the member's own shard.
    pub async fn windows_with(
        &self,
        board: &BoardRecord,
        kind: &Kind,
        windows: &[Window],
        member: &Member,
    ) -> Result<Vec<Window>, StoreError> {
        let shard = board.read_as(kind).shard_of(member.placement_hash());
        let query = |window: &Window| ShardQuery {
            shard,
            query: Query {
                window: *window,
                unless: None,
                groups: Groups::None,
                ranges: [RangeAsk::rank_of(Anchor::Member(member.clone()))].into(),
            },
        };
        let queries: Vec<ShardQuery> = windows.iter().map(query).collect();
        let readings = match self.store().read(board, &queries).await {
            // It was deleted in the meantime.
            Err(StoreError::IncarnationEnded) => return Ok(Vec::new()),
            readings => readings?,
        };
        self.counters().count_round(0);
        let has_standing = readings.iter().map(|reading| {
            let mut parts = reading.parts.iter().flatten();
            parts.any(|part| part.anchor.is_some() || part.unlisted.is_some())
        });
        let found = windows.iter().zip(has_standing).filter(|(_, has)| *has);
        Ok(found.map(|(window, _)| *window).collect())
    }
}
