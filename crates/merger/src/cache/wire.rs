//! A snapshot as the bytes that servers share: its version vector, its members, its entries.
//!
//! The time of the merge is not included: the store reports its age, and the same board merged
//! again has the same bytes. Bytes that are not complete, or not of this format, are treated as
//! absent.
//!
//! ```text
//!   incarnation u64 | ranks u8 | hidden u64 | shards u16 | epoch, counter, digest u64 each, a shard
//!   members u64 | entries u32 | the end of each u32 | their bytes | XXH3 of it all u64
//! ```
//!
//! Numbers are little-endian.

use board::{Activity, Incarnation, RankStyle};
use bytes::{Buf, BufMut, Bytes};
use shard_store::ShardVersion;
use twox_hash::XxHash3_64;

use super::snapshot::{Rendered, Shape, Snapshot};
use crate::version::Version;

/// The version of the format: part of the name, so that servers with different formats do not read
/// each other's boards.
const FORMAT: u32 = 1;

/// Bytes beside those of shards and entries.
const FIXED_BYTES: usize = 8 + 1 + 8 + 2 + 8 + 4 + CHECKSUM_BYTES;
const SHARD_BYTES: usize = 24;
const END_BYTES: usize = 4;
const CHECKSUM_BYTES: usize = 8;

/// A board that another server merged.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) vector: Version,
    pub(super) members: u64,
    pub(super) rendered: Rendered,
}

/// Returns a name for everything that determines the bytes of a board of this shape, except the
/// board; and for its activity: a server whose record is outdated must not find boards of others, but
/// read the shards, which refuse that.
pub(super) fn name_of(shape: Shape, activity: &Activity, renderer_format: &str) -> String {
    let ranks = match shape.ranks {
        RankStyle::Ordinal => "ordinal",
        RankStyle::Competition => "competition",
        RankStyle::Dense => "dense",
    };
    let Shape { top, hidden, .. } = shape;
    let mut name = format!("{FORMAT}.{renderer_format}.{top}.{ranks}.{hidden:016x}");
    if !activity.is_always() {
        let bounds = [
            activity.starts_at(),
            activity.ends_at(),
            activity.expires_at(),
        ];
        for at in bounds {
            name.push('.');
            if let Some(at) = at {
                name.push_str(&at.micros().to_string());
            }
        }
        if let Some(idle) = activity.idle() {
            name.push('.');
            name.push_str(&idle.as_millis().to_string());
        }
    }
    name
}

/// Returns the length of what [`written`] returns.
pub(super) fn len(snapshot: &Snapshot) -> usize {
    FIXED_BYTES
        + SHARD_BYTES * snapshot.vector.shards().len()
        + END_BYTES * snapshot.rendered.ends.len()
        + snapshot.rendered.bytes.len()
}

/// Encodes the snapshot; `None` for a board not yet created.
pub(super) fn written(snapshot: &Snapshot) -> Option<Bytes> {
    let Snapshot {
        vector, rendered, ..
    } = snapshot;
    let mut bytes = Vec::with_capacity(len(snapshot));
    bytes.put_u64_le(vector.incarnation()?.0);
    bytes.put_u8(vector.ranks() as u8);
    bytes.put_u64_le(vector.hidden());
    bytes.put_u16_le(u16::try_from(vector.shards().len()).ok()?);
    for shard in vector.shards() {
        for word in [shard.epoch, shard.counter, shard.digest] {
            bytes.put_u64_le(word);
        }
    }
    bytes.put_u64_le(snapshot.members);
    bytes.put_u32_le(u32::try_from(rendered.ends.len()).ok()?);
    for end in &rendered.ends {
        bytes.put_u32_le(*end);
    }
    bytes.put_slice(&rendered.bytes);
    bytes.put_u64_le(XxHash3_64::oneshot(&bytes));
    Some(bytes.into())
}

/// Decodes bytes, if [`written`] made them.
pub(super) fn read(bytes: &[u8]) -> Option<Content> {
    let (mut left, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
    if XxHash3_64::oneshot(left) != u64::from_le_bytes(*checksum) {
        return None;
    }
    let incarnation = Incarnation(left.try_get_u64_le().ok()?);
    let ranks = match left.try_get_u8().ok()? {
        0 => RankStyle::Ordinal,
        1 => RankStyle::Competition,
        2 => RankStyle::Dense,
        _ => return None,
    };
    let hidden = left.try_get_u64_le().ok()?;
    let shards = left.try_get_u16_le().ok()?;
    let shards: Option<Vec<_>> = (0..shards).map(|_| read_shard(&mut left)).collect();
    let members = left.try_get_u64_le().ok()?;
    let entries = usize::try_from(left.try_get_u32_le().ok()?).ok()?;
    let (ends, entry_bytes) = left.split_at_checked(entries.checked_mul(END_BYTES)?)?;
    let ends: Vec<u32> = ends
        .as_chunks::<END_BYTES>()
        .0
        .iter()
        .map(|end| u32::from_le_bytes(*end))
        .collect();
    let last = ends.last().map_or(0, |end| *end as usize);
    if !ends.is_sorted() || last != entry_bytes.len() {
        return None;
    }
    Some(Content {
        vector: Version::new(incarnation, ranks, shards?).without(hidden),
        members,
        rendered: Rendered {
            // Copied, so that the measured bytes are all that is held.
            bytes: Bytes::copy_from_slice(entry_bytes),
            ends,
        },
    })
}

fn read_shard(left: &mut &[u8]) -> Option<ShardVersion> {
    Some(ShardVersion {
        epoch: left.try_get_u64_le().ok()?,
        counter: left.try_get_u64_le().ok()?,
        digest: left.try_get_u64_le().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use board::Timestamp;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use tokio::time::Instant;

    use super::super::kept::KeptResponses;
    use super::*;

    fn snapshots() -> impl Strategy<Value = Snapshot> {
        let shard = any::<(u64, u64, u64)>().prop_map(|(epoch, counter, digest)| ShardVersion {
            epoch,
            counter,
            digest,
        });
        let incarnation = (any::<u64>(), any::<u64>());
        let ranks = prop_oneof![
            Just(RankStyle::Ordinal),
            Just(RankStyle::Competition),
            Just(RankStyle::Dense)
        ];
        let parts = (incarnation, ranks, vec(shard, 0..20), any::<u64>());
        let entries = vec(vec(any::<u8>(), 0..30), 0..20);
        (parts, entries).prop_map(
            |(((incarnation, hidden), ranks, shards, members), entries)| {
                let vector = Version::new(Incarnation(incarnation), ranks, shards).without(hidden);
                let ends = entries.iter().scan(0, |end, entry| {
                    *end += u32::try_from(entry.len()).unwrap();
                    Some(*end)
                });
                Snapshot {
                    version: vector.text(),
                    as_of: Timestamp::EARLIEST,
                    activity: Activity::ALWAYS,
                    members,
                    rendered: Rendered {
                        ends: ends.collect(),
                        bytes: entries.concat().into(),
                    },
                    profiles: None,
                    vector,
                    shape: Shape {
                        top: 20,
                        ranks,
                        hidden,
                    },
                    began: Instant::now(),
                    unsettled: false,
                    durable: OnceLock::new(),
                    taken: false,
                    kept: KeptResponses::of(0),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn encoded_snapshots_are_decoded(snapshot in snapshots()) {
            let bytes = written(&snapshot).unwrap();
            prop_assert_eq!(bytes.len(), len(&snapshot));
            let content = read(&bytes).unwrap();
            prop_assert_eq!(content.vector.text(), snapshot.version);
            prop_assert_eq!(content.vector, snapshot.vector);
            prop_assert_eq!(content.members, snapshot.members);
            prop_assert_eq!(content.rendered.bytes, snapshot.rendered.bytes);
            prop_assert_eq!(content.rendered.ends, snapshot.rendered.ends);
        }

        #[test]
        fn damaged_bytes_are_treated_as_absent(
            snapshot in snapshots(),
            at in any::<prop::sample::Index>(),
            flipped in 1..=u8::MAX,
        ) {
            let bytes = written(&snapshot).unwrap();
            let at = at.index(bytes.len());
            let mut damaged = bytes.to_vec();
            damaged[at] ^= flipped;
            prop_assert!(read(&damaged).is_none());
            prop_assert!(read(&bytes[..at]).is_none());
            prop_assert!(read(&bytes[at + 1..]).is_none());
        }

        #[test]
        fn bytes_with_a_valid_checksum_do_not_panic(bytes in vec(any::<u8>(), 0..200)) {
            let mut whole = bytes.clone();
            whole.put_u64_le(XxHash3_64::oneshot(&bytes));
            // Whatever is decoded, its slices are within its bytes.
            if let Some(Content { rendered, .. }) = read(&whole) {
                for n in 0..=rendered.ends.len() {
                    prop_assert!(rendered.bytes.starts_with(&rendered.first(n)));
                }
            }
        }
    }

    #[test]
    fn an_uncreated_board_is_not_encoded() {
        let kind = crate::cache::snapshot::tests::kind();
        let uncreated =
            Snapshot::uncreated(&kind, Activity::ALWAYS, Timestamp::EARLIEST, Instant::now());
        assert!(written(&uncreated).is_none());
    }

    #[test]
    fn shapes_have_different_names() {
        let shape = |top, ranks| Shape {
            top,
            ranks,
            hidden: 0,
        };
        let ordinal = name_of(shape(100, RankStyle::Ordinal), &Activity::ALWAYS, "0.1.0");
        assert_eq!(ordinal, "1.0.1.0.100.ordinal.0000000000000000");
        let hiding = Shape {
            hidden: 10,
            ..shape(100, RankStyle::Ordinal)
        };
        assert_eq!(
            name_of(hiding, &Activity::ALWAYS, "0.1.0"),
            "1.0.1.0.100.ordinal.000000000000000a"
        );
        assert_ne!(
            ordinal,
            name_of(shape(101, RankStyle::Ordinal), &Activity::ALWAYS, "0.1.0")
        );
        assert_ne!(
            ordinal,
            name_of(
                shape(100, RankStyle::Competition),
                &Activity::ALWAYS,
                "0.1.0"
            )
        );
        assert_ne!(
            ordinal,
            name_of(shape(100, RankStyle::Ordinal), &Activity::ALWAYS, "0.1.1")
        );
    }
}
