//! One pass over all pages of a window that may change meanwhile: [`pass`].
//!
//! Each page overlaps the one before by [`OVERLAP`] positions, and is accepted only if the two share an unchanged
//! entry. Then there is no unread gap between them: a member that was beyond that entry is still beyond it, unless its
//! own standing changed. If they share none, the page is requested again, from further back. So a pass
//! [`Direction::Down`] misses only members that climb past it, and a pass [`Direction::Up`] only members that fall past
//! it.
//!
//! The module `window` combines passes.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use super::page::{Page, PageEntry};
use crate::delivery::Halt;

/// The server's limit for a page.
pub(super) const PAGE: u64 = 1_000;
/// The number of positions that a page has in common with the one before.
const OVERLAP: u64 = 50;
/// The maximum number of pages that one pass requests again. After that, it accepts pages with gaps.
pub(super) const STEPS_BACK_MAX: u32 = 100;

/// The direction of a pass.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Direction {
    /// From the best member to the last.
    Down,
    /// From the last member to the best.
    Up,
}

/// A source of pages.
pub(super) trait Pages {
    /// Reads the page of [`PAGE`] positions that begins at `from`, and passes it to `visit`.
    fn page<T>(
        &mut self,
        from: u64,
        visit: impl FnOnce(&Page<'_>) -> Result<T, Halt>,
    ) -> Result<T, Halt>;
}

/// The result of a pass.
#[derive(Debug)]
pub(super) struct PassResult {
    /// Whether all pages had the same version.
    pub(super) is_one_version: bool,
    /// Whether there was no gap between pages.
    pub(super) is_gapless: bool,
    /// The number of ranked members at the last page.
    pub(super) members: u64,
}

/// The parts of a page that are compared with the next one.
struct VisitedPage {
    from: u64,
    members: u64,
    version: String,
    /// Hashes of the entries.
    entries: HashSet<u64>,
}

/// Reads the window from one end to the other. `members` is the approximate number of ranked members. `visit` gets
/// every accepted page; pages overlap.
pub(super) fn pass(
    pages: &mut impl Pages,
    direction: Direction,
    members: u64,
    visit: &mut dyn FnMut(&Page<'_>) -> Result<(), Halt>,
) -> Result<PassResult, Halt> {
    let hasher = RandomState::new();
    let mut result = PassResult {
        is_one_version: true,
        is_gapless: true,
        members,
    };
    let mut steps_back = 0;
    let mut step = PAGE / 2;
    let mut from = direction.start(members);
    let mut before: Option<VisitedPage> = None;
    loop {
        let accepted = pages.page(from, |page| {
            let entries = page.entries.iter();
            let current = VisitedPage {
                from,
                members: page.members,
                version: page.version.clone(),
                entries: entries.map(|entry| hash(&hasher, entry)).collect(),
            };
            let is_linked = direction.is_linked(before.as_ref(), &current);
            if is_linked || steps_back >= STEPS_BACK_MAX {
                result.is_gapless &= is_linked;
                visit(page)?;
                Ok(Some(current))
            } else {
                result.members = page.members;
                Ok(None)
            }
        })?;
        let Some(current) = accepted else {
            steps_back += 1;
            from = direction.back(from, step, before.is_some(), result.members);
            step *= 2;
            continue;
        };
        step = PAGE / 2;
        result.members = current.members;
        result.is_one_version &= before
            .as_ref()
            .is_none_or(|before| before.version == current.version);
        if direction.is_end(&current) {
            return Ok(result);
        }
        from = direction.next(from);
        before = Some(current);
    }
}

fn hash(hasher: &RandomState, entry: &PageEntry<'_>) -> u64 {
    let text = |raw: Option<&serde_json::value::RawValue>| raw.map(|raw| raw.get().to_owned());
    hasher.hash_one((
        entry.member.get(),
        text(entry.points),
        text(entry.values),
        entry.reached_at.get(),
    ))
}

impl Direction {
    /// Returns the position of the first page of a pass.
    fn start(self, members: u64) -> u64 {
        match self {
            Self::Down => 1,
            // Allows for new members.
            Self::Up => (members + OVERLAP).saturating_sub(PAGE).max(1),
        }
    }

    /// Returns the position of the page after the one at `from`.
    fn next(self, from: u64) -> u64 {
        match self {
            Self::Down => from + (PAGE - OVERLAP),
            Self::Up => from.saturating_sub(PAGE - OVERLAP).max(1),
        }
    }

    /// Returns the position `step` nearer to the start of the pass.
    fn back(self, from: u64, step: u64, has_begun: bool, members: u64) -> u64 {
        match self {
            Self::Down => from.saturating_sub(step).max(1),
            Self::Up if has_begun => (from + step).min(self.start(members).max(from)),
            Self::Up => self.start(members),
        }
    }

    /// Returns whether a page reaches the end of the window at which the pass starts.
    fn is_start(self, page: &VisitedPage) -> bool {
        match self {
            Self::Down => page.from == 1,
            Self::Up => page.from + PAGE > page.members,
        }
    }

    /// Returns whether a page reaches the end of the window at which the pass ends.
    fn is_end(self, page: &VisitedPage) -> bool {
        match self {
            Self::Down => Self::Up.is_start(page),
            Self::Up => page.from == 1,
        }
    }

    /// Returns whether there is no gap between a page and the one before.
    fn is_linked(self, before: Option<&VisitedPage>, page: &VisitedPage) -> bool {
        self.is_start(page)
            || before.is_some_and(|before| !before.entries.is_disjoint(&page.entries))
    }
}
