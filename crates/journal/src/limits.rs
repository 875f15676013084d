//! Limits of reservations, and of everything that is pending.

/// Maximum bytes of one reservation.
pub const BATCH_BYTES_MAX: usize = 4 << 20;

/// Maximum bytes that are free, reserved, or appended but not yet written, together: it bounds the
/// memory of pending records, and a group.
pub(super) const CAPACITY_BYTES_MAX: usize = 8 << 20;
