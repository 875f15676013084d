//! Exporting a window that may change meanwhile: [`export`].
//!
//! One pass is sufficient if all its pages have the same version. Otherwise there are further passes, up and down in
//! turn. Together they miss only members that climbed past one pass and fell past another. The export ends with a pass
//! that finds no new members, or after [`PASSES_MAX`] passes: if members join continuously, every pass finds some.

use super::page::Page;
use super::pass::{Direction, Pages, PassResult, pass};
use super::seen::SeenMembers;
use crate::delivery::Halt;

/// The maximum number of passes over one window.
pub(super) const PASSES_MAX: u32 = 4;

/// The result of exporting a window.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Exported {
    /// The number of standings written, one for each member.
    pub(super) standings: u64,
    /// The number of new members that the last pass found.
    pub(super) found_last: u64,
    /// Whether the last pass had no gap.
    pub(super) is_gapless: bool,
}

impl Exported {
    /// Returns whether the last pass found no new members and had no gap.
    pub(super) const fn is_complete(&self) -> bool {
        self.found_last == 0 && self.is_gapless
    }
}

/// Calls `write` once for each member, with a page and the index of the member's entry.
pub(super) fn export(
    pages: &mut impl Pages,
    seen: &mut SeenMembers,
    write: &mut dyn FnMut(&Page<'_>, usize) -> Result<(), Halt>,
) -> Result<Exported, Halt> {
    let mut direction = Direction::Down;
    let mut members = 0;
    let mut number = 0;
    loop {
        number += 1;
        let before = seen.len();
        let mut visit = |page: &Page<'_>| {
            for (index, entry) in page.entries.iter().enumerate() {
                let is_new = seen.insert(entry.member.get());
                if is_new.map_err(|full| Halt::Failed(full.to_string()))? {
                    write(page, index)?;
                }
            }
            Ok(())
        };
        let result: PassResult = pass(pages, direction, members, &mut visit)?;
        let found = (seen.len() - before) as u64;
        let is_snapshot = result.is_gapless && result.is_one_version;
        if is_snapshot || (number > 1 && found == 0 && result.is_gapless) || number == PASSES_MAX {
            return Ok(Exported {
                standings: seen.len() as u64,
                found_last: if is_snapshot { 0 } else { found },
                is_gapless: result.is_gapless,
            });
        }
        members = result.members;
        direction = match direction {
            Direction::Down => Direction::Up,
            Direction::Up => Direction::Down,
        };
    }
}
