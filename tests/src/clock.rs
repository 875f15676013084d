//! Moments, as requests write them. Worked out here, without the service's calendar.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds of a minute.
pub const MINUTE_MS: i64 = 60_000;
/// Milliseconds of an hour.
pub const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Milliseconds of a day.
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// Epoch milliseconds now, by this machine's clock, which is the server's.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// `2026-11-20`, in UTC.
pub fn date(ms: i64) -> String {
    // Days to civil dates, as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
    let days = ms.div_euclid(DAY_MS) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-11-20T14:52:22.123Z`.
pub fn rfc3339(ms: i64) -> String {
    let of_day = ms.rem_euclid(DAY_MS);
    let (hour, minute) = (of_day / HOUR_MS, of_day / MINUTE_MS % 60);
    let (second, milli) = (of_day / 1000 % 60, of_day % 1000);
    format!("{}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z", date(ms))
}
