//! The part of an entry that a double could not represent: [`Uncertainty`].

/// The part of an entry that was lost. The decoded contents are the nearest possible ones; the written contents may
/// have been different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncertainty {
    /// The time may be off by this many milliseconds.
    Time {
        /// The maximum error.
        within_ms: u64,
    },
    /// The lowest bits of the packed integer are lost: it is off by up to half of 2^`bits`. They belong to the last
    /// field. By a carry, the field before it may be off by one.
    LowBits {
        /// Number of bits.
        bits: u32,
    },
    /// The time is lost, and the score may be one less: its fraction may have been rounded up.
    Score,
}
