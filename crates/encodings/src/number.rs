//! Integers in doubles: their limits, and the spacing of doubles.

use board::limits::VALUE_MAX;

use crate::error::DecodeError;

/// The greatest integer up to which every integer has a double of its own: 2^53.
pub(crate) const EXACT_MAX: i64 = VALUE_MAX + 1;

/// The limit of packed integers, signed or unsigned 64-bit: 2^64.
const WHOLE_MAX: f64 = 18_446_744_073_709_551_616.0;

/// Returns the distance from a finite double to the next one away from zero.
pub(crate) fn spacing(number: f64) -> f64 {
    let size = number.abs();
    f64::from_bits(size.to_bits() + 1) - size
}

/// Returns how many low bits of an integer its double does not represent.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the logarithm of a power of two of at least 1"
)]
pub(crate) fn lost_bits(number: f64) -> u32 {
    // 2^53 may be the rounded 2^53 + 1.
    spacing(number).max(1.0).log2() as u32
}

/// Converts a double to an integer.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number within 65 bits"
)]
pub(crate) fn whole(score: f64) -> Result<i128, DecodeError> {
    if score.fract() != 0.0 {
        return Err(DecodeError::Fraction(score));
    }
    if score.abs() >= WHOLE_MAX {
        return Err(DecodeError::Outside {
            score,
            min: -WHOLE_MAX,
            max: WHOLE_MAX,
        });
    }
    Ok(score as i128)
}

/// Converts an integer to a double that represents it exactly.
#[expect(
    clippy::cast_precision_loss,
    reason = "callers keep to ±2^53, where no precision is lost"
)]
pub(crate) const fn exact(number: i64) -> f64 {
    number as f64
}

/// Parses a score as Redis prints it, with 17 significant digits.
pub(crate) fn of_text(text: &[u8]) -> Result<f64, DecodeError> {
    let wrong = || DecodeError::Number(String::from_utf8_lossy(text).chars().take(40).collect());
    // Rust also parses `inf` and `nan`, and Redis hexadecimal digits.
    let is_plain = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    if !text.iter().all(is_plain) {
        return Err(wrong());
    }
    let text = str::from_utf8(text).map_err(|_| wrong())?;
    let number: f64 = text.parse().map_err(|_| wrong())?;
    if number.is_finite() {
        Ok(number)
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bits_are_lost_from_two_to_the_53_on() {
        let two_53 = exact(EXACT_MAX);
        assert_eq!(lost_bits(two_53 - 1.0), 0);
        assert_eq!(lost_bits(two_53), 1);
        assert_eq!(lost_bits(two_53 * 2.0), 2);
        assert_eq!(lost_bits(9.2e18), 10);
        assert_eq!(lost_bits(1.0), 0);
    }

    #[test]
    fn texts_are_finite_decimal_numbers() {
        assert_eq!(of_text(b"2500.9947070579892"), Ok(2_500.994_707_057_989));
        assert_eq!(of_text(b"1e+20"), Ok(1e20));
        assert_eq!(of_text(b"-3"), Ok(-3.0));
        for wrong in ["inf", "-inf", "nan", "0x10", "", "1e999", "1 ", "é"] {
            assert!(of_text(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
