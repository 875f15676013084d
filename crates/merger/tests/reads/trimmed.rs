//! [`read`]: reads a store as if it ranked only the best of each shard.

use std::sync::Arc;

use board::{BoardName, Rules};
use shard_store::{
    Anchor, BoardRecord, Group, Query, RangeAsk, RangePart, ShardEntry, ShardQuery, ShardReading,
    ShardStore, StoreError,
};
use testkit::conformance::fixtures::read_shard;

/// Reads a shard of a store that has everything as if it had only its best.
pub(crate) async fn read(
    inner: Arc<dyn ShardStore>,
    board: BoardRecord,
    ShardQuery { shard, query }: ShardQuery,
    best: u64,
) -> Result<ShardReading, StoreError> {
    let everything = RangeAsk {
        anchor: Anchor::Rank(0),
        before: 0,
        after: usize::MAX,
    };
    // The requested ranges and everything, at one moment.
    let ranges = query.ranges.iter().cloned().chain([everything]);
    let whole = Query {
        ranges: ranges.collect(),
        ..query.clone()
    };
    let mut reading = read_shard(&*inner, &board, shard, &whole).await?;
    reading.members = reading.members.min(best);
    let Some(mut parts) = reading.parts.take() else {
        return Ok(reading);
    };
    let all = parts.pop().unwrap().entries;
    let rules = rules_of(&*inner, &board.name).await?;
    let trimmed = query.ranges.iter().zip(parts);
    let trimmed = trimmed.map(|(ask, part)| RangePart {
        standing: part.standing,
        group: part.group,
        ..trim(&rules, &all, best, ask, part.anchor)
    });
    reading.parts = Some(trimmed.collect());
    Ok(reading)
}

async fn rules_of(inner: &dyn ShardStore, board: &BoardName) -> Result<Rules, StoreError> {
    let kinds = inner.kinds().await?.into_iter();
    let mut kinds = kinds.filter(|record| record.name == *board.kind());
    let kind = kinds.next().and_then(|record| record.kind);
    Ok(kind.unwrap().rules().clone())
}

fn trim(
    rules: &Rules,
    all: &[ShardEntry],
    best: u64,
    ask: &RangeAsk,
    anchor: Option<u64>,
) -> RangePart {
    let index = |rank: u64| usize::try_from(rank).unwrap_or(usize::MAX);
    let Some(anchor) = anchor else {
        return RangePart::default();
    };
    if matches!(ask.anchor, Anchor::Member(_)) && anchor >= best {
        return RangePart {
            unlisted: all.get(index(anchor)).cloned(),
            ..RangePart::default()
        };
    }
    let listed = &all[..all.len().min(index(best))];
    let anchor = index(anchor).min(listed.len());
    let start = anchor.saturating_sub(ask.before);
    let end = anchor.saturating_add(ask.after).min(listed.len());
    let entries = listed[start..end].to_vec();
    let fields = |entry: &ShardEntry| rules.field_words(&entry.key.words);
    let group_start = entries.first().map_or(start, |first| {
        listed.partition_point(|entry| fields(entry) > fields(first))
    });
    RangePart {
        anchor: Some(anchor as u64),
        start: start as u64,
        group_start: group_start as u64,
        group: Group::default(),
        entries,
        unlisted: None,
        standing: None,
    }
}
