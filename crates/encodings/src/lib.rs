//! How the field packs several dimensions into one sorted-set double or one member, and back.
//!
//! [`Encoding`] is one such way, read from and shown as text: `fraction(base=317242022400)`. It
//! encodes, decodes, and knows the [`Range`] that it holds exactly: what lies outside is an error,
//! never a wrong number. What was written by others may lie outside; [`Decoded::doubt`] says then how
//! much of it a double could not hold.
//!
//! Pure: no I/O, no clock. Not here: Redis, and the service's own order, which needs none of this.

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
mod text;
mod time_left;
mod time_member;
mod two_sets;

pub use bits::Bits;
pub use countdown::Unit;
pub use decimal::Decimal;
pub use encoding::{Decoded, Doubt, Encoded, Encoding, Reading};
pub use error::{DecodeError, EncodeError, EncodingError};
pub use fraction::Fraction;
pub use range::Range;
pub use time_left::TimeLeft;
pub use time_member::TimeMember;
pub use two_sets::TwoSets;
