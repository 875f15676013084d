//! Errors: [`EncodingError`] of the text of an encoding, [`EncodeError`] of a standing,
//! [`DecodeError`] of a stored entry.

use board::Timestamp;

/// The names of encodings.
const NAMES: &str = "plain, decimal, binary, bits, fraction, time-left, time-member and two-sets";

/// Why a text is not an encoding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    /// Unknown name.
    #[error("encoding {0:?} is not one of {NAMES}")]
    Unknown(String),
    /// The syntax is not `name` or `name(parameter=value, ...)`.
    #[error("encoding {0:?} does not have the form NAME or NAME(PARAMETER=VALUE, ...)")]
    Shape(String),
    /// An unknown parameter.
    #[error("{encoding} has no parameter {parameter:?}; it has {known}")]
    Parameter {
        /// The encoding's name.
        encoding: &'static str,
        /// The parameter as written.
        parameter: String,
        /// The parameters that it has.
        known: &'static str,
    },
    /// A required parameter is missing.
    #[error("{encoding} requires the parameter {parameter}")]
    Missing {
        /// The encoding's name.
        encoding: &'static str,
        /// The parameter, with its form.
        parameter: &'static str,
    },
    /// A parameter is given twice.
    #[error("the parameter {0} is given twice")]
    Twice(String),
    /// A parameter has an invalid value.
    #[error("{parameter}: {text:?} {reason}")]
    Value {
        /// The parameter's name.
        parameter: &'static str,
        /// The value as written.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Why a standing cannot be represented exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A value out of range.
    #[error(
        "value {field}: {value} is outside {min} to {max}, the range that is represented exactly"
    )]
    Value {
        /// Which value, counted from 1.
        field: usize,
        /// The value.
        value: i64,
        /// The smallest value that is exact.
        min: i64,
        /// The largest value that is exact.
        max: i64,
    },
    /// The number of values differs from that of the encoding.
    #[error("there are {count} values; the encoding requires {expected}")]
    Fields {
        /// The number of values.
        count: usize,
        /// The number of values of the encoding.
        expected: usize,
    },
    /// A time out of range.
    #[error("the time {at} is outside {earliest} to {latest}, the range that is represented")]
    Time {
        /// The time.
        at: Timestamp,
        /// The earliest time in range.
        earliest: Timestamp,
        /// The latest time in range.
        latest: Timestamp,
    },
}

/// Why a stored entry cannot have been written by the encoding.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// A text that is not a finite number.
    #[error("{0:?} is not a finite number")]
    Number(String),
    /// A double that is not finite.
    #[error("{0} is not a finite number")]
    Infinite(f64),
    /// A fraction where integers are packed.
    #[error("{0} is not an integer")]
    Fraction(f64),
    /// A score out of range.
    #[error("{score} is outside {min} to {max}")]
    Outside {
        /// The score.
        score: f64,
        /// The smallest score.
        min: f64,
        /// The largest score.
        max: f64,
    },
    /// A time that a board does not accept.
    #[error("its time is {0} ms since 1970, outside the years 1973 to 9999")]
    Time(i64),
    /// A member without a time before it.
    #[error("the member does not begin with a time such as `2022-12-15 13:30:30_`")]
    Prefix,
}
