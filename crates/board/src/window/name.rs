//! The names of windows: `day:2026-11-20`. Written here, parsed by `selector`.

use super::{Calendar, Period, Window};
use crate::timestamp::civil::{DAY_MS, Date, HOUR_MS, MINUTE_MS, iso_week, monday_of};

impl Calendar {
    /// Returns the name of a window of this calendar, by its local date:
    /// `hour:2026-11-20T14+08:00`, `day:2026-11-20`, `week:2026-W47`, `month:2026-11`, `all`.
    ///
    /// An hour always has its offset, since the same local hour may occur twice.
    #[must_use]
    pub fn name(&self, window: Window) -> String {
        let (local, offset) = self.local_at(window.start());
        let days = local.div_euclid(DAY_MS);
        let Date { year, month, day } = Date::from_days(days);
        match window.period() {
            Period::Hour => {
                let hour = local.rem_euclid(DAY_MS) / HOUR_MS;
                format!(
                    "hour:{year:04}-{month:02}-{day:02}T{hour:02}{}",
                    offset_text(offset)
                )
            }
            Period::Day => format!("day:{year:04}-{month:02}-{day:02}"),
            Period::Week => {
                let (year, week) = iso_week(monday_of(days));
                format!("week:{year:04}-W{week:02}")
            }
            Period::Month => format!("month:{year:04}-{month:02}"),
            Period::All => "all".to_owned(),
        }
    }
}

/// Formats an offset in milliseconds as `+08:00`.
pub(super) fn offset_text(offset: i64) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let (hours, minutes) = (offset.abs() / HOUR_MS, offset.abs() / MINUTE_MS % 60);
    format!("{sign}{hours:02}:{minutes:02}")
}

#[cfg(test)]
mod tests {
    use crate::{Calendar, Period, Timestamp};

    fn names(zone: &str, at: &str) -> [String; 5] {
        let calendar = Calendar::new(zone).unwrap();
        let at = Timestamp::parse_rfc3339(at).unwrap();
        Period::ALL_PERIODS.map(|period| calendar.name(calendar.span_at(period, at).window))
    }

    #[test]
    fn windows_are_named_by_their_local_date() {
        assert_eq!(
            names("UTC", "2026-11-20T14:52:22.123Z"),
            [
                "hour:2026-11-20T14+00:00",
                "day:2026-11-20",
                "week:2026-W47",
                "month:2026-11",
                "all"
            ]
        );
        assert_eq!(
            names("Asia/Shanghai", "2026-11-20T06:52:22Z")[0],
            "hour:2026-11-20T14+08:00"
        );
        assert_eq!(
            names("America/New_York", "2013-01-15T12:30:00Z")[0],
            "hour:2013-01-15T07-05:00"
        );
        assert_eq!(
            names("America/New_York", "2013-01-14T04:59:59Z"),
            [
                "hour:2013-01-13T23-05:00",
                "day:2013-01-13",
                "week:2013-W02",
                "month:2013-01",
                "all"
            ]
        );
        assert_eq!(
            names("America/St_Johns", "2026-12-31T12:00:00Z")[0],
            "hour:2026-12-31T08-03:30"
        );
    }

    #[test]
    fn weeks_belong_to_the_year_of_their_thursday() {
        for (date, week) in [
            ("2020-12-31", "week:2020-W53"),
            ("2021-01-03", "week:2020-W53"),
            ("2021-01-04", "week:2021-W01"),
            ("2024-12-29", "week:2024-W52"),
            ("2024-12-30", "week:2025-W01"),
            ("2026-12-28", "week:2026-W53"),
            ("2027-01-03", "week:2026-W53"),
            ("2024-02-29", "week:2024-W09"),
        ] {
            assert_eq!(
                names("UTC", &format!("{date}T23:59:59.999Z"))[2],
                week,
                "{date}"
            );
        }
    }

    #[test]
    fn the_ends_of_time_have_names() {
        let tokyo = names("Asia/Tokyo", "9999-12-31T23:59:59.999Z");
        assert_eq!(tokyo[..2], ["hour:9999-12-31T23+09:00", "day:9999-12-31"]);
        let new_york = names("America/New_York", "1973-01-01T00:00:00Z");
        assert_eq!(
            new_york[..4],
            [
                "hour:1972-12-31T19-05:00",
                "day:1972-12-31",
                "week:1972-W52",
                "month:1972-12"
            ]
        );
    }
}
