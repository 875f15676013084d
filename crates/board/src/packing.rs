//! Packed standings: a value and a time that fit into one number of 53 bits.
//!
//! A double holds integers of 53 bits exactly. A [`Packing`] declares the largest value of a kind's only field and
//! the unit of its times. The value takes the upper bits; the time takes the remaining bits, counted from the start
//! of its window. A [`Packing`] is a part of the rules, and every store keeps to the declared range, so that a kind
//! means the same on all of them: [`Rules::kept_time`](crate::Rules::kept_time) rounds times down to the unit,
//! admission rejects times without room, and folding rejects sums. How a store encodes a standing is up to the
//! store; only the store on Redis packs them.

use std::time::Duration;

use crate::kind::{KindError, WindowRule};
use crate::limits::PACKED_BITS;
use crate::rules::{RulesError, Ties};
use crate::timestamp::Timestamp;
use crate::value::Value;
use crate::window::{Period, Window};

/// The declared range of a kind whose standings are packed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Packing {
    /// The largest value; the smallest is 0.
    pub most: u64,
    /// The unit that times are rounded down to: a divisor of a second, in whole milliseconds.
    pub unit: Duration,
    /// From when to when (exclusive) the window without bounds takes contributions, where there is one.
    pub span: Option<(Timestamp, Timestamp)>,
}

impl Packing {
    /// Whether one field's values and times can be packed so, whichever windows they count in.
    pub(crate) fn check_rules(&self, fields: usize, ties: Ties) -> Result<(), RulesError> {
        let refused = |setting, reason: String| Err(RulesError::Packed { setting, reason });
        if fields != 1 {
            let reason = format!("a kind of one field can be packed, not of {fields}");
            return refused("packed", reason);
        }
        if ties.is_by_member() {
            let reason = "member is not for packed kinds, of which ties go by time".to_owned();
            return refused("ties", reason);
        }
        let largest = (1 << (PACKED_BITS - 1)) - 1;
        if self.most == 0 || self.most > largest {
            let reason = format!("{} is not between 1 and {largest}", self.most);
            return refused("packed.most", reason);
        }
        let ms = self.unit.as_millis();
        if ms == 0
            || 1000 % ms != 0
            || self.unit != Duration::from_millis(self.unit_ms().cast_unsigned())
        {
            let reason = format!(
                "{:?} does not divide a second in whole milliseconds, as 1s and 100ms do",
                self.unit
            );
            return refused("packed.unit", reason);
        }
        if let Some((from, until)) = self.span {
            if from.millis().rem_euclid(self.unit_ms()) != 0 {
                return refused("packed.from", format!("{from} is no whole number of units"));
            }
            if until <= from {
                return refused("packed.until", format!("{until} is not after from, {from}"));
            }
        }
        Ok(())
    }

    /// Whether the times of these windows fit into the bits that values leave.
    pub(crate) fn check_windows(&self, windows: &[WindowRule]) -> Result<(), KindError> {
        let unbounded = windows.iter().any(|rule| rule.period == Period::All);
        match (self.span, unbounded) {
            (None, true) => {
                let reason = "from and until are missing: the window all has no bounds of its own";
                return Err(KindError::new("packed", reason));
            }
            (Some(_), false) => {
                let reason = "from and until are for the window all, which is none of the kind's";
                return Err(KindError::new("packed", reason));
            }
            _ => {}
        }
        for rule in windows {
            let span = self.longest(rule.period);
            let units = span.as_millis().div_ceil(self.unit.as_millis());
            if units > u128::from(self.units()) {
                let reason = format!(
                    "values up to {} take {} of {PACKED_BITS} bits; the times of a window {} in units of {} ms \
                     take {}, and {} are left",
                    self.most,
                    self.value_bits(),
                    rule.period.as_str(),
                    self.unit_ms(),
                    128 - (units - 1).leading_zeros(),
                    self.time_bits(),
                );
                return Err(KindError::new("packed", reason));
            }
        }
        Ok(())
    }

    /// The longest that a window of this period is, across changes of the clock.
    fn longest(&self, period: Period) -> Duration {
        match (period, self.span) {
            (Period::Hour, _) => Duration::from_hours(1),
            (Period::Day, _) => Duration::from_hours(36),
            (Period::Week, _) => Duration::from_hours(8 * 24),
            (Period::Month, _) => Duration::from_hours(32 * 24),
            (Period::All, Some((from, until))) => {
                Duration::from_millis(until.millis().abs_diff(from.millis()))
            }
            (Period::All, None) => Duration::ZERO,
        }
    }

    /// The setting by which standings that the other has packed are not as this one packs them.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        let base = |packing: &Self| packing.span.map(|(from, _)| from);
        let settings = [
            ("packed.most", self.most == other.most),
            ("packed.unit", self.unit == other.unit),
            ("packed.from", base(self) == base(other)),
        ];
        let mut differing = settings.iter().filter(|(_, is_same)| !is_same);
        differing.next().map(|(setting, _)| *setting)
    }

    /// Milliseconds of a unit.
    #[must_use]
    pub fn unit_ms(&self) -> i64 {
        i64::try_from(self.unit.as_millis()).unwrap_or(i64::MAX)
    }

    /// Bits of a value.
    #[must_use]
    pub const fn value_bits(&self) -> u32 {
        u64::BITS - self.most.leading_zeros()
    }

    /// Bits that are left for a time.
    #[must_use]
    pub const fn time_bits(&self) -> u32 {
        PACKED_BITS - self.value_bits()
    }

    /// How many units of time those bits tell apart.
    #[must_use]
    pub const fn units(&self) -> u64 {
        1 << self.time_bits()
    }

    /// Where the times of a window are counted from.
    #[must_use]
    pub fn base(&self, window: Window) -> Timestamp {
        match (window.period(), self.span) {
            (Period::All, Some((from, _))) => from,
            _ => window.start(),
        }
    }

    /// The time as it is kept: rounded down to the unit.
    #[must_use]
    pub fn floor(&self, at: Timestamp) -> Timestamp {
        let ms = at.millis();
        Timestamp::from_millis(ms - ms.rem_euclid(self.unit_ms()))
    }

    /// Whether a time can be kept in this window.
    #[must_use]
    pub fn has_room(&self, window: Window, at: Timestamp) -> bool {
        if let (Period::All, Some((_, until))) = (window.period(), self.span)
            && at >= until
        {
            return false;
        }
        let since = self.floor(at).millis() - self.base(window).millis();
        u64::try_from(since / self.unit_ms()).is_ok_and(|units| since >= 0 && units < self.units())
    }

    /// Whether a value is one of the declared.
    #[must_use]
    pub fn holds(&self, value: Value) -> bool {
        u64::try_from(value.get()).is_ok_and(|value| value <= self.most)
    }
}
