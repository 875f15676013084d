//! [`ReadContext::at_once`]: a range of a whole board, if the store reads boards in one step.

use board::RankStyle;
use shard_store::{Anchor, BoardReading, RangeAsk, StoreError};

use crate::gather::{Gathered, entries};
use crate::ranks::ranked;
use crate::read_context::ReadContext;

impl ReadContext<'_> {
    /// Reads this many entries before an anchor in the order of the whole board, and from it on, if the
    /// store reads boards in one step.
    pub(crate) async fn at_once(
        &self,
        anchor: Anchor,
        before: u64,
        after: u64,
    ) -> Result<Option<Gathered>, StoreError> {
        let ask = RangeAsk {
            anchor,
            before: entries(before),
            after: entries(after),
        };
        let reading = self.read_board(&ask).await?;
        Ok(reading.map(|reading| self.gathered(reading)))
    }

    /// Returns the part of a reading of the whole board that is on the list.
    pub(crate) fn gathered(&self, reading: BoardReading) -> Gathered {
        let BoardReading {
            versions,
            members,
            part,
        } = reading;
        let members = members.min(self.keep());
        let listed = members.saturating_sub(part.start);
        let all = part.entries.into_iter().take(entries(listed));
        let (rules, style) = (self.kind.rules(), self.kind.rank_style());
        let better = match style {
            RankStyle::Dense => part.group.better,
            RankStyle::Ordinal | RankStyle::Competition => part.group_start,
        };
        Gathered {
            versions,
            members,
            above: entries(part.anchor.unwrap_or(0).saturating_sub(part.start)),
            entries: ranked(rules, style, all, part.start + 1, better),
        }
    }
}
