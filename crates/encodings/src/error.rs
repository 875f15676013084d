//! What can be wrong: with the text of an encoding ([`EncodingError`]), with what is to be encoded
//! ([`EncodeError`]), with what was stored ([`DecodeError`]).

use board::Timestamp;

use crate::encoding::NAMES;

/// A text that names no encoding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    /// No such name.
    #[error("encoding {0:?} is none of {NAMES}")]
    Unknown(String),
    /// Not `name` or `name(parameter=value, ...)`.
    #[error("encoding {0:?} is not written NAME or NAME(PARAMETER=VALUE, ...)")]
    Shape(String),
    /// A parameter that the encoding does not have.
    #[error("{encoding} has no parameter {parameter:?}; it has {known}")]
    Parameter {
        /// The encoding's name.
        encoding: &'static str,
        /// The parameter as it stood there.
        parameter: String,
        /// What it does have.
        known: &'static str,
    },
    /// A parameter that has to be there.
    #[error("{encoding} needs the parameter {parameter}")]
    Missing {
        /// The encoding's name.
        encoding: &'static str,
        /// The parameter, with its form.
        parameter: &'static str,
    },
    /// A parameter stands there twice.
    #[error("the parameter {0} stands there twice")]
    Twice(String),
    /// A value that the parameter cannot have.
    #[error("{parameter}: {text:?} {reason}")]
    Value {
        /// The parameter's name.
        parameter: &'static str,
        /// What stood there.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// What an encoding cannot hold exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A value outside of what is exact.
    #[error("value {field}: {value} is outside {min} to {max}, which is all that is held exactly")]
    Value {
        /// Which one, from 1.
        field: usize,
        /// The value.
        value: i64,
        /// The least that is exact.
        min: i64,
        /// The greatest that is exact.
        max: i64,
    },
    /// More or fewer values than the encoding packs.
    #[error("it packs {wanted} values, not the {given} that were given")]
    Fields {
        /// How many were given.
        given: usize,
        /// How many it packs.
        wanted: usize,
    },
    /// A time outside of what is held.
    #[error("the time {at} is outside {earliest} to {latest}, which is all that is held")]
    Time {
        /// The time.
        at: Timestamp,
        /// The earliest that is held.
        earliest: Timestamp,
        /// The latest that is held.
        latest: Timestamp,
    },
}

/// A stored entry that the encoding did not write.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// A text that is no finite number.
    #[error("{0:?} is no finite number")]
    Number(String),
    /// A double that is no finite number.
    #[error("{0} is no finite number")]
    Infinite(f64),
    /// A fraction where whole numbers are packed.
    #[error("{0} is no whole number")]
    Fraction(f64),
    /// A score that is larger than anything packed so.
    #[error("{score} is outside {min} to {max}")]
    Outside {
        /// The score.
        score: f64,
        /// The least.
        min: f64,
        /// The greatest.
        max: f64,
    },
    /// A time outside of what a board takes.
    #[error("its time comes out as {0} ms since 1970, outside the years 1973 to 9999")]
    Time(i64),
    /// A member without a time before it.
    #[error("the member does not begin with a time such as `2022-12-15 13:30:30_`")]
    Prefix,
}
