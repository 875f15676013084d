//! Packed standings: a value and a time that fit into one number of 53 bits.
//!
//! A double represents integers of 53 bits exactly. A [`Packing`] declares the largest value of a
//! kind's only field and the unit of its times. The value takes the upper bits; the time takes the
//! remaining bits, counted from the start of its window. A [`Packing`] is part of the rules, and
//! every store enforces the declared range, so that a kind means the same on all stores:
//! [`Rules::kept_time`](crate::Rules::kept_time) rounds times down to the unit, admission rejects
//! times that do not fit, and folding rejects sums that do not. How a standing is encoded is up to
//! the store; only the store on Redis packs it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::calendar::Timestamp;
use crate::calendar::{Period, Window};
use crate::kind_error::KindError;
use crate::limits::PACKED_BITS;
use crate::rules_error::RulesError;
use crate::ties::Ties;
use crate::value::Value;
use crate::window_rule::WindowRule;

/// The declared range of a kind whose standings are packed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Packing {
    /// The largest value; the smallest is 0.
    pub max: u64,
    /// The unit that times are rounded down to: whole milliseconds, a divisor of a second.
    pub unit: Duration,
    /// The range (end exclusive) in which the window without bounds accepts contributions; `None`
    /// if the kind has no such window.
    pub span: Option<(Timestamp, Timestamp)>,
}

impl Packing {
    /// Checks that values and times of a kind with this many fields can be packed, in any window.
    pub(crate) fn check_rules(&self, fields: usize, ties: Ties) -> Result<(), RulesError> {
        let refused = |setting, reason: String| Err(RulesError::Packed { setting, reason });
        if fields != 1 {
            let reason = format!("packed kinds have exactly one field, not {fields}");
            return refused("packed", reason);
        }
        if ties == Ties::Member {
            let reason =
                "member is not supported for packed kinds, which break ties by time".to_owned();
            return refused("ties", reason);
        }
        let largest = (1 << (PACKED_BITS - 1)) - 1;
        if self.max == 0 || self.max > largest {
            let reason = format!("{} is not between 1 and {largest}", self.max);
            return refused("packed.most", reason);
        }
        let ms = self.unit.as_millis();
        let is_whole = self.unit.subsec_nanos().is_multiple_of(1_000_000);
        if ms == 0 || 1000 % ms != 0 || !is_whole {
            let reason = format!(
                "{:?} does not divide a second in whole milliseconds, as 1s and 100ms do",
                self.unit
            );
            return refused("packed.unit", reason);
        }
        if let Some((from, until)) = self.span {
            if from.micros().rem_euclid(self.unit_us()) != 0 {
                return refused(
                    "packed.from",
                    format!("{from} is not a whole number of units"),
                );
            }
            if until <= from {
                return refused("packed.until", format!("{until} is not after from, {from}"));
            }
        }
        Ok(())
    }

    /// Checks that the times of these windows fit into the bits that values leave.
    pub(crate) fn check_windows(&self, windows: &[WindowRule]) -> Result<(), KindError> {
        let unbounded = windows.iter().any(|rule| rule.period == Period::All);
        match (self.span, unbounded) {
            (None, true) => {
                let reason = "requires from and until: the window all has no bounds of its own";
                return Err(KindError::new("packed", reason));
            }
            (Some(_), false) => {
                let reason =
                    "from and until are supported only with the window all, which this kind lacks";
                return Err(KindError::new("packed", reason));
            }
            _ => {}
        }
        if windows.iter().any(|rule| rule.period == Period::Season) {
            let reason = "is not supported with the window season: it has no maximum length";
            return Err(KindError::new("packed", reason));
        }
        for rule in windows {
            let span = self.longest(rule.period);
            let units = span.as_micros().div_ceil(self.unit.as_micros());
            if units > u128::from(self.units()) {
                let reason = format!(
                    "values up to {} take {} of {PACKED_BITS} bits; the times of a window {} in units of {} ms \
                     take {}, and {} are left",
                    self.max,
                    self.value_bits(),
                    rule.period.as_str(),
                    self.unit.as_millis(),
                    128 - (units - 1).leading_zeros(),
                    self.time_bits(),
                );
                return Err(KindError::new("packed", reason));
            }
        }
        Ok(())
    }

    /// Returns the maximum length of a window of this period, including changes of the clock.
    fn longest(&self, period: Period) -> Duration {
        if let Some(hours) = period.part_hours() {
            // A clock is set back by less than half a day.
            return Duration::from_hours(u64::from(hours) + 12);
        }
        if let Some(weeks) = period.weeks() {
            return Duration::from_hours(24 * (7 * u64::from(weeks) + 1));
        }
        match (period, self.span) {
            (Period::Hour, _) => Duration::from_hours(1),
            (Period::Week, _) => Duration::from_hours(8 * 24),
            (Period::Month, _) => Duration::from_hours(32 * 24),
            (Period::Quarter, _) => Duration::from_hours(93 * 24),
            (Period::Year, _) => Duration::from_hours(367 * 24),
            (Period::All, Some((from, until))) => until.since(from),
            (Period::All, None) => Duration::ZERO,
            _ => Duration::from_hours(36),
        }
    }

    /// Returns the setting that makes standings packed by `other` unreadable to this packing, if
    /// one does.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        let base = |packing: &Self| packing.span.map(|(from, _)| from);
        let settings = [
            ("packed.most", self.max == other.max),
            ("packed.unit", self.unit == other.unit),
            ("packed.from", base(self) == base(other)),
        ];
        let mut differing = settings.iter().filter(|(_, is_same)| !is_same);
        differing.next().map(|(setting, _)| *setting)
    }

    /// Returns the unit in microseconds.
    #[must_use]
    pub fn unit_us(&self) -> i64 {
        i64::try_from(self.unit.as_micros()).unwrap_or(i64::MAX)
    }

    /// Returns the number of bits of a value.
    #[must_use]
    pub const fn value_bits(&self) -> u32 {
        u64::BITS - self.max.leading_zeros()
    }

    /// Returns the number of bits that are left for a time.
    #[must_use]
    pub const fn time_bits(&self) -> u32 {
        PACKED_BITS - self.value_bits()
    }

    /// Returns how many units of time those bits can distinguish.
    #[must_use]
    pub const fn units(&self) -> u64 {
        1 << self.time_bits()
    }

    /// Returns the moment from which the times of a window are counted.
    #[must_use]
    pub fn base(&self, window: Window) -> Timestamp {
        match (window.period(), self.span) {
            (Period::All, Some((from, _))) => from,
            _ => window.start(),
        }
    }

    /// Returns the time as it is stored: rounded down to the unit.
    #[must_use]
    pub fn floor(&self, at: Timestamp) -> Timestamp {
        let us = at.micros();
        Timestamp::from_micros(us - us.rem_euclid(self.unit_us()))
    }

    /// Returns whether a time can be represented in this window.
    #[must_use]
    pub fn has_room(&self, window: Window, at: Timestamp) -> bool {
        if let (Period::All, Some((_, until))) = (window.period(), self.span)
            && at >= until
        {
            return false;
        }
        let since = self.floor(at).micros() - self.base(window).micros();
        u64::try_from(since / self.unit_us()).is_ok_and(|units| since >= 0 && units < self.units())
    }

    /// Returns whether a value is in the declared range.
    #[must_use]
    pub fn holds(&self, value: Value) -> bool {
        u64::try_from(value.get()).is_ok_and(|value| value <= self.max)
    }
}
