//! [`Rules`]: the part of a kind that determines standings and their order.
//!
//! Rules never change once a kind has boards: folding (`fold`), the record of a standing
//! (`standing`) and the rank key (`order`) all follow from them. What may change (depth, staleness,
//! retention) is in `kind`.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::calendar::Timestamp;
use crate::ident::FieldName;
use crate::limits::FIELDS_MAX;
use crate::packing::Packing;
use crate::rules_error::RulesError;
use crate::ties::{Direction, Ties};
use crate::value::Values;

/// How deltas of one field fold, in [`Mode::Accumulate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Deltas add up.
    #[default]
    Sum,
    /// The largest value is held.
    Max,
    /// The smallest value is held.
    Min,
    /// The value with the latest `at` is held; of equal times the better value.
    Last,
}

/// How contributions fold into a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Each field by its own [`Op`].
    #[default]
    Accumulate,
    /// Each contribution is a whole attempt; the best in the kind's order is kept.
    Best,
    /// Each contribution is a whole attempt; the latest is kept, of equal times the better.
    Latest,
}

/// One field: its name, direction and op.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FieldRule {
    /// Its name in requests and responses.
    pub name: FieldName,
    /// Which end is better.
    pub order: Direction,
    /// How deltas fold; [`Op::Sum`], and unused, in modes other than accumulate.
    pub op: Op,
}

impl FieldRule {
    /// Creates a field that sums, where higher is better.
    #[must_use]
    pub const fn sum(name: FieldName) -> Self {
        Self {
            name,
            order: Direction::Desc,
            op: Op::Sum,
        }
    }
}

/// Fields, mode and tie rule of a kind, with one to four fields of distinct names, and the declared
/// range of a packed kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(try_from = "UncheckedRules")]
pub struct Rules {
    fields: SmallVec<[FieldRule; FIELDS_MAX]>,
    mode: Mode,
    ties: Ties,
    packing: Option<Packing>,
}

/// Rules as they are stored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedRules {
    fields: Vec<FieldRule>,
    mode: Mode,
    ties: Ties,
    packing: Option<Packing>,
}

impl TryFrom<UncheckedRules> for Rules {
    type Error = RulesError;

    fn try_from(stored: UncheckedRules) -> Result<Self, RulesError> {
        let rules = Self::new(stored.fields, stored.mode, stored.ties)?;
        match stored.packing {
            Some(packing) => rules.packed(packing),
            None => Ok(rules),
        }
    }
}

/// Why the values of a contribution do not match a kind's rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValuesError {
    /// A field is missing in a mode that requires all.
    #[error("values lacks {0}: modes best and latest require every field")]
    Missing(FieldName),
    /// No field is named, and the kind has no field that defaults to 0.
    #[error("values names no field")]
    Empty,
    /// A value is outside of a packed kind's range.
    #[error("{field}: {value} is outside 0 to {most}, the range of this packed kind")]
    OutOfRange {
        /// The field.
        field: FieldName,
        /// What was sent.
        value: i64,
        /// The largest.
        most: u64,
    },
}

impl Rules {
    /// Validates: 1 to 4 fields, distinct names, ops only in mode accumulate.
    pub fn new(fields: Vec<FieldRule>, mode: Mode, ties: Ties) -> Result<Self, RulesError> {
        if fields.is_empty() || fields.len() > FIELDS_MAX {
            return Err(RulesError::FieldCount(fields.len()));
        }
        for (i, field) in fields.iter().enumerate() {
            if fields[..i].iter().any(|other| other.name == field.name) {
                return Err(RulesError::DuplicateField(field.name.clone()));
            }
            if mode != Mode::Accumulate && field.op != Op::Sum {
                return Err(RulesError::OpInAttempts(field.name.clone()));
            }
        }
        Ok(Self {
            fields: SmallVec::from_vec(fields),
            mode,
            ties,
            packing: None,
        })
    }

    /// Returns these rules with a declared range, in which standings can be packed.
    pub fn packed(self, packing: Packing) -> Result<Self, RulesError> {
        packing.check_rules(self.fields.len(), self.ties)?;
        Ok(Self {
            packing: Some(packing),
            ..self
        })
    }

    /// Returns the declared range, if there is one.
    #[must_use]
    pub const fn packing(&self) -> Option<&Packing> {
        self.packing.as_ref()
    }

    /// Returns a contribution's time as standings keep it. Folding requires this time.
    #[must_use]
    pub fn kept_time(&self, at: Timestamp) -> Timestamp {
        self.packing
            .as_ref()
            .map_or(at, |packing| packing.floor(at))
    }

    /// Returns the fields, in the order in which they compare.
    #[inline]
    #[must_use]
    pub fn fields(&self) -> &[FieldRule] {
        &self.fields
    }

    /// Returns the index of the field of this name.
    #[must_use]
    pub fn field_index(&self, name: &str) -> Option<usize> {
        self.fields
            .iter()
            .position(|field| field.name.as_str() == name)
    }

    /// Returns how contributions fold.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the tie rule.
    #[must_use]
    pub const fn ties(&self) -> Ties {
        self.ties
    }

    /// Checks that a contribution that sets a standing outright may have exactly these fields.
    pub fn check_outright(&self, values: &Values) -> Result<(), ValuesError> {
        self.check(values)?;
        self.check_range(values)
    }

    /// Checks that the values, which are stored unchanged, lie in the declared range.
    fn check_range(&self, values: &Values) -> Result<(), ValuesError> {
        let (Some(packing), Some(value)) = (&self.packing, values.get(0)) else {
            return Ok(());
        };
        if packing.holds(value) {
            return Ok(());
        }
        Err(ValuesError::OutOfRange {
            field: self.fields[0].name.clone(),
            value: value.get(),
            most: packing.max,
        })
    }

    /// Checks that a contribution may have exactly these fields.
    pub fn check(&self, values: &Values) -> Result<(), ValuesError> {
        let adds = self.mode == Mode::Accumulate && self.fields[0].op == Op::Sum;
        if !adds {
            self.check_range(values)?;
        }
        match self.mode {
            Mode::Accumulate => {
                let sums = self.fields.iter().any(|field| field.op == Op::Sum);
                if values.is_empty() && !sums {
                    Err(ValuesError::Empty)
                } else {
                    Ok(())
                }
            }
            Mode::Best | Mode::Latest => {
                for (index, field) in self.fields.iter().enumerate() {
                    if values.get(index).is_none() {
                        return Err(ValuesError::Missing(field.name.clone()));
                    }
                }
                Ok(())
            }
        }
    }
}
