//! When the use of a limit is worth a warning.

/// Returns whether the use exceeds half of a limit or, if it `was` high before, still three
/// eighths: a use that swings around the half is reported once.
#[must_use]
pub const fn is_limit_nearly_used(used: u64, limit: u64, was: bool) -> bool {
    let eighths = if was { 3 } else { 4 };
    used > limit / 8 * eighths
}
