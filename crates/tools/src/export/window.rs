//! A window exported while it may change: [`export`] passes over it until everybody is met.
//!
//! One pass is enough where all its pages are of one version of the board. Otherwise passes go down and
//! up in turn: together they miss nobody but who both climbed past one and fell past the other. They end
//! when one meets nobody new, at the latest after [`PASSES_MAX`], since on a board that new members join
//! all the time every pass meets some.

use super::page::Page;
use super::pass::{Pages, Passed, Way, pass};
use super::seen::SeenMembers;
use crate::delivery::Halt;

/// Passes over one window.
pub(super) const PASSES_MAX: u32 = 4;

/// What came of a window.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Exported {
    /// Standings written, one a member.
    pub(super) standings: u64,
    /// New ones that the last pass still met.
    pub(super) met_last: u64,
    /// Whether every pass went without a gap.
    pub(super) is_linked: bool,
}

impl Exported {
    /// Whether the last pass met nobody new, or none could.
    pub(super) const fn is_settled(&self) -> bool {
        self.met_last == 0 && self.is_linked
    }
}

/// Has `write` write every member's standing once, the entry at this index of the page.
pub(super) fn export(
    pages: &mut impl Pages,
    seen: &mut SeenMembers,
    write: &mut dyn FnMut(&Page<'_>, usize) -> Result<(), Halt>,
) -> Result<Exported, Halt> {
    let mut way = Way::Down;
    let mut members = 0;
    let mut number = 0;
    loop {
        number += 1;
        let before = seen.len();
        let mut take = |page: &Page<'_>| {
            for (index, entry) in page.entries.iter().enumerate() {
                let is_new = seen.insert(entry.member.get());
                if is_new.map_err(|full| Halt::Failed(full.to_string()))? {
                    write(page, index)?;
                }
            }
            Ok(())
        };
        let passed: Passed = pass(pages, way, members, &mut take)?;
        let met = (seen.len() - before) as u64;
        let is_whole = passed.is_linked && passed.is_one_version;
        if is_whole || (number > 1 && met == 0 && passed.is_linked) || number == PASSES_MAX {
            return Ok(Exported {
                standings: seen.len() as u64,
                met_last: if is_whole { 0 } else { met },
                is_linked: passed.is_linked,
            });
        }
        members = passed.members;
        way = match way {
            Way::Down => Way::Up,
            Way::Up => Way::Down,
        };
    }
}
