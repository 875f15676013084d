//! RFC 3339: a strict parser and a fast writer, both of microseconds. Responses with thousands of entries contain
//! thousands of `reached_at`.
//!
//! Not here: which years are accepted.

use super::civil::{DAY_MS, Date, HOUR_MS, MINUTE_MS, SECOND_MS};
use super::text::number;

/// 0000-01-01T00:00:00.000000Z to 9999-12-31T23:59:59.999999Z: the range of a four-digit year.
const WRITABLE_US: (i64, i64) = (-62_167_219_200_000_000, 253_402_300_799_999_999);

const DAY_US: i64 = DAY_MS * 1_000;

/// Why a text is not a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// A date and time of day without an offset.
    NoOffset,
    /// Any other error.
    Malformed,
}

/// Returns the epoch microseconds of `2026-11-20T14:52:22.123456+08:00`. As the RFC allows, `t` and
/// `z` may be lower case, and a space may replace the `T`.
pub(super) fn parse(text: &[u8]) -> Result<i64, Fault> {
    let (date_and_time, rest) = text.split_at_checked(19).ok_or(Fault::Malformed)?;
    let local = date_and_time_of(date_and_time).ok_or(Fault::Malformed)?;
    let (fraction_us, rest) = fraction_of(rest).ok_or(Fault::Malformed)?;
    let offset = match rest {
        [] => return Err(Fault::NoOffset),
        [b'Z' | b'z'] => 0,
        _ => offset_of(rest).ok_or(Fault::Malformed)?,
    };
    let is_leap_second = date_and_time.ends_with(b":60");
    let utc = local - offset;
    if !is_leap_second {
        Ok(utc * 1_000 + fraction_us)
    } else if utc.rem_euclid(DAY_MS) == 0 {
        // Epoch time has no leap seconds. The last microsecond before it stays in the same day.
        Ok(utc * 1_000 - 1)
    } else {
        Err(Fault::Malformed)
    }
}

/// Returns the local milliseconds of `2026-11-20T14:52:22`. A second may be 60.
fn date_and_time_of(text: &[u8]) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    let [b'T' | b't' | b' ', h1, h2, b':', m1, m2, b':', s1, s2] = *time else {
        return None;
    };
    let (year, month, day) = date_fields(date)?;
    let days = Date::new(year, month, day)?.days();
    let hour = number(&[h1, h2]).filter(|hour| *hour < 24)?;
    let minute = number(&[m1, m2]).filter(|minute| *minute < 60)?;
    let second = number(&[s1, s2]).filter(|second| *second <= 60)?;
    Some(days * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS)
}

/// Returns the whole microseconds of `.1234567`, if present, and the text after it.
fn fraction_of(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some(text) = text.strip_prefix(b".") else {
        return Some((0, text));
    };
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length)?;
    let kept = digits.get(..6).unwrap_or(digits);
    let missing = u32::try_from(6 - kept.len()).ok()?;
    Some((number(kept)? * 10_i64.pow(missing), rest))
}

/// Returns year, month and day of `2026-11-20`, without checking that the date exists.
pub(crate) fn date_fields(text: &[u8]) -> Option<(i64, i64, i64)> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else {
        return None;
    };
    Some((
        number(&[y1, y2, y3, y4])?,
        number(&[m1, m2])?,
        number(&[d1, d2])?,
    ))
}

/// Returns the milliseconds of an offset such as `+08:00`.
pub(crate) fn offset_of(text: &[u8]) -> Option<i64> {
    let [sign, h1, h2, b':', m1, m2] = *text else {
        return None;
    };
    let hours = number(&[h1, h2]).filter(|hours| *hours < 24)?;
    let minutes = number(&[m1, m2]).filter(|minutes| *minutes < 60)?;
    let offset = hours * HOUR_MS + minutes * MINUTE_MS;
    match sign {
        b'+' => Some(offset),
        b'-' => Some(-offset),
        _ => None,
    }
}

/// Writes `2026-11-20T14:52:22.123456Z`, or the nearest moment that can be written so.
#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "no number is negative, and none but the microseconds of a day larger than a year"
)]
pub(super) fn write(us: i64) -> [u8; 27] {
    let (first, last) = WRITABLE_US;
    // Since the year 0, so that the divisions are those of unsigned numbers.
    let us = (us.clamp(first, last) - first) as u64;
    let days = (us / DAY_US as u64).cast_signed() + first / DAY_US;
    let of_day = us % DAY_US as u64;
    let Date { year, month, day } = Date::from_days(days);
    let (second, micro) = ((of_day / 1_000_000) as u32, (of_day % 1_000_000) as u32);
    let year = year as u32;
    let mut text = *b"0000-00-00T00:00:00.000000Z";
    for (at, number) in [
        (0, year / 100),
        (2, year % 100),
        (5, month as u32),
        (8, day as u32),
        (11, second / 3600),
        (14, second / 60 % 60),
        (17, second % 60),
        (20, micro / 10_000),
        (22, micro / 100 % 100),
        (24, micro % 100),
    ] {
        text[at..at + 2].copy_from_slice(&DIGITS[number as usize]);
    }
    text
}

/// The digits of the numbers below 100.
const DIGITS: [[u8; 2]; 100] = {
    let mut digits = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        digits[number as usize] = [b'0' + number / 10, b'0' + number % 10];
        number += 1;
    }
    digits
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(us: i64) -> String {
        String::from_utf8(write(us).to_vec()).unwrap()
    }

    #[test]
    fn parses_every_form() {
        let expected = 1_795_186_342_123_456;
        for text in [
            "2026-11-20T14:52:22.123456Z",
            "2026-11-20t14:52:22.123456z",
            "2026-11-20 14:52:22.123456Z",
            "2026-11-20T14:52:22.1234569999999999999999Z",
            "2026-11-20T22:52:22.123456+08:00",
            "2026-11-20T11:22:22.123456-03:30",
            "2026-11-21T00:00:22.123456+09:08",
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(expected), "{text}");
        }
        for (text, us) in [
            ("2026-11-20T14:52:22Z", 0),
            ("2026-11-20T14:52:22.1Z", 100_000),
            ("2026-11-20T14:52:22.12Z", 120_000),
            ("2026-11-20T14:52:22.123Z", 123_000),
            ("2026-11-20T14:52:22.12345Z", 123_450),
        ] {
            assert_eq!(
                parse(text.as_bytes()),
                Ok(1_795_186_342_000_000 + us),
                "{text}"
            );
        }
        assert_eq!(
            parse(b"1969-12-31T23:59:59.9999999Z"),
            Ok(-1),
            "rounds down, before the epoch too"
        );
    }

    #[test]
    fn rejects_similar_texts() {
        for text in [
            "",
            "2026-11-20",
            "2026-11-20T14:52Z",
            "2026-11-20T14:52:22.Z",
            "2026-11-20T14:52:22,5Z",
            "2026-11-20T14:52:22Z ",
            "2026-11-20T14:52:22+08",
            "2026-11-20T14:52:22+0800",
            "2026-11-20T14:52:22+24:00",
            "2026-11-20T14:52:22+08:60",
            "2026-11-20T14:52:22 08:00",
            "2026-11-20T14:52:22Z[UTC]",
            "2026-11-20T24:00:00Z",
            "2026-11-20T14:60:00Z",
            "2026-11-20T14:52:61Z",
            "2026-11-20T14:52:60Z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-1-01T00:00:000Z",
            "+026-11-20T14:52:22Z",
            "20261120T145222Z0000",
            "2026-11-20T14:52:2éZ",
        ] {
            assert_eq!(parse(text.as_bytes()), Err(Fault::Malformed), "{text}");
        }
        for text in ["2026-11-20T14:52:22", "2026-11-20 14:52:22.123"] {
            assert_eq!(parse(text.as_bytes()), Err(Fault::NoOffset), "{text}");
        }
    }

    #[test]
    fn a_leap_second_stays_in_its_day() {
        let before = parse(b"2016-12-31T23:59:59.999999Z");
        assert!(before.is_ok());
        assert_eq!(parse(b"2016-12-31T23:59:60Z"), before);
        assert_eq!(parse(b"2016-12-31T18:59:60.5-05:00"), before);
        assert_eq!(parse(b"2016-12-31T23:59:60-05:00"), Err(Fault::Malformed));
    }

    #[test]
    fn writes_the_nearest_moment_outside_of_the_years() {
        assert_eq!(written(i64::MAX), "9999-12-31T23:59:59.999999Z");
        assert_eq!(written(i64::MIN), "0000-01-01T00:00:00.000000Z");
        assert_eq!(written(-1), "1969-12-31T23:59:59.999999Z");
    }

    proptest! {
        #[test]
        fn writes_like_jiff(us in -62_167_219_200_000_000_i64..253_402_207_200_000_000) {
            let jiff = jiff::Timestamp::from_microsecond(us).unwrap();
            prop_assert_eq!(written(us), format!("{jiff:.6}"));
        }

        #[test]
        fn parses_what_it_writes(us in WRITABLE_US.0..=WRITABLE_US.1) {
            prop_assert_eq!(parse(&write(us)), Ok(us));
        }

        #[test]
        fn parses_like_jiff(
            us in 94_694_400_000_000_i64..253_402_207_200_000_000,
            offset_minutes in -1_439_i32..1_439,
            digits in 0_u8..=9,
        ) {
            let offset = jiff::tz::Offset::from_seconds(offset_minutes * 60).unwrap();
            let moment = jiff::Timestamp::from_microsecond(us).unwrap();
            let local = offset.to_datetime(moment);
            let (sign, minutes) =
                (if offset_minutes < 0 { '-' } else { '+' }, offset_minutes.unsigned_abs());
            let text = format!(
                "{local:.precision$}{sign}{:02}:{:02}",
                minutes / 60,
                minutes % 60,
                precision = usize::from(digits),
            );
            let unit = 10_i64.pow(6 - u32::from(digits.min(6)));
            prop_assert_eq!(parse(text.as_bytes()), Ok(us.div_euclid(unit) * unit), "{}", text);
        }
    }
}
