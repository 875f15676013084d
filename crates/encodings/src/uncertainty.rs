//! [`Uncertainty`]: what a double could not represent of an entry.

/// What is lost of an entry. The decoded contents are the nearest ones; what was written may have
/// been different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncertainty {
    /// The time may be off by this many milliseconds.
    Time {
        /// The maximum error.
        within_ms: u64,
    },
    /// The lowest bits of the packed integer are lost: it is off by up to half of 2^`bits`. These
    /// belong to the last field; by a carry the field before may be off by one.
    LowBits {
        /// Number of bits.
        bits: u32,
    },
    /// The time is lost, and the score may be one less: its fraction may have been rounded up.
    Score,
}
