//! [`Names`]: the members that entries stand for.

use std::cmp::Ordering;

/// The names of handles. Used only where words are equal.
pub trait Names {
    /// Returns the member bytes of `handle`, which do not change while an entry has the handle.
    fn name(&self, handle: u32) -> &[u8];

    /// Compares two names: the greater is the better.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;
}
