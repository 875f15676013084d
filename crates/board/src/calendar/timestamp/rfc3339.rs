//! RFC 3339: a strict parser and a fast writer, both of microseconds. Responses with thousands of entries contain
//! thousands of `reached_at`.
//!
//! Not here: which years are accepted.

use jiff::civil::DateTime;

use super::civil::{CYCLE_DAYS, DAY_MS, parse_offset, since_epoch};
use super::text::has_form;

/// The forms of a local time, to the second.
const LOCAL: [&str; 3] = [
    "0000-00-00T00:00:00",
    "0000-00-00t00:00:00",
    "0000-00-00 00:00:00",
];

/// 0000-01-01T00:00:00.000000Z to 9999-12-31T23:59:59.999999Z: the range of a four-digit year.
const WRITABLE_US: (i64, i64) = (-62_167_219_200_000_000, 253_402_300_799_999_999);

const SECOND_US: i64 = 1_000_000;
const DAY_US: i64 = DAY_MS * 1_000;

/// Why a text is not a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TextError {
    /// A date and time of day without an offset.
    NoOffset,
    /// Any other error.
    Malformed,
}

/// Returns the epoch microseconds of `2026-11-20T14:52:22.123456+08:00`. As the RFC allows, `t` and
/// `z` may be lower case, and a space may replace the `T`.
///
/// jiff would accept more forms, and reject the last day of 9999. So the form is checked here, and jiff parses
/// the local time.
pub(super) fn parse(text: &str) -> Result<i64, TextError> {
    let (second, rest) = text.split_at_checked(19).ok_or(TextError::Malformed)?;
    if !LOCAL.iter().any(|form| has_form(second, form)) {
        return Err(TextError::Malformed);
    }
    let fraction = rest.strip_prefix('.').map_or(0, |rest| {
        1 + rest.bytes().take_while(u8::is_ascii_digit).count()
    });
    // Six digits at most: the rest is dropped.
    let local = text[..second.len() + fraction.min(7)].parse::<DateTime>();
    let local = since_epoch(local.map_err(|_| TextError::Malformed)?);
    let offset_ms = match &rest[fraction..] {
        "" => return Err(TextError::NoOffset),
        "Z" | "z" => 0,
        offset => parse_offset(offset).ok_or(TextError::Malformed)?,
    };
    let us = local.as_secs() * SECOND_US + i64::from(local.subsec_micros()) - offset_ms * 1_000;
    if !second.ends_with(":60") {
        return Ok(us);
    }
    // Epoch time has no leap seconds, and jiff reads one as the second before it. The last microsecond before it stays
    // in the same day.
    let next = us - us.rem_euclid(SECOND_US) + SECOND_US;
    match next.rem_euclid(DAY_US) {
        0 => Ok(next - 1),
        _ => Err(TextError::Malformed),
    }
}

/// Writes `2026-11-20T14:52:22.123456Z`, or the nearest moment that can be written so.
///
/// Not by jiff: its printer takes 720 instructions more for each time, and its dates alone 150 more, where a whole
/// request for a page of 100 entries takes 150,000.
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
    let (year, month, day) = date_of(days);
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

/// Returns the year, month and day so many days after 1970-01-01, from the year 0 on.
///
/// Uses multiplications and shifts in place of most divisions, after Neri and Schneider,
/// "Euclidean affine functions and their application to calendar algorithms" (2023), figure 12.
const fn date_of(days: i64) -> (i64, i64, i64) {
    // Since 0000-03-01, a cycle earlier: so that nothing is negative, and the leap day comes last.
    let quarters = 4 * (days + 719_468 + CYCLE_DAYS) + 3;
    let century = quarters / CYCLE_DAYS;
    let scaled = 2_939_745 * ((quarters % CYCLE_DAYS) | 3);
    let year_of_century = scaled >> 32;
    let of_year = (scaled & 0xffff_ffff) / 2_939_745 / 4;
    let month_and_day = 2_141 * of_year + 197_913;
    let month = month_and_day >> 16;
    let day = (month_and_day & 0xffff) / 2_141 + 1;
    let year = 100 * century + year_of_century - 400;
    // January and February are months 13 and 14 of the previous year.
    if month > 12 {
        (year + 1, month - 12, day)
    } else {
        (year, month, day)
    }
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
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
        for (text, us) in [
            ("2026-11-20T14:52:22Z", 0),
            ("2026-11-20T14:52:22.1Z", 100_000),
            ("2026-11-20T14:52:22.12Z", 120_000),
            ("2026-11-20T14:52:22.123Z", 123_000),
            ("2026-11-20T14:52:22.12345Z", 123_450),
        ] {
            assert_eq!(parse(text), Ok(1_795_186_342_000_000 + us), "{text}");
        }
        assert_eq!(
            parse("1969-12-31T23:59:59.9999999Z"),
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
            assert_eq!(parse(text), Err(TextError::Malformed), "{text}");
        }
        assert_eq!(parse("2026-11-31T14:52:22"), Err(TextError::Malformed));
        for text in ["2026-11-20T14:52:22", "2026-11-20 14:52:22.123"] {
            assert_eq!(parse(text), Err(TextError::NoOffset), "{text}");
        }
    }

    #[test]
    fn a_leap_second_stays_in_its_day() {
        let before = parse("2016-12-31T23:59:59.999999Z");
        assert!(before.is_ok());
        assert_eq!(parse("2016-12-31T23:59:60Z"), before);
        assert_eq!(parse("2016-12-31T18:59:60.5-05:00"), before);
        assert_eq!(
            parse("2016-12-31T23:59:60-05:00"),
            Err(TextError::Malformed)
        );
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
            prop_assert_eq!(parse(&written(us)), Ok(us));
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
            prop_assert_eq!(parse(&text), Ok(us.div_euclid(unit) * unit), "{}", text);
        }
    }
}
