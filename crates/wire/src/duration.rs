//! Durations as clients and configuration files write them: `48h`, `13months`, `200ms`.

use std::time::Duration;

use crate::error::{ShapeError, wrong};

/// Parses the duration of a setting.
pub(crate) fn duration(setting: &str, text: &str) -> Result<Duration, ShapeError> {
    humantime::parse_duration(text).map_err(|error| {
        wrong(
            setting,
            format!("{text:?} is not a duration such as 48h: {error}"),
        )
    })
}

/// Returns a duration in the largest unit that divides it: `13months`, `35d`, `200ms`.
pub(crate) fn duration_text(span: Duration) -> String {
    // As in `humantime`, a year is 365.25 days and a month is 30.44 days.
    const UNITS: [(&str, u128); 7] = [
        ("years", 31_557_600_000),
        ("months", 2_630_016_000),
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1000),
        ("ms", 1),
    ];
    let ms = span.as_millis();
    let unit = UNITS
        .iter()
        .find(|(_, unit_ms)| ms > 0 && ms.is_multiple_of(*unit_ms));
    unit.map_or_else(
        || "0s".to_owned(),
        |(name, unit_ms)| format!("{}{name}", ms / unit_ms),
    )
}
