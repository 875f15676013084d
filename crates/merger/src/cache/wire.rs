//! A snapshot as the bytes that servers share: its version vector, its members, its entries.
//!
//! The time of the merge is not included: the store reports its age, and the same board merged
//! again has the same bytes. Bytes that are not complete, or not of this format, are treated as
//! absent.
//!
//! They are a [`Content`] in the format of [`postcard`], and the XXH3 of it, little endian.

use std::borrow::Cow;

use board::{Activity, RankStyle};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use shard_store::ShardVersion;
use twox_hash::XxHash3_64;

use super::snapshot::{Rendered, Shape, Snapshot};
use crate::version::Version;

/// The version of the format: part of the name, so that servers with different formats do not read
/// each other's boards.
const FORMAT: u32 = 1;

/// Maximum bytes beside those of shards and entries.
const FIXED_BYTES_MAX: usize = 64;
const CHECKSUM_BYTES: usize = 8;

/// A board that a server merged.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Content<'a> {
    pub(super) vector: Cow<'a, Version>,
    pub(super) members: u64,
    ends: Cow<'a, [u32]>,
    entries: &'a [u8],
}

impl Content<'_> {
    /// Returns the entries. Copied, so that the measured bytes are all that is held.
    pub(super) fn rendered(&self) -> Rendered {
        Rendered {
            bytes: Bytes::copy_from_slice(self.entries),
            ends: self.ends.to_vec(),
        }
    }
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

/// Returns the maximum length of what [`written`] returns.
pub(super) fn len_max(snapshot: &Snapshot) -> usize {
    FIXED_BYTES_MAX
        + snapshot.vector.shards().len() * (size_of::<ShardVersion>() * 5 / 4)
        + snapshot.rendered.ends.len() * (size_of::<u32>() + 1)
        + snapshot.rendered.bytes.len()
}

/// Encodes the snapshot; `None` for a board not yet created.
pub(super) fn written(snapshot: &Snapshot) -> Option<Bytes> {
    snapshot.vector.incarnation()?;
    let content = Content {
        vector: Cow::Borrowed(&snapshot.vector),
        members: snapshot.members,
        ends: Cow::Borrowed(&snapshot.rendered.ends),
        entries: &snapshot.rendered.bytes,
    };
    let bytes = Vec::with_capacity(len_max(snapshot));
    let mut bytes = postcard::to_extend(&content, bytes).expect("a vector takes everything");
    bytes.extend(XxHash3_64::oneshot(&bytes).to_le_bytes());
    Some(bytes.into())
}

/// Decodes bytes, if [`written`] made them.
pub(super) fn read(bytes: &[u8]) -> Option<Content<'_>> {
    let (content, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
    if XxHash3_64::oneshot(content) != u64::from_le_bytes(*checksum) {
        return None;
    }
    let content: Content<'_> = postcard::from_bytes(content).ok()?;
    let last = content.ends.last().map_or(0, |end| *end as usize);
    (content.ends.is_sorted() && last == content.entries.len()).then_some(content)
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use board::{Incarnation, Timestamp};
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
            prop_assert!(bytes.len() <= len_max(&snapshot));
            let content = read(&bytes).unwrap();
            prop_assert_eq!(content.vector.text(), snapshot.version);
            let rendered = content.rendered();
            prop_assert_eq!(content.vector.into_owned(), snapshot.vector);
            prop_assert_eq!(content.members, snapshot.members);
            prop_assert_eq!(rendered.bytes, snapshot.rendered.bytes);
            prop_assert_eq!(rendered.ends, snapshot.rendered.ends);
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
            whole.extend(XxHash3_64::oneshot(&bytes).to_le_bytes());
            // Whatever is decoded, its slices are within its bytes.
            if let Some(content) = read(&whole) {
                let rendered = content.rendered();
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
