//! How a contribution changes a standing.
//!
//! **Invariant:** [`Rules::fold`] commutes, except for packed sums that reach 0 or an end of their
//! range: the same set of contributions gives the same standing in any order. So shards, retries
//! and re-sends may work in any order. [`Rules::standing_of`] and removals do not commute; they take
//! effect when they arrive. Rejecting a contribution id that was applied before is the store's
//! task.

use std::cmp::Ordering;

use crate::calendar::Timestamp;
use crate::ident::FieldName;
use crate::rules::{Mode, Op, Rules};
use crate::standing::{STANDING_WORDS_MAX, Standing};
use crate::ties::Direction;
use crate::value::{Value, Values};

/// A sum would leave ±(2^53 − 1), or the declared range of a packed kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {held} + {delta} would leave the range of {}", range(*.most))]
pub struct OutOfRange {
    field: FieldName,
    held: i64,
    delta: i64,
    /// The largest value of a packed kind.
    most: Option<u64>,
}

fn range(most: Option<u64>) -> String {
    most.map_or_else(
        || "±9007199254740991".to_owned(),
        |most| format!("0 to {most}, the declared range of this packed kind"),
    )
}

impl Rules {
    /// Returns the standing that results from one contribution to the standing `held`. `values` has
    /// passed [`Rules::check`], and `at` is a [kept time](Rules::kept_time).
    pub fn fold(
        &self,
        held: Option<&Standing>,
        values: &Values,
        at: Timestamp,
    ) -> Result<Standing, OutOfRange> {
        match self.mode() {
            Mode::Accumulate => self.accumulate(held, values, at),
            Mode::Best => Ok(self.attempt(held, values, at, |new, held| {
                self.compare_fields(new, held)
                    .then(self.attempt_time(held).cmp(&at))
            })),
            Mode::Latest => Ok(self.attempt(held, values, at, |new, held| {
                at.cmp(&self.attempt_time(held))
                    .then(self.compare_fields(new, held))
            })),
        }
    }

    /// Returns the standing with exactly these values, reached at that time.
    #[must_use]
    pub fn standing_of(&self, values: &Values, at: Timestamp) -> Standing {
        let mut standing = Standing {
            words: [0; STANDING_WORDS_MAX],
        };
        for (index, field) in self.fields().iter().enumerate() {
            let value = values.get(index);
            if self.mode() == Mode::Accumulate {
                let value = if field.op == Op::Sum {
                    value.or(Some(Value::ZERO))
                } else {
                    value
                };
                self.put_value(&mut standing, index, value);
                if value.is_some() {
                    // An outright sum counts as moved: a delta of 0 with an earlier time leaves it.
                    let moved = self.counts_as_moved(value, true);
                    self.put_field_time(&mut standing, index, at, moved);
                }
            } else {
                self.put_value(&mut standing, index, value);
            }
        }
        if self.mode() != Mode::Accumulate {
            self.put_attempt_time(&mut standing, at);
        }
        standing
    }

    fn accumulate(
        &self,
        held: Option<&Standing>,
        values: &Values,
        at: Timestamp,
    ) -> Result<Standing, OutOfRange> {
        let mut standing = held.copied().unwrap_or_else(|| self.nothing_yet(at));
        for (index, field) in self.fields().iter().enumerate() {
            if field.op == Op::Sum {
                self.add(
                    &mut standing,
                    index,
                    values.get(index).unwrap_or(Value::ZERO),
                    at,
                )?;
            } else if let Some(value) = values.get(index) {
                self.offer(&mut standing, index, value, at);
            }
        }
        Ok(standing)
    }

    /// Returns sums of 0, and null in all other fields. Null has no time: otherwise the order of
    /// arrival would show.
    fn nothing_yet(&self, at: Timestamp) -> Standing {
        let mut standing = Standing {
            words: [0; STANDING_WORDS_MAX],
        };
        for (index, field) in self.fields().iter().enumerate() {
            if field.op == Op::Sum {
                self.put_value(&mut standing, index, Some(Value::ZERO));
                self.put_field_time(&mut standing, index, at, false);
            } else {
                self.put_value(&mut standing, index, None);
            }
        }
        standing
    }

    fn add(
        &self,
        standing: &mut Standing,
        index: usize,
        delta: Value,
        at: Timestamp,
    ) -> Result<(), OutOfRange> {
        let held = self.value(standing, index).unwrap_or(Value::ZERO);
        let is_held = |sum: &Value| self.packing().is_none_or(|packing| packing.holds(*sum));
        let sum = held.checked_add(delta).filter(is_held);
        let sum = sum.ok_or_else(|| OutOfRange {
            field: self.fields()[index].name.clone(),
            held: held.get(),
            delta: delta.get(),
            most: self.packing().map(|packing| packing.max),
        })?;
        let (time, moved) = self.field_time(standing, index);
        let nonzero = delta != Value::ZERO;
        let time = match (moved, nonzero) {
            (true, true) => time.max(at),
            (true, false) => time,
            (false, true) => at,
            (false, false) => time.min(at),
        };
        self.put_value(standing, index, Some(sum));
        let moved = self.counts_as_moved(Some(sum), moved || nonzero);
        self.put_field_time(standing, index, time, moved);
        Ok(())
    }

    /// Returns whether a sum has ever changed. A packed sum has no bit for that: a sum of 0 counts
    /// as unchanged.
    fn counts_as_moved(&self, sum: Option<Value>, moved: bool) -> bool {
        match self.packing() {
            Some(_) => sum.is_some_and(|sum| sum != Value::ZERO),
            None => moved,
        }
    }

    /// Applies a value to a max, min or last field.
    fn offer(&self, standing: &mut Standing, index: usize, value: Value, at: Timestamp) {
        let field = &self.fields()[index];
        let time = self.field_time(standing, index).0;
        let replaces = self
            .value(standing, index)
            .is_none_or(|held| match field.op {
                Op::Max => value.cmp(&held).then(time.cmp(&at)).is_gt(),
                Op::Min => held.cmp(&value).then(time.cmp(&at)).is_gt(),
                Op::Last | Op::Sum => at
                    .cmp(&time)
                    .then(compare_values(value, held, field.order))
                    .is_gt(),
            });
        if replaces {
            self.put_value(standing, index, Some(value));
            self.put_field_time(standing, index, at, false);
        }
    }

    /// Keeps the attempt, or the standing that is held if that compares at least as good.
    fn attempt(
        &self,
        held: Option<&Standing>,
        values: &Values,
        at: Timestamp,
        compare: impl FnOnce(&Standing, &Standing) -> Ordering,
    ) -> Standing {
        let new = self.standing_of(values, at);
        match held {
            Some(held) if compare(&new, held).is_le() => *held,
            _ => new,
        }
    }

    fn compare_fields(&self, a: &Standing, b: &Standing) -> Ordering {
        let words = |standing| {
            self.field_words(&self.rank_words(&self.values(standing), Timestamp::from_millis(0)))
        };
        words(a).cmp(&words(b))
    }
}

fn compare_values(a: Value, b: Value, order: Direction) -> Ordering {
    match order {
        Direction::Desc => a.cmp(&b),
        Direction::Asc => b.cmp(&a),
    }
}
