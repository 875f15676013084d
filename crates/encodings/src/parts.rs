//! A score that is a whole part and a fraction of units of time: [`Parts`].

use std::ops::RangeInclusive;

use crate::countdown::Unit;
use crate::encoding::Doubt;
use crate::error::DecodeError;
use crate::number::{EXACT_MAX, exact, spacing, whole};

/// What the arithmetic of writers may add to what rounding takes, in units.
const ARITHMETIC_UNITS: f64 = 0.05;

/// The scores beside which a fraction tells so many units apart.
pub(crate) fn exact_scores(units_of_one: i64) -> RangeInclusive<i64> {
    // Up to 2^k doubles lie at most 2^(k-53) apart, and half of that is rounded away; the division and
    // the multiplication that undoes it take some 2^-53 more. All that has to stay below half a unit.
    let holds = |power: &u32| i128::from(units_of_one) * ((1 << power) + 4) < i128::from(EXACT_MAX);
    let powers = 0..EXACT_MAX.ilog2();
    match powers.take_while(holds).last() {
        Some(power) => -(1 << power)..=(1 << power) - 1,
        None => 0..=0,
    }
}

/// What a score comes to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) whole: i128,
    pub(crate) units: i64,
    /// How far the units may be from what was written, where that is not sure.
    off_by_units: Option<f64>,
    /// Whether the fraction may have been rounded up to the next whole part.
    is_carried: bool,
}

impl Parts {
    /// Reads a fraction of 1 as one of so many units.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number of at most 2^53"
    )]
    pub(crate) fn of(score: f64, units_of_one: i64) -> Result<Self, DecodeError> {
        let floor = score.floor();
        let units = (score - floor) * exact(units_of_one);
        let rounded = units.round();
        let residue = (units - rounded).abs();
        let from_rounding = spacing(score) / 2.0 * exact(units_of_one);
        // A time between two units was written with fewer digits, or by other rules than these.
        let is_between = residue > 2.0 * from_rounding + ARITHMETIC_UNITS;
        let is_unsure = is_between || from_rounding >= 0.5;
        Ok(Self {
            whole: whole(floor)?,
            units: rounded as i64,
            off_by_units: is_unsure.then_some(residue.max(from_rounding)),
            is_carried: from_rounding >= 0.5 && units <= from_rounding,
        })
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive; what is too much saturates"
    )]
    pub(crate) fn doubt(&self, unit: Unit) -> Option<Doubt> {
        if self.is_carried {
            return Some(Doubt::Score);
        }
        let millis = |units: f64| (units * exact(unit.millis())).ceil() as u64;
        let within_ms = millis(self.off_by_units?);
        Some(Doubt::Time { within_ms })
    }
}
