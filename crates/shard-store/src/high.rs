//! When the use of a limit is worth a warning.

/// Whether half of a limit is taken, or, where it `was` so before, still three eighths are: use that sways about the
/// half has crossed it once.
#[must_use]
pub const fn is_high(used: u64, limit: u64, was: bool) -> bool {
    let eighths = if was { 3 } else { 4 };
    used > limit / 8 * eighths
}
