//! One merged top, ready to be served.

use board::Timestamp;
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
    /// When the merge began, by a clock that does not step.
    pub(crate) began: Instant,
}

impl Snapshot {
    /// Of a board that nobody has contributed to.
    pub(crate) fn unborn(as_of: Timestamp, began: Instant) -> Self {
        Self::of(Version::UNBORN, as_of, began, 0, Rendered::default())
    }

    pub(crate) fn of(
        vector: Version,
        as_of: Timestamp,
        began: Instant,
        members: u64,
        rendered: Rendered,
    ) -> Self {
        Self {
            version: vector.to_string(),
            as_of,
            members,
            rendered,
            vector,
            began,
        }
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
        const VECTOR_BYTES: usize = 24 * 16;
        let held = self.rendered.bytes.len() + 4 * self.rendered.ends.len();
        u32::try_from(held + VECTOR_BYTES + REST_BYTES).unwrap_or(u32::MAX)
    }
}
