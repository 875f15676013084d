//! Settings with bounds: [`within`], [`span_within`]. Their errors do not repeat the value.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use humantime::format_duration;
use serde::de::{Deserialize, Deserializer, Error};

/// Reads a number within these bounds.
pub(super) fn within<'de, D, T>(deserializer: D, bounds: RangeInclusive<T>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + PartialOrd + Display,
{
    let number = T::deserialize(deserializer)?;
    if bounds.contains(&number) {
        return Ok(number);
    }
    let (min, max) = bounds.into_inner();
    Err(Error::custom(format!("it is not between {min} and {max}")))
}

/// Reads a duration within these bounds.
pub(super) fn span_within<'de, D: Deserializer<'de>>(
    deserializer: D,
    bounds: &RangeInclusive<Duration>,
) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parsed_within(&text, bounds).map_err(|why| Error::custom(format!("it {why}")))
}

/// Parses a duration within these bounds. The error continues a sentence about the text.
pub(crate) fn parsed_within(
    text: &str,
    bounds: &RangeInclusive<Duration>,
) -> Result<Duration, String> {
    let span = humantime::parse_duration(text).ok();
    span.filter(|span| bounds.contains(span)).ok_or_else(|| {
        let (min, max) = (
            format_duration(*bounds.start()),
            format_duration(*bounds.end()),
        );
        format!("is not a time between {min} and {max}, such as 15s")
    })
}
