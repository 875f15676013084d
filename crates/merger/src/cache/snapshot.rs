//! One merged top, ready to be served.
//!
//! A [`Snapshot`] holds the entries as bytes, and the whole [`TopAnswer`] to whatever is asked of it
//! first: a board that many look at is asked the same again and again.

use std::sync::OnceLock;

use board::{Kind, RankStyle, Timestamp, Window};
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

/// What tells one answer made of a snapshot from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopForm {
    /// The window: that a board is unborn is one snapshot for all of them.
    pub window: Window,
    /// Entries at most.
    pub n: usize,
    /// The window is closed.
    pub is_final: bool,
    /// The store could not be reached.
    pub stale: bool,
}

/// A whole answer made of a snapshot. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TopAnswer {
    /// The body.
    pub body: Bytes,
    /// The entity tag, ASCII.
    pub etag: Bytes,
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
    /// The answer to what was asked first.
    pub(crate) kept: OnceLock<(TopForm, TopAnswer)>,
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
            kept: OnceLock::new(),
        }
    }

    /// The answer in this form: the one that is kept, or one that `make` makes now.
    pub fn answer(&self, form: TopForm, make: impl Fn() -> TopAnswer) -> TopAnswer {
        let (kept_form, kept) = self.kept.get_or_init(|| (form, make()));
        if *kept_form == form {
            kept.clone()
        } else {
            make()
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
            // An answer says `as_of`.
            kept: OnceLock::new(),
            ..self.clone()
        }
    }

    /// Bytes held: those of the entries, once more in the answer that is kept, their ends, the
    /// vector, and the rest by estimate.
    pub(crate) fn weight(&self) -> u32 {
        const REST_BYTES: usize = 1024;
        let held = 2 * self.rendered.bytes.len() + 4 * self.rendered.ends.len();
        u32::try_from(held + self.vector.bytes() + REST_BYTES).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot() -> Snapshot {
        Snapshot {
            version: "1".to_owned(),
            as_of: Timestamp::EARLIEST,
            members: 0,
            rendered: Rendered::default(),
            vector: Version::UNBORN,
            shape: Shape {
                top: 1000,
                ranks: RankStyle::Ordinal,
            },
            began: Instant::now(),
            kept: OnceLock::new(),
        }
    }

    #[test]
    fn the_first_answer_is_kept_and_no_other_is_given_in_its_place() {
        let snapshot = snapshot();
        let form = |n| TopForm {
            window: Window::ALL_TIME,
            n,
            is_final: false,
            stale: false,
        };
        let ask = |snapshot: &Snapshot, n, body: &'static str| {
            let make = || TopAnswer {
                body: Bytes::from(body),
                etag: Bytes::new(),
            };
            snapshot.answer(form(n), make).body
        };
        assert_eq!(ask(&snapshot, 100, "a hundred"), "a hundred");
        assert_eq!(ask(&snapshot, 100, "another"), "a hundred");
        assert_eq!(ask(&snapshot, 10, "ten"), "ten");
        assert_eq!(ask(&snapshot, 100, "another"), "a hundred");
        let again = snapshot.seen_again(Timestamp::LATEST, Instant::now());
        assert_eq!(ask(&again, 100, "with another as_of"), "with another as_of");
    }
}
