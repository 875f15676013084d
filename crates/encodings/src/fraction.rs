//! `score + (base − time)/base`, with a far base time: [`Fraction`].
//!
//! The integer part is the score. The fraction, below 1, is greater for earlier times. The greater the score, the fewer
//! bits the fraction has: one unit of time is `1/base`, and two times can be distinguished only while adjacent doubles
//! near the score differ by less. With base 317242022400 (the year 12023, in seconds) that ends at a score of 16384,
//! with 4102415999 (the year 2099) at 2097152. At greater scores, a decoded time is as accurate as the double allows:
//! half the spacing of doubles times the base, ±37 s at a score of 1987770 with the first base.

use board::Timestamp;

use crate::countdown::{Countdown, Unit};
use crate::error::{DecodeError, EncodeError};
use crate::number::exact;
use crate::parts::{self, Parts};
use crate::range::Range;
use crate::uncertainty::Uncertainty;

/// `fraction(base=317242022400, unit=s)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fraction {
    pub(crate) countdown: Countdown,
}

impl Fraction {
    /// Creates an encoding with this base, in units since 1970.
    pub(crate) fn new(base: i64, unit: Unit) -> Self {
        let countdown = Countdown {
            until: base,
            unit,
            least: 1,
            most: base - 1,
        };
        Self { countdown }
    }

    fn base(&self) -> i64 {
        self.countdown.until
    }

    pub(crate) fn range(&self) -> Range {
        Range {
            values: vec![parts::exact_scores(self.base())],
            times: Some((self.countdown.earliest(), self.countdown.latest())),
            unit: self.countdown.unit,
        }
    }

    pub(crate) fn encode(&self, value: i64, at: Timestamp) -> Result<f64, EncodeError> {
        self.range().check(0, value)?;
        let left = exact(self.countdown.left(at)?);
        Ok(exact(value) + left / exact(self.base()))
    }

    pub(crate) fn decode(
        &self,
        score: f64,
    ) -> Result<(i128, Option<Timestamp>, Option<Uncertainty>), DecodeError> {
        let parts = Parts::of(score, self.base())?;
        // A score without a fraction was written without a time, and is read after all scores with one.
        let at = match parts.units {
            0 => None,
            units => Some(self.countdown.moment(units)?),
        };
        Ok((parts.whole, at, parts.uncertainty(self.countdown.unit)))
    }
}
