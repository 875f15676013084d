//! The rules of a kind that decide what a standing is and which of two is better.
//!
//! [`Rules`] never change once a kind has boards: folding (`fold`), the record of a standing
//! (`standing`) and the rank key (`order`) all follow from them. What may change (depth, staleness,
//! retention) is in `kind`.

use smallvec::SmallVec;

use crate::ident::FieldName;
use crate::limits::FIELDS_MAX;
use crate::packing::Packing;
use crate::timestamp::Timestamp;
use crate::value::Values;

/// Which end of a field is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Direction {
    /// Higher is better.
    #[default]
    Desc,
    /// Lower is better.
    Asc,
}

/// How deltas of one field fold, in [`Mode::Accumulate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Op {
    /// Deltas add up.
    #[default]
    Sum,
    /// The largest value is held.
    Max,
    /// The smallest value is held.
    Min,
    /// The value with the latest `at` is held; of equal ones the better.
    Last,
}

/// How contributions fold into a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Mode {
    /// Each field by its own [`Op`].
    #[default]
    Accumulate,
    /// Each contribution is a whole attempt; the best in the kind's order is kept.
    Best,
    /// Each contribution is a whole attempt; the latest is kept, of equal ones the better.
    Latest,
}

/// Which of two standings with equal fields is better; by member id (higher bytes) what still ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Ties {
    /// Who reached it first.
    #[default]
    Earliest,
    /// Who reached it last.
    Latest,
    /// The member id alone: higher bytes.
    Member,
    /// The member id alone: lower bytes.
    LowerMember,
}

impl Ties {
    /// The rule by member id alone, as a sorted set of Redis has it: read from the lowest score up where
    /// the first field is [`Direction::Asc`], the lower member comes first.
    #[must_use]
    pub const fn by_member(first: Direction) -> Self {
        match first {
            Direction::Desc => Self::Member,
            Direction::Asc => Self::LowerMember,
        }
    }

    /// Whether ties go by member id alone.
    #[must_use]
    pub const fn is_by_member(self) -> bool {
        matches!(self, Self::Member | Self::LowerMember)
    }
}

/// One field: its name, direction and op.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldRule {
    /// Its name in requests and answers.
    pub name: FieldName,
    /// Which end is better.
    pub order: Direction,
    /// How deltas fold; [`Op::Sum`] and without meaning in modes other than accumulate.
    pub op: Op,
}

impl FieldRule {
    /// A field that sums, higher is better.
    #[must_use]
    pub const fn sum(name: FieldName) -> Self {
        Self {
            name,
            order: Direction::Desc,
            op: Op::Sum,
        }
    }
}

/// Fields, mode and tie rule of a kind: one to four fields, names distinct; and the declared range of a packed
/// one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rules {
    fields: SmallVec<[FieldRule; FIELDS_MAX]>,
    mode: Mode,
    ties: Ties,
    packing: Option<Packing>,
}

/// Why fields, mode and ties make no rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// Not 1 to 4 fields.
    #[error("fields: a kind has 1 to 4 fields, not {0}")]
    FieldCount(usize),
    /// Two fields with one name.
    #[error("fields: {0} is named twice")]
    FieldTwice(FieldName),
    /// An op where attempts are kept whole.
    #[error("fields: {0} has an op, which only mode accumulate knows")]
    OpInAttempts(FieldName),
    /// A range that cannot be packed.
    #[error("{setting}: {reason}")]
    Packed {
        /// The setting at fault.
        setting: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

/// Why the values of a contribution do not fit a kind's rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValuesError {
    /// A whole attempt lacks a field.
    #[error("values lacks {0}: every field is named in modes best and latest")]
    Missing(FieldName),
    /// No field named, and none that would take it for 0.
    #[error("values names no field")]
    Empty,
    /// A value outside of a packed kind's range.
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
    /// Checks that there are 1 to 4 fields, names distinct, ops only where they have a meaning.
    pub fn new(fields: Vec<FieldRule>, mode: Mode, ties: Ties) -> Result<Self, RulesError> {
        if fields.is_empty() || fields.len() > FIELDS_MAX {
            return Err(RulesError::FieldCount(fields.len()));
        }
        for (i, field) in fields.iter().enumerate() {
            if fields[..i].iter().any(|other| other.name == field.name) {
                return Err(RulesError::FieldTwice(field.name.clone()));
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

    /// The same with a declared range, in which standings can be packed.
    pub fn packed(self, packing: Packing) -> Result<Self, RulesError> {
        packing.check_rules(self.fields.len(), self.ties)?;
        Ok(Self {
            packing: Some(packing),
            ..self
        })
    }

    /// The declared range, where there is one.
    #[must_use]
    pub const fn packing(&self) -> Option<&Packing> {
        self.packing.as_ref()
    }

    /// A contribution's time as standings keep it: what is folded has this time.
    #[must_use]
    pub fn kept_time(&self, at: Timestamp) -> Timestamp {
        self.packing
            .as_ref()
            .map_or(at, |packing| packing.floor(at))
    }

    /// The fields, in the order in which they compare.
    #[must_use]
    pub fn fields(&self) -> &[FieldRule] {
        &self.fields
    }

    /// The place of the field of this name.
    #[must_use]
    pub fn field_index(&self, name: &str) -> Option<usize> {
        self.fields
            .iter()
            .position(|field| field.name.as_str() == name)
    }

    /// How contributions fold.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The tie rule.
    #[must_use]
    pub const fn ties(&self) -> Ties {
        self.ties
    }

    /// Whether a contribution that sets a standing outright may name just these fields.
    pub fn check_outright(&self, values: &Values) -> Result<(), ValuesError> {
        self.check(values)?;
        self.check_range(values)
    }

    /// Whether the values, which are kept as they are, lie in the declared range.
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
            most: packing.most,
        })
    }

    /// Whether a contribution may name just these fields.
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
