//! Bit fields of one integer, including the binary split: [`Bits`].
//!
//! The first field is the most significant. The last may be a time, as the time left until a moment. `binary` is 21
//! bits of score above 32 bits of seconds. A double represents 53 bits: an integer of 64 bits loses its lowest bits as
//! soon as the first field needs its upper ones.

use board::{Timestamp, Value, Values};

use crate::countdown::{Countdown, Unit};
use crate::error::{DecodeError, EncodeError};
use crate::number::{exact, lost_bits, whole};
use crate::range::Range;
use crate::uncertainty::Uncertainty;

/// The width of a packed integer.
pub(crate) const PACKED_BITS_MAX: u32 = 64;

/// The width of the integers that a double represents exactly, and of values.
pub(crate) const EXACT_BITS: u32 = 53;

/// The seconds of `binary`: 32 bits.
const BINARY_UNTIL: i64 = (1 << 32) - 1;

/// `bits(22/22/20)`, `bits(22/41, until=2199023255551, unit=ms)`, `binary`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bits {
    /// The width of each field; the time's is last.
    pub(crate) widths: Vec<u32>,
    pub(crate) countdown: Option<Countdown>,
}

impl Bits {
    /// Returns the binary split.
    pub(crate) fn binary() -> Self {
        Self::new(vec![21, 32], Some((BINARY_UNTIL, Unit::Seconds)))
    }

    /// Creates fields of these widths. With `until`, in units since 1970, the last is a time.
    pub(crate) fn new(widths: Vec<u32>, until: Option<(i64, Unit)>) -> Self {
        let last = widths.last().copied().unwrap_or_default();
        let countdown = until.map(|(until, unit)| Countdown {
            until,
            unit,
            least: 0,
            most: (1 << last) - 1,
        });
        Self { widths, countdown }
    }

    /// Returns the number of values, without the time.
    pub(crate) fn fields(&self) -> usize {
        self.widths.len() - usize::from(self.countdown.is_some())
    }

    pub(crate) fn range(&self) -> Range {
        let mut bits_left = EXACT_BITS;
        let mut exact_widths: Vec<u32> = Vec::with_capacity(self.widths.len());
        for width in self.widths.iter().rev() {
            exact_widths.push(bits_left.min(*width));
            bits_left = bits_left.saturating_sub(*width);
        }
        exact_widths.reverse();
        let values = exact_widths[..self.fields()].iter();
        Range {
            values: values.map(|width| 0..=(1_i64 << width) - 1).collect(),
            times: self.countdown.map(|it| (it.earliest(), it.latest())),
            unit: self.countdown.map_or(Unit::default(), |it| it.unit),
        }
    }

    pub(crate) fn encode(&self, values: &[i64], at: Timestamp) -> Result<f64, EncodeError> {
        let range = self.range();
        let mut packed = 0;
        for (field, (value, width)) in values.iter().zip(&self.widths).enumerate() {
            range.check(field, *value)?;
            packed = (packed << width) | value;
        }
        if let (Some(countdown), Some(width)) = (&self.countdown, self.widths.last()) {
            packed = (packed << width) | countdown.left(at)?;
        }
        Ok(exact(packed))
    }

    pub(crate) fn decode(
        &self,
        score: f64,
    ) -> Result<(Values, Option<Timestamp>, Option<Uncertainty>), DecodeError> {
        let packed = whole(score)?;
        let bits: u32 = self.widths.iter().sum();
        if packed < 0 || packed >> bits != 0 {
            return Err(DecodeError::Outside {
                score,
                min: 0.0,
                max: 2_f64.powi(bits.cast_signed()) - 1.0,
            });
        }
        let mut remaining = packed;
        let mut fields = [0_i64; board::limits::FIELDS_MAX + 1];
        let used = &mut fields[..self.widths.len()];
        for (field, width) in used.iter_mut().zip(&self.widths).rev() {
            *field = i64::try_from(remaining & ((1 << width) - 1)).expect("at most 53 bits");
            remaining >>= width;
        }
        let mut values = Values::default();
        for (index, field) in fields[..self.fields()].iter().enumerate() {
            values.set(index, Value::new(*field).expect("at most 53 bits"));
        }
        let at = match &self.countdown {
            Some(countdown) => Some(countdown.moment(fields[self.fields()])?),
            None => None,
        };
        let lost = lost_bits(score);
        let uncertainty = (lost > 0).then_some(Uncertainty::LowBits { bits: lost });
        Ok((values, at, uncertainty))
    }
}
