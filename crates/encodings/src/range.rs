//! The range that an encoding represents exactly: [`Range`].

use std::fmt;
use std::ops::RangeInclusive;

use board::Timestamp;

use crate::countdown::Unit;
use crate::error::EncodeError;

/// A range of values and times that are decoded unchanged and ordered exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// For each packed value, the most significant first.
    pub values: Vec<RangeInclusive<i64>>,
    /// The earliest and the latest time; `None` if there are no times.
    pub times: Option<(Timestamp, Timestamp)>,
    /// The unit to which times are rounded down.
    pub unit: Unit,
}

impl Range {
    /// Checks that a value is in the range; `field` counts from 0.
    pub(crate) fn check(&self, field: usize, value: i64) -> Result<(), EncodeError> {
        let range = &self.values[field];
        if range.contains(&value) {
            return Ok(());
        }
        Err(EncodeError::Value {
            field: field + 1,
            value,
            min: *range.start(),
            max: *range.end(),
        })
    }
}

/// `scores 0 to 900718; times 1973-01-01T00:00:00.000000Z to 2286-11-20T17:46:39.999000Z, by the s`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("scores ")?;
        for (index, range) in self.values.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{} to {}", range.start(), range.end())?;
        }
        match self.times {
            Some((earliest, latest)) => {
                write!(f, "; times {earliest} to {latest}, by the {}", self.unit)
            }
            None => f.write_str("; no times"),
        }
    }
}
