//! An encoding ([`Encoding`]), the stored form of a standing ([`Encoded`]), and the contents of a stored entry
//! ([`Decoded`]).

use std::borrow::Cow;
use std::ops::RangeInclusive;

use board::limits::VALUE_MAX;
use board::{Ties, Timestamp, Value, Values};

use crate::bits::Bits;
use crate::countdown::Unit;
use crate::decimal::Decimal;
use crate::error::{DecodeError, EncodeError};
use crate::fraction::Fraction;
use crate::number::{exact, lost_bits, of_text, whole};
use crate::range::Range;
use crate::read_direction::ReadDirection;
use crate::time_left::TimeLeft;
use crate::time_member::TimeMember;
use crate::two_sets::TwoSets;
use crate::uncertainty::Uncertainty;

/// An encoding of a score and a time in a sorted set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Encoding {
    /// The score alone. `plain`.
    Plain,
    /// Decimal digits of time below those of the score. `decimal`.
    Decimal(Decimal),
    /// Fields of bits, including the binary split. `binary`, `bits(22/22/20)`.
    Bits(Bits),
    /// A fraction of a far base time. `fraction(base=317242022400)`.
    Fraction(Fraction),
    /// The time left of an activity, after the decimal point.
    /// `time-left(ends=1765324800, digits=6)`.
    TimeLeft(TimeLeft),
    /// The time before the member. `time-member`.
    TimeMember(TimeMember),
    /// A second sorted set for the time. `two-sets(time-key=K)`.
    TwoSets(TwoSets),
}

/// The stored form of a standing.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded<'a> {
    /// The score in the sorted set. Never `-0`.
    pub score: f64,
    /// The member in the sorted set.
    pub member: Cow<'a, str>,
    /// The member's score in the set of times, with [`Encoding::TwoSets`].
    pub time_score: Option<f64>,
}

/// The contents of a stored entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded<'a> {
    /// The values; [`Encoding::fields`] is their number.
    pub values: Values,
    /// When the standing was reached; `None` if the encoding has no time.
    pub at: Option<Timestamp>,
    /// The member, which may be any bytes.
    pub member: &'a [u8],
    /// The information that the double could not represent, if any.
    pub uncertainty: Option<Uncertainty>,
}

impl Encoding {
    /// Returns the number of values.
    #[must_use]
    pub fn fields(&self) -> usize {
        match self {
            Self::Bits(bits) => bits.fields(),
            _ => 1,
        }
    }

    /// Returns whether it can decode a time.
    #[must_use]
    pub fn has_time(&self) -> bool {
        self.range().times.is_some()
    }

    /// Returns how the sorted set is read, best first.
    #[must_use]
    pub fn read_direction(&self) -> ReadDirection {
        match self {
            Self::TimeMember(time_member) => time_member.read_direction(),
            _ => ReadDirection::Reverse,
        }
    }

    /// Returns which of two equal scores is read first.
    #[must_use]
    pub fn ties(&self) -> Ties {
        match self {
            Self::TimeMember(time_member) => time_member.ties(),
            _ if self.has_time() => Ties::Earliest,
            _ => Ties::Member,
        }
    }

    /// Returns the range that is represented exactly.
    ///
    /// Values and times in this range, rounded down to its unit, are decoded unchanged and read in their exact order.
    /// [`encode`](Self::encode) rejects all others.
    #[must_use]
    pub fn range(&self) -> Range {
        let plain = |times, unit| Range {
            values: vec![-VALUE_MAX..=VALUE_MAX] as Vec<RangeInclusive<i64>>,
            times,
            unit,
        };
        match self {
            Self::Plain => plain(None, Unit::Millis),
            Self::Decimal(decimal) => decimal.range(),
            Self::Bits(bits) => bits.range(),
            Self::Fraction(fraction) => fraction.range(),
            Self::TimeLeft(time_left) => time_left.range(),
            Self::TimeMember(time_member) => plain(Some(time_member.times()), Unit::Seconds),
            Self::TwoSets(two_sets) => plain(
                Some((Timestamp::EARLIEST, Timestamp::LATEST)),
                two_sets.unit,
            ),
        }
    }

    /// Encodes a standing. The time is rounded down to the encoding's unit; an encoding without
    /// times drops it.
    pub fn encode<'a>(
        &self,
        values: &[i64],
        at: Timestamp,
        member: &'a str,
    ) -> Result<Encoded<'a>, EncodeError> {
        let (count, expected) = (values.len(), self.fields());
        let fields = EncodeError::Fields { count, expected };
        let &[value, ..] = values else {
            return Err(fields);
        };
        if count != expected {
            return Err(fields);
        }
        let plain = || self.range().check(0, value).map(|()| exact(value));
        let mut member = Cow::Borrowed(member);
        let mut time_score = None;
        let score = match self {
            Self::Plain => plain()?,
            Self::Decimal(decimal) => decimal.encode(value, at)?,
            Self::Bits(bits) => bits.encode(values, at)?,
            Self::Fraction(fraction) => fraction.encode(value, at)?,
            Self::TimeLeft(time_left) => time_left.encode(value, at)?,
            Self::TimeMember(time_member) => {
                member = Cow::Owned(time_member.member(at, &member)?);
                let sign = if time_member.is_negated { -1.0 } else { 1.0 };
                // A negative zero would be printed as `-0`.
                plain()? * sign + 0.0
            }
            Self::TwoSets(two_sets) => {
                time_score = Some(two_sets.time_score(at)?);
                plain()?
            }
        };
        Ok(Encoded {
            score,
            member,
            time_score,
        })
    }

    /// Decodes a stored entry. With [`Encoding::TwoSets`] the time is in the other set:
    /// [`decode_time`](Self::decode_time).
    pub fn decode<'a>(&self, score: f64, member: &'a [u8]) -> Result<Decoded<'a>, DecodeError> {
        if !score.is_finite() {
            return Err(DecodeError::Infinite(score));
        }
        let single = |(value, at, uncertainty)| -> Result<_, DecodeError> {
            Ok((Values::from(value_of(score, value)?), at, uncertainty))
        };
        let mut member = member;
        let (values, at, uncertainty) = match self {
            Self::Plain | Self::TwoSets(_) => (plain_value(score)?, None, plain_uncertainty(score)),
            Self::Decimal(decimal) => single(decimal.decode(score)?)?,
            Self::Bits(bits) => bits.decode(score)?,
            Self::Fraction(fraction) => single(fraction.decode(score)?)?,
            Self::TimeLeft(time_left) => single(time_left.decode(score)?)?,
            Self::TimeMember(time_member) => {
                let (at, decoded) = time_member.split(member)?;
                member = decoded;
                let sign = if time_member.is_negated { -1.0 } else { 1.0 };
                (
                    plain_value(score * sign)?,
                    Some(at),
                    plain_uncertainty(score),
                )
            }
        };
        Ok(Decoded {
            values,
            at,
            member,
            uncertainty,
        })
    }

    /// Decodes a stored entry with a score as Redis prints it, with 17 significant digits.
    pub fn decode_text<'a>(
        &self,
        score: &[u8],
        member: &'a [u8],
    ) -> Result<Decoded<'a>, DecodeError> {
        self.decode(of_text(score)?, member)
    }

    /// Decodes a member's score in the set of times, as Redis prints it; `None` for encodings other
    /// than [`Encoding::TwoSets`].
    pub fn decode_time(&self, time_score: &[u8]) -> Result<Option<Timestamp>, DecodeError> {
        match self {
            Self::TwoSets(two_sets) => two_sets.time(of_text(time_score)?).map(Some),
            _ => Ok(None),
        }
    }
}

fn plain_value(score: f64) -> Result<Values, DecodeError> {
    Ok(Values::from(value_of(score, whole(score)?)?))
}

fn plain_uncertainty(score: f64) -> Option<Uncertainty> {
    let bits = lost_bits(score);
    (bits > 0).then_some(Uncertainty::LowBits { bits })
}

/// Converts a number to a value, if a board accepts it.
fn value_of(score: f64, number: i128) -> Result<Value, DecodeError> {
    let outside = DecodeError::Outside {
        score,
        min: exact(-VALUE_MAX),
        max: exact(VALUE_MAX),
    };
    let number = i64::try_from(number).ok().and_then(Value::new);
    number.ok_or(outside)
}
