//! The score, a point, and the time left, `score.deltaTs`: [`TimeLeft`].
//!
//! After the point is the time left of an activity in seconds, padded to the digits of its length: ten days are 864000
//! seconds, six digits. As other services do, the text is parsed as a double. Six digits can be distinguished up to a
//! score of 2^33 − 1.

use board::Timestamp;

use crate::countdown::{Countdown, Unit};
use crate::error::{DecodeError, EncodeError};
use crate::number::exact;
use crate::parts::{self, Parts};
use crate::range::Range;
use crate::uncertainty::Uncertainty;

/// `time-left(ends=1765324800, digits=6, unit=s)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLeft {
    pub(crate) digits: u32,
    pub(crate) countdown: Countdown,
}

impl TimeLeft {
    /// Creates an encoding for an activity that ends at `ends`, in units since 1970, with `digits`
    /// for the time left.
    pub(crate) fn new(ends: i64, digits: u32, unit: Unit) -> Self {
        let countdown = Countdown {
            until: ends,
            unit,
            least: 0,
            most: 10_i64.pow(digits) - 1,
        };
        Self { digits, countdown }
    }

    fn units_of_one(&self) -> i64 {
        10_i64.pow(self.digits)
    }

    pub(crate) fn range(&self) -> Range {
        let most = *parts::exact_scores(self.units_of_one()).end();
        Range {
            // The fraction of a negative score would order in the wrong direction.
            values: vec![0..=most],
            times: Some((self.countdown.earliest(), self.countdown.latest())),
            unit: self.countdown.unit,
        }
    }

    pub(crate) fn encode(&self, value: i64, at: Timestamp) -> Result<f64, EncodeError> {
        self.range().check(0, value)?;
        let left = self.countdown.left(at)?;
        let width = self.digits as usize;
        let text = format!("{value}.{left:0width$}");
        Ok(text.parse().expect("digits, a point, digits"))
    }

    pub(crate) fn decode(
        &self,
        score: f64,
    ) -> Result<(i128, Option<Timestamp>, Option<Uncertainty>), DecodeError> {
        if score < 0.0 {
            return Err(DecodeError::Outside {
                score,
                min: 0.0,
                max: exact(board::limits::VALUE_MAX),
            });
        }
        let parts = Parts::of(score, self.units_of_one())?;
        let at = self.countdown.moment(parts.units)?;
        Ok((
            parts.whole,
            Some(at),
            parts.uncertainty(self.countdown.unit),
        ))
    }
}
