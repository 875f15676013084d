//! [`Value`] and [`Values`]: exact integers, and the values in a contribution.
//!
//! A [`Value`] lies within ±(2^53 − 1), so that every JSON client reads it exactly; [`Values`] has
//! an optional one for each field of a kind.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits::{FIELDS_MAX, VALUE_MAX};

/// An exact integer within ±(2^53 − 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "i64")]
pub struct Value(i64);

impl Value {
    /// Zero, the value of a sum field that is left out.
    pub const ZERO: Self = Self(0);

    /// Accepts a number in range.
    #[must_use]
    pub const fn new(number: i64) -> Option<Self> {
        if number >= -VALUE_MAX && number <= VALUE_MAX {
            Some(Self(number))
        } else {
            None
        }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns the sum, or `None` if it is out of range.
    #[must_use]
    pub const fn checked_add(self, delta: Self) -> Option<Self> {
        // Two magnitudes below 2^53 cannot overflow an i64.
        Self::new(self.0 + delta.0)
    }
}

impl TryFrom<i64> for Value {
    type Error = &'static str;

    fn try_from(number: i64) -> Result<Self, &'static str> {
        Self::new(number).ok_or("a value is within 2^53 - 1")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One optional value for each field, in the kind's order of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Deserialize, Serialize)]
pub struct Values([Option<Value>; FIELDS_MAX]);

impl Values {
    /// Returns the value of field `index`.
    #[must_use]
    pub const fn get(&self, index: usize) -> Option<Value> {
        self.0[index]
    }

    /// Sets the value of field `index`.
    pub const fn set(&mut self, index: usize, value: Value) {
        self.0[index] = Some(value);
    }

    /// Returns whether no field has a value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

impl<const N: usize> From<[Option<Value>; N]> for Values {
    /// Sets the first `N` fields, at most four.
    fn from(named: [Option<Value>; N]) -> Self {
        let mut values = Self::default();
        values.0[..N].copy_from_slice(&named);
        values
    }
}

impl From<Value> for Values {
    /// Sets the only field of a kind.
    fn from(value: Value) -> Self {
        Self::from([Some(value)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_ends_where_doubles_stop_being_exact() {
        assert_eq!(
            Value::new(VALUE_MAX).map(Value::get),
            Some(9_007_199_254_740_991)
        );
        assert_eq!(
            Value::new(-VALUE_MAX).map(Value::get),
            Some(-9_007_199_254_740_991)
        );
        assert_eq!(Value::new(VALUE_MAX + 1), None);
        assert_eq!(Value::new(i64::MIN), None);
        let max = Value::new(VALUE_MAX).unwrap();
        assert_eq!(max.checked_add(Value(1)), None);
        assert_eq!(max.checked_add(Value(-1)), Value::new(VALUE_MAX - 1));
    }
}
