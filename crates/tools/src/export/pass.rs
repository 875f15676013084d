//! One reading of a whole window, page by page, while it changes: [`pass`].
//!
//! A page begins where the one before ended, less [`OVERLAP`] positions, and counts only if it holds
//! an entry of that page unchanged. Then nothing between the two is unread: a member that stood beyond that
//! entry, and has not crossed it by a change of its own standing, still stands beyond it. Without such
//! an entry the page is asked for again from further back. So a pass [`Way::Down`] misses nobody but
//! who climbs past it, a pass [`Way::Up`] nobody but who falls past it.
//!
//! What passes come to together is `window`'s.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use super::page::{Page, PageEntry};
use crate::delivery::Halt;

/// Positions of a page: as many as the server gives.
pub(super) const PAGE: u64 = 1_000;
/// Positions that a page shares with the one before while nothing changes.
const OVERLAP: u64 = 50;
/// Pages asked for again in one pass; after that it goes on as it can.
pub(super) const STEPS_BACK_MAX: u32 = 100;

/// Which way the pages follow one another.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Way {
    /// From the best on.
    Down,
    /// From the last on.
    Up,
}

/// Asks for pages.
pub(super) trait Pages {
    /// Has `take` look at the page of [`PAGE`] positions from `from` on.
    fn page<T>(
        &mut self,
        from: u64,
        take: impl FnOnce(&Page<'_>) -> Result<T, Halt>,
    ) -> Result<T, Halt>;
}

/// What a pass saw.
#[derive(Debug)]
pub(super) struct Passed {
    /// All pages were of one version of the board.
    pub(super) is_one_version: bool,
    /// Every page held on to the one before.
    pub(super) is_linked: bool,
    /// How many were ranked at its last page.
    pub(super) members: u64,
}

/// The page before, as far as the next one needs it.
struct Linked {
    from: u64,
    members: u64,
    version: String,
    /// Its entries, hashed.
    entries: HashSet<u64>,
}

/// Reads the window from one end to the other. `members` is about how many are ranked; `take` gets
/// every page that counts, entries of the page before among them.
pub(super) fn pass(
    pages: &mut impl Pages,
    way: Way,
    members: u64,
    take: &mut dyn FnMut(&Page<'_>) -> Result<(), Halt>,
) -> Result<Passed, Halt> {
    let hasher = RandomState::new();
    let mut passed = Passed {
        is_one_version: true,
        is_linked: true,
        members,
    };
    let mut steps_back = 0;
    let mut step = PAGE / 2;
    let mut from = way.start(members);
    let mut before: Option<Linked> = None;
    loop {
        let here = pages.page(from, |page| {
            let entries = page.entries.iter();
            let here = Linked {
                from,
                members: page.members,
                version: page.version.clone(),
                entries: entries.map(|entry| hash(&hasher, entry)).collect(),
            };
            let holds = way.holds(before.as_ref(), &here);
            if holds || steps_back >= STEPS_BACK_MAX {
                passed.is_linked &= holds;
                take(page)?;
                Ok(Some(here))
            } else {
                passed.members = page.members;
                Ok(None)
            }
        })?;
        let Some(here) = here else {
            steps_back += 1;
            from = way.back(from, step, before.is_some(), passed.members);
            step *= 2;
            continue;
        };
        step = PAGE / 2;
        passed.members = here.members;
        passed.is_one_version &= before
            .as_ref()
            .is_none_or(|before| before.version == here.version);
        if way.is_end(&here) {
            return Ok(passed);
        }
        from = way.next(from);
        before = Some(here);
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

impl Way {
    /// The first page of a pass.
    fn start(self, members: u64) -> u64 {
        match self {
            Self::Down => 1,
            // Some room for those who come meanwhile.
            Self::Up => (members + OVERLAP).saturating_sub(PAGE).max(1),
        }
    }

    fn next(self, from: u64) -> u64 {
        match self {
            Self::Down => from + (PAGE - OVERLAP),
            Self::Up => from.saturating_sub(PAGE - OVERLAP).max(1),
        }
    }

    /// Nearer to where the pass began.
    fn back(self, from: u64, step: u64, has_begun: bool, members: u64) -> u64 {
        match self {
            Self::Down => from.saturating_sub(step).max(1),
            Self::Up if has_begun => (from + step).min(self.start(members).max(from)),
            Self::Up => self.start(members),
        }
    }

    /// Whether a page reaches the end where the pass began.
    fn is_start(self, page: &Linked) -> bool {
        match self {
            Self::Down => page.from == 1,
            Self::Up => page.from + PAGE > page.members,
        }
    }

    fn is_end(self, page: &Linked) -> bool {
        match self {
            Self::Down => Self::Up.is_start(page),
            Self::Up => page.from == 1,
        }
    }

    /// Whether nothing can lie unread between a page and the one before it.
    fn holds(self, before: Option<&Linked>, page: &Linked) -> bool {
        self.is_start(page)
            || before.is_some_and(|before| !before.entries.is_disjoint(&page.entries))
    }
}
