//! Integers as people, spreadsheets and databases write them: [`parse`].

use board::limits::VALUE_MAX;

/// The number of digits of [`VALUE_MAX`].
const DIGITS_MAX: i64 = 16;

/// Why a text is not a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum IntegerError {
    /// It is not a number, or has a fraction.
    #[error("is not an integer")]
    NotInteger,
    /// It is beyond the range of values.
    #[error("is outside ±9007199254740991")]
    Outside,
}

/// Parses a number as JSON has it, which may also begin with `+` or zeros: `5`, `5.0`, `1.5E+3`. It is exact:
/// `1.25e1` is no integer.
pub fn parse(text: &str) -> Result<i64, IntegerError> {
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()),
        None => (number, Some(0)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    let exponent = exponent.filter(|_| is_digits(whole) && is_digits(fraction));
    let exponent = exponent.ok_or(IntegerError::NotInteger)?;
    // No text has so many digits.
    let exponent = exponent.clamp(i32::MIN.into(), i32::MAX.into());
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    let moved = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let zeros = exponent - moved(fraction.len()) + moved(digits.len() - significant.len());
    if zeros < 0 {
        return Err(IntegerError::NotInteger);
    }
    if moved(significant.len()) + zeros > DIGITS_MAX {
        return Err(IntegerError::Outside);
    }
    let zeros = u32::try_from(zeros).expect("at most 16");
    let size = significant.parse::<i64>().expect("at most 16 digits") * 10_i64.pow(zeros);
    if size > VALUE_MAX {
        return Err(IntegerError::Outside);
    }
    Ok(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_may_have_a_sign_a_point_and_an_exponent() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("0.000", 0),
            ("0e999", 0),
            ("0e99999999999", 0),
            ("+5", 5),
            ("007", 7),
            ("5.0", 5),
            ("-5.00", -5),
            ("1.5E+3", 1_500),
            ("1e3", 1_000),
            ("12300e-2", 123),
            ("9007199254740991", VALUE_MAX),
            ("-9.007199254740991e15", -VALUE_MAX),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_integers() {
        for text in [
            "", "-", "+", "+-5", "--5", "5.", ".5", "1e", "e3", "1e+-3", "1.5", "1.25e1", "1e-1",
            "0x10", " 5", "5 ", "1_000", "1'000", "1,000", "5,0", "٣", "inf", "NaN", "1.2.3",
        ] {
            assert_eq!(parse(text), Err(IntegerError::NotInteger), "{text}");
        }
        for text in [
            "9007199254740992",
            "-9223372036854775808",
            "1e16",
            "1e999",
            "1e2147483647",
        ] {
            assert_eq!(parse(text), Err(IntegerError::Outside), "{text}");
        }
    }
}
