//! Window selectors: what a request writes after `?window=`, and what of that is refused.
//!
//! The main type is [`WindowSelector`]. Reading is strict, each window has one text (but for an
//! hour's offset); what is near to one is answered with what was meant.

use super::calendar::days_around;
use super::name::offset_text;
use super::{Calendar, Period, Window};
use crate::Timestamp;
use crate::timestamp::civil::{DAY_MS, Date, HOUR_MS, iso_week_monday};
use crate::timestamp::rfc3339::{date_fields, offset_of};
use crate::timestamp::text::{excerpt, number};

/// A window as a request names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowSelector {
    /// Whichever window of this period is current when the request is answered.
    Current(Period),
    /// This window. `all` too: it is the same at any time.
    Named(Window),
}

impl WindowSelector {
    /// The window that is meant, by the calendar that read it.
    #[must_use]
    pub fn resolve(self, calendar: &Calendar, now: Timestamp) -> Window {
        match self {
            Self::Current(period) => calendar.span_at(period, now).window,
            Self::Named(window) => window,
        }
    }

    /// The period of the window that is meant.
    #[must_use]
    pub const fn period(self) -> Period {
        match self {
            Self::Current(period) => period,
            Self::Named(window) => window.period(),
        }
    }
}

impl Calendar {
    /// Reads a selector: `hour`, `day`, `week` or `month` for the current one, `all`, or the name
    /// of a window as [`Calendar::name`] writes it.
    ///
    /// An hour may leave out its offset where it comes only once. A space in place of the `+` is
    /// what a query string makes of it.
    pub fn parse(&self, selector: &str) -> Result<WindowSelector, SelectorError> {
        let (word, rest) = match selector.split_once(':') {
            Some((word, rest)) => (word, Some(rest.as_bytes())),
            None => (selector, None),
        };
        let unknown = |_| SelectorError::Unknown {
            selector: excerpt(selector),
        };
        let period: Period = word.parse().map_err(unknown)?;
        let refuse = |fault| match fault {
            Fault::Malformed => SelectorError::Malformed {
                selector: excerpt(selector),
                period,
                example: example(period),
            },
            Fault::NoSuchDate => SelectorError::NoSuchDate {
                selector: excerpt(selector),
            },
        };
        let window = match (period, rest) {
            (Period::All, None) => return Ok(WindowSelector::Named(Window::ALL_TIME)),
            (_, None) => return Ok(WindowSelector::Current(period)),
            (Period::Hour, Some(text)) => {
                let (local_hour, offset) = read_hour(text).map_err(refuse)?;
                self.hour(selector, local_hour, offset)?
            }
            (_, Some(text)) => self.days(
                selector,
                period,
                read_first_day(period, text).map_err(refuse)?,
            )?,
        };
        let end = self.span(window).end;
        if window.start() > Timestamp::LATEST || end.is_some_and(|end| end <= Timestamp::EARLIEST) {
            return Err(SelectorError::OutOfRange {
                selector: excerpt(selector),
            });
        }
        Ok(WindowSelector::Named(window))
    }

    /// The window of some whole days, by the first of them.
    fn days(
        &self,
        selector: &str,
        period: Period,
        first_day: i64,
    ) -> Result<Window, SelectorError> {
        let start = self.reaches(first_day * DAY_MS);
        // Where the clock skipped all of it, that is the start of a later one.
        let day = (start.millis() + self.offset_at(start)).div_euclid(DAY_MS);
        if days_around(period, day).0 != first_day {
            return Err(self.skipped(selector));
        }
        Ok(Window::starting_at(period, start))
    }

    /// The window of a local hour.
    fn hour(
        &self,
        selector: &str,
        local_hour: i64,
        offset: Option<i64>,
    ) -> Result<Window, SelectorError> {
        let occurrences: Vec<_> = self.hours(local_hour).collect();
        match (&occurrences[..], offset) {
            ([], _) => Err(self.skipped(selector)),
            ([(window, _)], None) => Ok(*window),
            ([(earlier, _), (later, _), ..], None) => Err(SelectorError::AmbiguousHour {
                selector: excerpt(selector),
                earlier: self.name(*earlier),
                later: self.name(*later),
            }),
            (_, Some(offset)) => occurrences
                .iter()
                .find(|(_, in_force)| *in_force == offset)
                .map(|(window, _)| *window)
                .ok_or_else(|| {
                    let offsets: Vec<_> = occurrences
                        .iter()
                        .map(|(_, offset)| offset_text(*offset))
                        .collect();
                    SelectorError::WrongOffset {
                        selector: excerpt(selector),
                        time_zone: self.time_zone().to_owned(),
                        in_force: offsets.join(" or "),
                    }
                }),
        }
    }

    fn skipped(&self, selector: &str) -> SelectorError {
        SelectorError::Skipped {
            selector: excerpt(selector),
            time_zone: self.time_zone().to_owned(),
        }
    }
}

/// What is wrong with a text, before any time zone is asked.
#[derive(Clone, Copy)]
enum Fault {
    Malformed,
    NoSuchDate,
}

/// Local milliseconds of `2026-11-20T14+08:00`, and its offset if it has one.
fn read_hour(text: &[u8]) -> Result<(i64, Option<i64>), Fault> {
    let (date, rest) = text.split_at_checked(10).ok_or(Fault::Malformed)?;
    let fields = date_fields(date).ok_or(Fault::Malformed)?;
    let [b'T', h1, h2, offset @ ..] = rest else {
        return Err(Fault::Malformed);
    };
    let hour = number(&[*h1, *h2])
        .filter(|hour| *hour < 24)
        .ok_or(Fault::Malformed)?;
    let offset = match offset {
        [] => None,
        [b'Z'] => Some(0),
        [b' ', digits @ ..] => Some(offset_of(&[b"+", digits].concat()).ok_or(Fault::Malformed)?),
        _ => Some(offset_of(offset).ok_or(Fault::Malformed)?),
    };
    Ok((day_of(fields)? * DAY_MS + hour * HOUR_MS, offset))
}

/// First day of the day `2026-11-20`, the week `2026-W47` or the month `2026-11`.
fn read_first_day(period: Period, text: &[u8]) -> Result<i64, Fault> {
    match (period, text) {
        (Period::Day, _) => day_of(date_fields(text).ok_or(Fault::Malformed)?),
        (Period::Week, [year @ .., b'-', b'W', w1, w2]) if year.len() == 4 => {
            let year = number(year).ok_or(Fault::Malformed)?;
            let week = number(&[*w1, *w2]).ok_or(Fault::Malformed)?;
            iso_week_monday(year, week).ok_or(Fault::NoSuchDate)
        }
        (Period::Month, [year @ .., b'-', m1, m2]) if year.len() == 4 => {
            let year = number(year).ok_or(Fault::Malformed)?;
            let month = number(&[*m1, *m2]).ok_or(Fault::Malformed)?;
            day_of((year, month, 1))
        }
        _ => Err(Fault::Malformed),
    }
}

fn day_of((year, month, day): (i64, i64, i64)) -> Result<i64, Fault> {
    Date::new(year, month, day)
        .map(Date::days)
        .ok_or(Fault::NoSuchDate)
}

fn example(period: Period) -> &'static str {
    match period {
        Period::Hour => "hour:2026-11-20T14+08:00",
        Period::Day => "day:2026-11-20",
        Period::Week => "week:2026-W47",
        Period::Month => "month:2026-11",
        Period::All => "all",
    }
}

/// Why a selector names no window.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorError {
    /// It does not begin with a period.
    #[error(
        "`{selector}` is no window: `hour`, `day`, `week`, `month` and `all` are accepted, and \
         names such as `hour:2026-11-20T14+08:00`, `day:2026-11-20`, `week:2026-W47`, \
         `month:2026-11`"
    )]
    Unknown {
        /// What was given.
        selector: String,
    },
    /// What follows the period is not in its form.
    #[error("`{selector}` is no window: one of period `{period}` is written `{example}`")]
    Malformed {
        /// What was given.
        selector: String,
        /// The period it begins with.
        period: Period,
        /// A window of that period.
        example: &'static str,
    },
    /// A date or week that is on no calendar.
    #[error("`{selector}` names a date that does not exist")]
    NoSuchDate {
        /// What was given.
        selector: String,
    },
    /// A day or hour that the local clock left out.
    #[error("`{selector}` does not exist in {time_zone}: its clock skipped it")]
    Skipped {
        /// What was given.
        selector: String,
        /// The time zone.
        time_zone: String,
    },
    /// An hour without an offset, in which the clock was set back.
    #[error("`{selector}` means two hours: name `{earlier}` or `{later}`")]
    AmbiguousHour {
        /// What was given.
        selector: String,
        /// Name of the first one.
        earlier: String,
        /// Name of the second one.
        later: String,
    },
    /// An hour with an offset that the local clock does not have then.
    #[error("`{selector}` does not exist in {time_zone}: its offset in that hour is {in_force}")]
    WrongOffset {
        /// What was given.
        selector: String,
        /// The time zone.
        time_zone: String,
        /// The offset that it has; `-04:00 or -05:00` where the hour comes twice.
        in_force: String,
    },
    /// No time that is accepted lies in it.
    #[error("`{selector}` lies outside the years 1973 to 9999")]
    OutOfRange {
        /// What was given.
        selector: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(zone: &str, selector: &str) -> Result<WindowSelector, SelectorError> {
        Calendar::new(zone).unwrap().parse(selector)
    }

    fn start(zone: &str, selector: &str) -> String {
        match parse(zone, selector) {
            Ok(WindowSelector::Named(window)) => window.start().to_string(),
            other => panic!("{selector} in {zone}: {other:?}"),
        }
    }

    fn refusal(zone: &str, selector: &str) -> String {
        parse(zone, selector).unwrap_err().to_string()
    }

    #[test]
    fn a_period_alone_is_the_current_window() {
        let calendar = Calendar::new("Asia/Shanghai").unwrap();
        let now = Timestamp::parse_rfc3339("2026-11-20T14:52:22.123Z").unwrap();
        for period in Period::ALL_PERIODS {
            let selector = calendar.parse(period.as_str()).unwrap();
            assert_eq!(selector.period(), period);
            assert_eq!(
                selector.resolve(&calendar, now),
                calendar.span_at(period, now).window
            );
        }
        assert_eq!(
            calendar.parse("day"),
            Ok(WindowSelector::Current(Period::Day))
        );
        assert_eq!(
            calendar.parse("all"),
            Ok(WindowSelector::Named(Window::ALL_TIME))
        );
    }

    #[test]
    fn a_name_is_that_window_at_any_time() {
        assert_eq!(
            start("Asia/Shanghai", "day:2026-11-20"),
            "2026-11-19T16:00:00.000Z"
        );
        assert_eq!(
            start("Asia/Shanghai", "week:2026-W47"),
            "2026-11-15T16:00:00.000Z"
        );
        assert_eq!(
            start("Asia/Shanghai", "month:2026-11"),
            "2026-10-31T16:00:00.000Z"
        );
        assert_eq!(start("UTC", "week:2020-W53"), "2020-12-28T00:00:00.000Z");
        assert_eq!(start("UTC", "week:2026-W53"), "2026-12-28T00:00:00.000Z");
        assert_eq!(start("UTC", "week:2025-W01"), "2024-12-30T00:00:00.000Z");
        assert_eq!(start("UTC", "day:2024-02-29"), "2024-02-29T00:00:00.000Z");
        assert_eq!(
            start("America/New_York", "week:2013-W02"),
            "2013-01-07T05:00:00.000Z"
        );
        let selector = parse("UTC", "day:2026-11-20").unwrap();
        let elsewhen = Timestamp::EARLIEST;
        assert_eq!(
            selector
                .resolve(&Calendar::utc(), elsewhen)
                .start()
                .to_string(),
            "2026-11-20T00:00:00.000Z"
        );
    }

    #[test]
    fn an_hour_may_be_written_in_several_ways() {
        for text in [
            "2026-11-20T14+08:00",
            "2026-11-20T14 08:00",
            "2026-11-20T14",
        ] {
            let selector = format!("hour:{text}");
            assert_eq!(
                start("Asia/Shanghai", &selector),
                "2026-11-20T06:00:00.000Z"
            );
        }
        for text in ["2026-11-20T14+00:00", "2026-11-20T14Z", "2026-11-20T14"] {
            assert_eq!(
                start("UTC", &format!("hour:{text}")),
                "2026-11-20T14:00:00.000Z"
            );
        }
        assert_eq!(
            start("America/New_York", "hour:2013-01-15T07-05:00"),
            "2013-01-15T12:00:00.000Z"
        );
    }

    #[test]
    fn an_hour_that_comes_twice_needs_its_offset() {
        let zone = "America/New_York";
        assert_eq!(
            refusal(zone, "hour:2026-11-01T01"),
            "`hour:2026-11-01T01` means two hours: \
             name `hour:2026-11-01T01-04:00` or `hour:2026-11-01T01-05:00`"
        );
        assert_eq!(
            start(zone, "hour:2026-11-01T01-04:00"),
            "2026-11-01T05:00:00.000Z"
        );
        assert_eq!(
            start(zone, "hour:2026-11-01T01-05:00"),
            "2026-11-01T06:00:00.000Z"
        );
        assert_eq!(
            refusal(zone, "hour:2026-11-01T01+01:00"),
            "`hour:2026-11-01T01+01:00` does not exist in America/New_York: \
             its offset in that hour is -04:00 or -05:00"
        );
        // Troll's clock goes back by two hours, so two hours come twice.
        for hour in ["hour:2026-10-25T01", "hour:2026-10-25T02"] {
            let error = parse("Antarctica/Troll", hour);
            assert!(
                matches!(error, Err(SelectorError::AmbiguousHour { .. })),
                "{error:?}"
            );
        }
        assert_eq!(
            start("Antarctica/Troll", "hour:2026-10-25T03"),
            "2026-10-25T03:00:00.000Z"
        );
    }

    #[test]
    fn what_the_clock_skipped_does_not_exist() {
        assert_eq!(
            refusal("America/New_York", "hour:2026-03-08T02-05:00"),
            "`hour:2026-03-08T02-05:00` does not exist in America/New_York: its clock skipped it"
        );
        assert_eq!(
            refusal("Pacific/Apia", "day:2011-12-30"),
            "`day:2011-12-30` does not exist in Pacific/Apia: its clock skipped it"
        );
        assert_eq!(
            start("Pacific/Apia", "day:2011-12-31"),
            "2011-12-30T10:00:00.000Z"
        );
        let hour = parse("America/Sao_Paulo", "hour:2018-11-04T00");
        assert!(
            matches!(hour, Err(SelectorError::Skipped { .. })),
            "{hour:?}"
        );
        assert_eq!(
            start("America/Sao_Paulo", "day:2018-11-04"),
            "2018-11-04T03:00:00.000Z"
        );
    }

    #[test]
    fn an_offset_has_to_be_the_one_in_force() {
        assert_eq!(
            refusal("America/New_York", "hour:2026-07-01T12-05:00"),
            "`hour:2026-07-01T12-05:00` does not exist in America/New_York: \
             its offset in that hour is -04:00"
        );
        assert_eq!(
            refusal("Asia/Shanghai", "hour:2026-07-01T12Z"),
            "`hour:2026-07-01T12Z` does not exist in Asia/Shanghai: \
             its offset in that hour is +08:00"
        );
    }

    #[test]
    fn dates_on_no_calendar_are_refused() {
        for selector in [
            "day:2026-02-30",
            "day:2026-02-29",
            "day:2026-00-01",
            "hour:2026-06-31T00",
            "week:2025-W53",
            "week:2026-W00",
            "week:2026-W54",
            "month:2026-13",
            "month:2026-00",
        ] {
            let expected = SelectorError::NoSuchDate {
                selector: selector.to_owned(),
            };
            assert_eq!(parse("UTC", selector), Err(expected));
        }
    }

    #[test]
    fn near_misses_are_answered_with_the_form() {
        for selector in [
            "all:",
            "all:2026",
            "hour:",
            "hour:2026-11-20",
            "hour:2026-11-20T",
            "hour:2026-11-20T24",
            "hour:2026-11-20T1",
            "hour:2026-11-20t14",
            "hour:2026-11-20T14:00",
            "hour:2026-11-20T14:00Z",
            "hour:2026-11-20T14z",
            "hour:2026-11-20T14+0000",
            "hour:2026-11-20T14+00",
            "hour:2026-11-20T14+00:00 ",
            "hour:2026-11-20T14 +00:00",
            "hour:2026-11-20T14  00:00",
            "day:2026-1-5",
            "day:2026-11-20Z",
            "day:2026-11-20 ",
            "day:20261120",
            "day:+026-11-20",
            "day:10000-01-01",
            "week:2026-47",
            "week:2026-W7",
            "week:2026W47",
            "week:2026-w47",
            "week:2026-W47-1",
            "week:12026-W47",
            "month:2026-1",
            "month:2026-11-20",
            "month:26-11",
            "day:２026-11-20",
        ] {
            let error = parse("UTC", selector);
            assert!(
                matches!(error, Err(SelectorError::Malformed { .. })),
                "{selector}: {error:?}"
            );
        }
        assert_eq!(
            refusal("UTC", "day:2026-1-5"),
            "`day:2026-1-5` is no window: one of period `day` is written `day:2026-11-20`"
        );
        for selector in [
            "",
            "year",
            "Day",
            "days:2026-11-20",
            ":",
            " day",
            "fortnight:2026-W47",
        ] {
            let expected = SelectorError::Unknown {
                selector: selector.to_owned(),
            };
            assert_eq!(parse("UTC", selector), Err(expected));
        }
        let message = refusal("UTC", "fortnight");
        for word in ["fortnight", "hour", "day", "week", "month", "all"] {
            assert!(message.contains(&format!("`{word}`")), "{message}");
        }
    }

    #[test]
    fn a_window_has_to_cover_some_accepted_time() {
        for selector in [
            "day:1972-12-31",
            "week:1972-W52",
            "month:1972-12",
            "day:0000-01-01",
        ] {
            let expected = SelectorError::OutOfRange {
                selector: selector.to_owned(),
            };
            assert_eq!(parse("UTC", selector), Err(expected));
        }
        assert_eq!(
            start("America/New_York", "day:1972-12-31"),
            "1972-12-31T05:00:00.000Z"
        );
        assert_eq!(
            start("America/New_York", "month:1972-12"),
            "1972-12-01T05:00:00.000Z"
        );
        assert_eq!(start("UTC", "day:9999-12-31"), "9999-12-31T00:00:00.000Z");
        assert_eq!(
            start("Asia/Tokyo", "hour:9999-12-31T23"),
            "9999-12-31T14:00:00.000Z"
        );
        let beyond = parse("America/New_York", "hour:9999-12-31T19");
        assert!(
            matches!(beyond, Err(SelectorError::OutOfRange { .. })),
            "{beyond:?}"
        );
        assert_eq!(
            start("America/New_York", "hour:9999-12-31T18"),
            "9999-12-31T23:00:00.000Z"
        );
    }
}
