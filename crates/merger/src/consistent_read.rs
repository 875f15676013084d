//! [`consistent_read`]: reads of a list whose kind hides members.

use std::sync::Arc;

use futures::FutureExt as _;
use shard_store::{RangeAsk, StoreError};

use crate::list_length::{HiddenKeys, own};
use crate::read_context::ReadContext;

/// Attempts at a read whose hidden members keep moving.
const MOVES_MAX: usize = 16;

impl ReadContext<'_> {
    /// Returns whether the kind has a list and hidden members, which leave positions of it empty.
    fn hides_listed(&self) -> bool {
        self.kind.retain().is_some() && !self.kind.hidden().is_empty()
    }

    /// Locates the hidden members that may be on the list.
    async fn find_hidden_keys(&self) -> Result<HiddenKeys, StoreError> {
        let shards = (0..self.shards()).filter_map(|shard| {
            let hidden = self.kind.hidden().on_shard(self.placement(), shard);
            let ranges: Vec<RangeAsk> = hidden.map(own).collect();
            (!ranges.is_empty()).then(|| self.query(shard, ranges))
        });
        let readings = self.read_raw(&shards.collect::<Vec<_>>()).await?;
        self.counters.count_round(0);
        Ok(HiddenKeys::of(self.keep(), &readings))
    }
}

/// Repeats a read until no hidden member has moved in the meantime.
pub(crate) async fn consistent_read<'a, T, Read>(
    context: ReadContext<'a>,
    read: impl Fn(ReadContext<'a>) -> Read + Send + Sync,
) -> Result<T, StoreError>
where
    Read: Future<Output = Result<T, StoreError>> + Send,
{
    if !context.hides_listed() {
        return read(context).await;
    }
    for _ in 0..MOVES_MAX {
        // Boxed, since this is rare and would increase the size of every read.
        let hidden_keys = Arc::new(context.find_hidden_keys().boxed().await?);
        let there = ReadContext {
            hidden_keys: Some(hidden_keys.clone()),
            ..context.clone()
        };
        let answer = read(there).await?;
        if !hidden_keys.have_moved() {
            return Ok(answer);
        }
    }
    Err(StoreError::Unavailable(
        "a hidden member moves faster than it can be read".to_owned(),
    ))
}
