//! A score as an integer part and a fraction in units of time: [`Parts`].

use std::ops::RangeInclusive;

use crate::countdown::Unit;
use crate::error::DecodeError;
use crate::number::{EXACT_MAX, exact, spacing, whole};
use crate::uncertainty::Uncertainty;

/// The error that the arithmetic of writers may add to the rounding error, in units.
const ARITHMETIC_UNITS: f64 = 0.05;

/// Returns the scores at which a fraction distinguishes this many units.
pub(crate) fn exact_scores(units_of_one: i64) -> RangeInclusive<i64> {
    // Up to 2^k, adjacent doubles differ by at most 2^(k-53), and half of that is the rounding error. The division and
    // the multiplication that reverts it add about 2^-53. The sum has to be below half a unit.
    let is_exact =
        |power: &u32| i128::from(units_of_one) * ((1 << power) + 4) < i128::from(EXACT_MAX);
    let powers = 0..EXACT_MAX.ilog2();
    match powers.take_while(is_exact).last() {
        Some(power) => -(1 << power)..=(1 << power) - 1,
        None => 0..=0,
    }
}

/// The parts of a score.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) whole: i128,
    pub(crate) units: i64,
    /// The maximum error of the units, if they are uncertain.
    off_by_units: Option<f64>,
    /// Whether the fraction may have been rounded up to the next whole part.
    is_carried: bool,
}

impl Parts {
    /// Reads the fraction in units of 1/`units_of_one`.
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
        // A time between two units was written with fewer digits, or by another encoding.
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
        reason = "positive; the conversion saturates"
    )]
    pub(crate) fn uncertainty(&self, unit: Unit) -> Option<Uncertainty> {
        if self.is_carried {
            return Some(Uncertainty::Score);
        }
        let millis = |units: f64| (units * exact(unit.millis())).ceil() as u64;
        let within_ms = millis(self.off_by_units?);
        Some(Uncertainty::Time { within_ms })
    }
}
