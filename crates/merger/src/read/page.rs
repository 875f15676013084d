//! Reads a page anywhere in the order, without reading what is above it.

use std::sync::Arc;

use board::{BoardName, Kind, Window};
use shard_store::{Anchor, RangeAsk, StoreError};

use super::pivot::{Steered, steer};
use crate::gather::{Cut, Gathered, Want};
use crate::merger::{Merger, ReadFuture};
use crate::ranks::RankedEntry;
use crate::read_context::ReadContext;

/// Ranks up to which a page is read from the top: searching a pivot would cost more than it saves.
const DIRECT_RANKS: u64 = 600;

/// Entries fetched beyond either end of a page from the worst, for members that come and go; doubled with each attempt.
const SPARE: u64 = 8;

/// Attempts at a page from the worst.
const RESIZES_MAX: u32 = 16;

impl Merger {
    /// Returns the entries at these positions (from 1, both ends included), as far as they exist.
    pub fn range<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        from: u64,
        to: u64,
    ) -> ReadFuture<'a, Vec<RankedEntry>> {
        self.on_board(board, kind, window, move |context| async move {
            Ok(context.answer(context.page(from - 1, to).await?))
        })
    }

    /// Returns the entries at these positions from the end (from 1, both ends included), worst first.
    pub fn range_from_worst<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        from: u64,
        to: u64,
    ) -> ReadFuture<'a, Vec<RankedEntry>> {
        self.on_board(board, kind, window, move |context| async move {
            Ok(context.answer(context.page_from_worst(from - 1, to).await?))
        })
    }
}

impl ReadContext<'_> {
    /// Returns the entries of these ranks from the end (from 0, end excluded), worst first.
    pub(crate) async fn page_from_worst(&self, from: u64, to: u64) -> Result<Gathered, StoreError> {
        let mut members = {
            let readings = self
                .round_of_all([RangeAsk::rank_of(Anchor::Rank(0))])
                .await?;
            self.members_of(&readings)
        };
        for attempt in 0..RESIZES_MAX {
            // Members may have come or gone since they were counted.
            let spare = SPARE << attempt;
            let fetched = members.saturating_sub(to).saturating_sub(spare)
                ..members.saturating_sub(from).saturating_add(spare);
            let mut gathered = self.page(fetched.start, fetched.end).await?;
            members = gathered.members;
            let wanted = members.saturating_sub(to)..members.saturating_sub(from);
            if fetched.start <= wanted.start && wanted.end <= fetched.end {
                let is_wanted = |ranked: &RankedEntry| wanted.contains(&(ranked.position - 1));
                gathered.entries.retain(is_wanted);
                gathered.entries.reverse();
                return Ok(gathered);
            }
        }
        Err(StoreError::Unavailable(
            "members of the board come and go faster than it can be read".to_owned(),
        ))
    }

    /// Returns the entries of these ranks (from 0, end excluded).
    pub(crate) async fn page(&self, from: u64, to: u64) -> Result<Gathered, StoreError> {
        let to = to.min(self.keep());
        if let Some(gathered) = self
            .at_once(Anchor::Rank(from), 0, to.saturating_sub(from))
            .await?
        {
            return Ok(gathered);
        }
        if from >= to {
            return self.direct_page(0, 0).await;
        }
        if to <= DIRECT_RANKS || self.shards() == 1 {
            return self.direct_page(from, to).await;
        }
        match steer(self, from, to).await? {
            Steered::Pivot { cut, cut_at, error } => {
                let want = Want::Ranks {
                    from,
                    to,
                    cut_at,
                    error,
                };
                self.gather(&cut, want, None).await
            }
            Steered::PastTheEnd(readings) => Ok(Gathered {
                members: self.members_of(&readings),
                versions: readings.iter().map(|reading| reading.version).collect(),
                above: 0,
                entries: Vec::new(),
            }),
        }
    }

    async fn direct_page(&self, from: u64, to: u64) -> Result<Gathered, StoreError> {
        if self.shards() > 1 {
            return self
                .gather(
                    &Cut::Top,
                    Want::Ranks {
                        from,
                        to,
                        cut_at: 0,
                        error: 0,
                    },
                    None,
                )
                .await;
        }
        // With one shard, local ranks are global ranks.
        self.gather(
            &Cut::Rank(from),
            Want::Around {
                before: 0,
                after: to - from,
            },
            None,
        )
        .await
    }
}
