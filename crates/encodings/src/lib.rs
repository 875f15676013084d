//! Encodings of a score and a time in one sorted-set double or one member, as other services use them.
//!
//! An [`Encoding`] is parsed from and displayed as text: `fraction(base=317242022400)`. It encodes, decodes, and has a
//! [`Range`] that it represents exactly: values outside are rejected, never encoded approximately. Entries of other
//! writers may be outside; then [`Decoded::uncertainty`] describes what the double could not represent.
//!
//! Pure: no I/O, no clock. Not here: Redis, and the service's own order, which does not use this crate.

mod bits;
mod countdown;
mod decimal;
mod encoding;
mod error;
mod fraction;
mod number;
mod parameters;
mod parts;
mod range;
mod read_direction;
mod text;
mod time_left;
mod time_member;
mod two_sets;
mod uncertainty;

pub use bits::Bits;
pub use countdown::Unit;
pub use decimal::Decimal;
pub use encoding::{Decoded, Encoded, Encoding};
pub use error::{DecodeError, EncodeError, EncodingError};
pub use fraction::Fraction;
pub use range::Range;
pub use read_direction::ReadDirection;
pub use time_left::TimeLeft;
pub use time_member::TimeMember;
pub use two_sets::TwoSets;
pub use uncertainty::Uncertainty;
