//! Exporting a window that may change meanwhile: [`export`].
//!
//! A pass reads the window page by page. Each page follows the last entry of the one before in the order of the window,
//! whatever has changed before it. So a pass from the best member on misses only members that climb past it, and one
//! from the worst member on only those that fall past it.
//!
//! One pass is sufficient if all its pages have the same version. Otherwise there are further passes, from the other
//! end in turn. Together they miss only members that climbed past one pass and fell past another. The export ends with
//! a pass that finds no new members, or after [`PASSES_MAX`] passes: if members join continuously, every pass finds
//! some.

use super::page::{Page, PageEntry};
use super::seen::SeenMembers;
use crate::delivery::Halt;

/// The maximum number of passes over one window.
pub(super) const PASSES_MAX: u32 = 4;

/// The end of the window at which a pass begins.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Order {
    BestFirst,
    WorstFirst,
}

/// A source of pages.
pub(super) trait Pages {
    /// Reads the page that follows one with this `next`, by default the first page, and passes it to `visit`.
    fn page<T>(
        &mut self,
        order: Order,
        after: Option<&str>,
        visit: impl FnOnce(&Page<'_>) -> Result<T, Halt>,
    ) -> Result<T, Halt>;
}

/// Writes an entry of a page.
pub(super) type Write<'a> = dyn FnMut(&Page<'_>, &PageEntry<'_>) -> Result<(), Halt> + 'a;

/// Calls `write` once for each member. Returns the number of new members that the last pass found: if it is not 0, some
/// may be missing.
pub(super) fn export(
    pages: &mut impl Pages,
    seen: &mut SeenMembers,
    write: &mut Write<'_>,
) -> Result<u64, Halt> {
    let mut order = Order::BestFirst;
    let mut number = 0;
    loop {
        number += 1;
        let before = seen.len();
        if pass(pages, order, seen, write)? {
            return Ok(0);
        }
        let found = (seen.len() - before) as u64;
        if (number > 1 && found == 0) || number == PASSES_MAX {
            return Ok(found);
        }
        order = match order {
            Order::BestFirst => Order::WorstFirst,
            Order::WorstFirst => Order::BestFirst,
        };
    }
}

/// Reads the window from one end to the other. Returns whether all its pages had the same version.
fn pass(
    pages: &mut impl Pages,
    order: Order,
    seen: &mut SeenMembers,
    write: &mut Write<'_>,
) -> Result<bool, Halt> {
    let mut version: Option<String> = None;
    let mut is_one_version = true;
    let mut after: Option<String> = None;
    loop {
        after = pages.page(order, after.as_deref(), |page| {
            let first = version.get_or_insert_with(|| page.version.clone());
            is_one_version &= *first == page.version;
            for entry in &page.entries {
                if seen.insert(entry.member.get())? {
                    write(page, entry)?;
                }
            }
            Ok(page.next.clone())
        })?;
        if after.is_none() {
            return Ok(is_one_version);
        }
    }
}
