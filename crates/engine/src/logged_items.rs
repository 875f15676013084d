//! How a batch that was applied is written to a log: most of a log consists of these, so they are small and fast.
//!
//! Windows are written where they change, which is rare within a batch, and times as their distance from that of the
//! batch. An id has the bytes of its digest that a shard remembers.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use board::{IdDigest, Incarnation, Member, Timestamp, Window, Windows};
use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shard_store::{Change, Item};

use crate::log::Applied;

/// Bytes of a digest that are written. A shard remembers only the lowest 84 bits, and nothing else
/// uses a digest; a test of the ids verifies that.
const DIGEST_BYTES: usize = 11;

#[derive(Serialize, Deserialize)]
struct LoggedBatch<I> {
    incarnation: Incarnation,
    shard: u16,
    now: Timestamp,
    /// Spans count in whole milliseconds wherever they are added to a time.
    dedupe_ms: u64,
    items: I,
}

#[derive(Serialize, Deserialize)]
struct LoggedItem<'a> {
    /// `None`: those of the item before.
    windows: Option<Cow<'a, [Window]>>,
    member: Cow<'a, Member>,
    /// In microseconds since the time of the batch. The difference wraps around.
    since_us: i64,
    change: Change,
    id: Option<[u8; DIGEST_BYTES]>,
}

/// The items of a batch that were applied.
struct AppliedItems<'a>(&'a Applied<'a>);

impl Serialize for AppliedItems<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let items = self.0.applied();
        let mut sequence = to.serialize_seq(Some(items.clone().count()))?;
        let mut last: Option<&Windows> = None;
        for item in items {
            // The pointers are mostly equal. A removal from all windows has none.
            let is_same = item.change == Change::Remove
                || last.map_or(item.windows.is_empty(), |last| {
                    Arc::ptr_eq(last, &item.windows) || *last == item.windows
                });
            if !is_same {
                last = Some(&item.windows);
            }
            sequence.serialize_element(&LoggedItem {
                windows: (!is_same).then_some(Cow::Borrowed(&item.windows)),
                member: Cow::Borrowed(&item.member),
                since_us: item.at.micros().wrapping_sub(self.0.now.micros()),
                change: match item.change {
                    // What is logged was removed: a replay decides nothing.
                    Change::Expire => Change::RemoveFrom,
                    change => change,
                },
                id: item.id.map(|IdDigest(digest)| {
                    *digest
                        .to_le_bytes()
                        .first_chunk()
                        .expect("a digest has 16 bytes")
                }),
            })?;
        }
        sequence.end()
    }
}

pub(crate) fn serialize<S: Serializer>(applied: &Applied<'_>, to: S) -> Result<S::Ok, S::Error> {
    let batch = LoggedBatch {
        incarnation: applied.incarnation,
        shard: applied.shard,
        now: applied.now,
        dedupe_ms: u64::try_from(applied.dedupe.as_millis()).unwrap_or(u64::MAX),
        items: AppliedItems(applied),
    };
    batch.serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Applied<'static>, D::Error> {
    let batch: LoggedBatch<Vec<LoggedItem<'_>>> = LoggedBatch::deserialize(from)?;
    let mut windows = Windows::default();
    let items = batch.items.into_iter().map(|item| {
        if let Some(others) = item.windows {
            windows = others.into();
        }
        let at_us = batch.now.micros().wrapping_add(item.since_us);
        let digest = item.id.map(|id| {
            let mut digest = [0; size_of::<u128>()];
            digest[..DIGEST_BYTES].copy_from_slice(&id);
            IdDigest(u128::from_le_bytes(digest))
        });
        Item {
            hash: item.member.placement_hash(),
            member: item.member.into_owned(),
            change: item.change,
            at: Timestamp::from_micros(at_us),
            id: digest,
            windows: windows.clone(),
        }
    });
    Ok(Applied {
        incarnation: batch.incarnation,
        shard: batch.shard,
        now: batch.now,
        dedupe: Duration::from_millis(batch.dedupe_ms),
        items: items.collect(),
        outcomes: &[],
    })
}
