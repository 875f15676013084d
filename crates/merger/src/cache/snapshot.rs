//! One merged top, ready to be served.

use board::{Kind, RankStyle, Timestamp};
use bytes::Bytes;
use tokio::time::Instant;

use crate::version::Version;

/// The wire form of merged entries: joined by commas, and where each ends.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    /// All entries.
    pub bytes: Bytes,
    /// The end of each entry in `bytes`, comma excluded.
    pub ends: Vec<u32>,
}

impl Rendered {
    /// The first `n` entries, or all there are. A slice: nothing is copied.
    #[must_use]
    pub fn first(&self, n: usize) -> Bytes {
        let end = n
            .min(self.ends.len())
            .checked_sub(1)
            .map_or(0, |last| self.ends[last] as usize);
        self.bytes.slice(..end)
    }
}

/// What of a kind decides what a snapshot of a board holds. Both may change while it has boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    top: usize,
    ranks: RankStyle,
}

impl Shape {
    pub(crate) fn of(kind: &Kind) -> Self {
        Self {
            top: kind.top(),
            ranks: kind.rank_style(),
        }
    }
}

/// The top of one window as it was when `as_of` was the time.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The text of `vector`.
    pub version: String,
    /// When the merge began.
    pub as_of: Timestamp,
    /// Members ranked in the window.
    pub members: u64,
    /// The entries.
    pub rendered: Rendered,
    pub(crate) vector: Version,
    pub(crate) shape: Shape,
    /// When the merge began, by a clock that does not step.
    pub(crate) began: Instant,
}

impl Snapshot {
    /// Of a board that nobody has contributed to.
    pub(crate) fn unborn(kind: &Kind, as_of: Timestamp, began: Instant) -> Self {
        Self {
            version: Version::UNBORN.to_string(),
            as_of,
            members: 0,
            rendered: Rendered::default(),
            vector: Version::UNBORN,
            shape: Shape::of(kind),
            began,
        }
    }

    /// Whether it serves a read of this kind that may show nothing older.
    pub(crate) fn serves(&self, kind: &Kind, not_before: Instant) -> bool {
        self.began >= not_before && self.shape == Shape::of(kind)
    }

    /// The same content, seen again.
    pub(crate) fn seen_again(&self, as_of: Timestamp, began: Instant) -> Self {
        Self {
            as_of,
            began,
            ..self.clone()
        }
    }

    /// Bytes held: those of the entries, their ends, the vector, and the rest by estimate.
    pub(crate) fn weight(&self) -> u32 {
        const REST_BYTES: usize = 256;
        let held = self.rendered.bytes.len() + 4 * self.rendered.ends.len();
        u32::try_from(held + self.vector.bytes() + REST_BYTES).unwrap_or(u32::MAX)
    }
}
