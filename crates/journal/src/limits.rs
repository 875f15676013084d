//! Limits of reservations and of pending records.

/// The maximum of one reservation.
pub const BATCH_BYTES_MAX: usize = 4 << 20;

/// The maximum of bytes that are free, reserved, or appended but not yet written, in total. It limits the memory of
/// pending records, and the size of a group.
pub(super) const CAPACITY_BYTES_MAX: usize = 8 << 20;
