//! The score in the upper decimal digits, the time in the lower ones: [`Decimal`].
//!
//! `score · 10^digits + (until − time)`, an integer. With ten digits of seconds, scores up to
//! 900718 stay below 2^53; with thirteen of milliseconds up to 899.

use board::Timestamp;

use crate::countdown::{Countdown, Unit};
use crate::error::{DecodeError, EncodeError};
use crate::number::{EXACT_MAX, exact, lost_bits, whole};
use crate::range::Range;
use crate::uncertainty::Uncertainty;

/// Maximum digits of the time, which leave at least one digit to the score.
pub(crate) const DIGITS_MAX: u32 = 15;

/// `decimal(digits=10, until=9999999999, unit=s)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    pub(crate) digits: u32,
    pub(crate) countdown: Countdown,
}

impl Decimal {
    /// Creates a split with `digits` for the time left until `until`, in units since 1970.
    pub(crate) fn new(digits: u32, until: i64, unit: Unit) -> Self {
        let countdown = Countdown {
            until,
            unit,
            least: 0,
            most: 10_i64.pow(digits) - 1,
        };
        Self { digits, countdown }
    }

    fn step(&self) -> i64 {
        10_i64.pow(self.digits)
    }

    pub(crate) fn range(&self) -> Range {
        let most = (EXACT_MAX - (self.step() - 1)) / self.step();
        Range {
            values: vec![-(EXACT_MAX / self.step())..=most],
            times: Some((self.countdown.earliest(), self.countdown.latest())),
            unit: self.countdown.unit,
        }
    }

    pub(crate) fn encode(&self, value: i64, at: Timestamp) -> Result<f64, EncodeError> {
        self.range().check(0, value)?;
        Ok(exact(value * self.step() + self.countdown.left(at)?))
    }

    pub(crate) fn decode(
        &self,
        score: f64,
    ) -> Result<(i128, Option<Timestamp>, Option<Uncertainty>), DecodeError> {
        let packed = whole(score)?;
        let step = i128::from(self.step());
        let left = i64::try_from(packed.rem_euclid(step)).expect("below 10^15");
        let at = self.countdown.moment(left)?;
        let lost = lost_bits(score);
        let uncertainty = (lost > 0).then_some(Uncertainty::LowBits { bits: lost });
        Ok((packed.div_euclid(step), Some(at), uncertainty))
    }
}
