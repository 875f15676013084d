//! [`WindowSelector`]: parses the value of `?window=` in a request.
//!
//! Parsing is strict: each window has one text (except for an hour's optional offset). A text that
//! is close to a valid one gets a `SelectorError` that says what was probably meant.

use std::time::Duration;

use jiff::civil::Date;

use super::name::offset_text;
use super::seasons::Seasons;
use super::{Calendar, Period, SelectorError, Window};
use crate::calendar::Timestamp;
use crate::calendar::timestamp::civil::{
    DATE, DAY_MS, HOUR_MS, MINUTE_MS, days_of, parse_date, parse_offset, parse_time_of_day,
    week_start,
};
use crate::calendar::timestamp::text::{excerpt, has_form};

/// A window as a request names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WindowSelector {
    /// The window of this period that is current when the request is served.
    Current(Period),
    /// The window before that one.
    Previous(Period),
    /// This window. Also `all`, which is the same at any time.
    Named(Window),
}

impl WindowSelector {
    /// Returns the selected window. `calendar` is the one that parsed the selector.
    #[must_use]
    pub fn resolve(self, calendar: &Calendar, now: Timestamp) -> Window {
        match self {
            Self::Current(period) => calendar.span_at(period, now).window,
            Self::Previous(period) => {
                let current = calendar.span_at(period, now).window;
                let before = current.start().minus(Duration::from_millis(1));
                calendar.span_at(period, before).window
            }
            Self::Named(window) => window,
        }
    }

    /// Returns the period of the selected window.
    #[must_use]
    pub const fn period(self) -> Period {
        match self {
            Self::Current(period) | Self::Previous(period) => period,
            Self::Named(window) => window.period(),
        }
    }
}

impl Calendar {
    /// Parses a selector: a period such as `day` for the current window, `day:previous` for the one before
    /// it, `all`, or the name of a window as [`Calendar::name`] writes it.
    ///
    /// The offset of an hour may be left out where the hour occurs only once. A space is accepted
    /// in place of `+`, because query strings decode `+` to a space.
    pub fn parse(&self, selector: &str) -> Result<WindowSelector, SelectorError> {
        let (word, rest) = match selector.split_once(':') {
            Some((word, rest)) => (word, Some(rest)),
            None => (selector, None),
        };
        let unknown = |_| SelectorError::Unknown {
            selector: excerpt(selector),
        };
        let period: Period = word.parse().map_err(unknown)?;
        let refuse = |fault| match fault {
            NameError::Malformed => SelectorError::Malformed {
                selector: excerpt(selector),
                period,
                example: example(period),
            },
            NameError::NoSuchDate => SelectorError::NoSuchDate {
                selector: excerpt(selector),
            },
            NameError::NoSuchSeason => SelectorError::NoSuchSeason {
                selector: excerpt(selector),
            },
        };
        let window = match (period, rest) {
            (Period::All, None) => return Ok(WindowSelector::Named(Window::ALL_TIME)),
            (_, None) => return Ok(WindowSelector::Current(period)),
            (Period::All, Some(_)) => return Err(refuse(NameError::Malformed)),
            (_, Some("previous")) => return Ok(WindowSelector::Previous(period)),
            (Period::Hour, Some(text)) => {
                let (local_hour, offset) = read_hour(text).map_err(refuse)?;
                self.hour(selector, local_hour, offset)?
            }
            (Period::Season, Some(name)) => {
                let start = self.start_of_season(name).ok_or(NameError::NoSuchSeason);
                self.beginning_at(selector, period, start.map_err(refuse)?)?
            }
            (_, Some(text)) if period.part_hours().is_some() => {
                let start = read_part(text).map_err(refuse)?;
                self.counted(selector, period, start)?
            }
            (_, Some(text)) if period.weeks().is_some() => {
                let first_day = day_of(text).map_err(refuse)?;
                let start = first_day * DAY_MS + self.day_start().millis();
                self.counted(selector, period, start)?
            }
            (_, Some(text)) => {
                let week = self.week_start() as i64;
                let first_day = read_first_day(period, text, week).map_err(refuse)?;
                let start = first_day * DAY_MS + self.day_start().millis();
                self.beginning_at(selector, period, start)?
            }
        };
        let end = self.span(window).end;
        if window.start() > Timestamp::LATEST || end.is_some_and(|end| end <= Timestamp::EARLIEST) {
            return Err(SelectorError::OutOfRange {
                selector: excerpt(selector),
            });
        }
        Ok(WindowSelector::Named(window))
    }

    fn start_of_season(&self, name: &str) -> Option<i64> {
        let none = &Seasons::none();
        self.seasons().unwrap_or(none).start_of(name)
    }

    /// Returns the window with this nominal start.
    fn beginning_at(
        &self,
        selector: &str,
        period: Period,
        start: i64,
    ) -> Result<Window, SelectorError> {
        let instant = self.reaches(start);
        // If the clock skipped all of it, that is the start of a later window.
        if self.nominal(period, self.local_at(instant).0).0 != start {
            return Err(self.skipped(selector));
        }
        Ok(Window::starting_at(period, instant))
    }

    /// Returns the window with this nominal start of a period that has one at some of its forms only: parts of a day,
    /// and several weeks.
    fn counted(&self, selector: &str, period: Period, start: i64) -> Result<Window, SelectorError> {
        let around = self.nominal(period, start).0;
        if around != start {
            return Err(SelectorError::NotAStart {
                selector: excerpt(selector),
                around: self.name(self.beginning_at(selector, period, around)?),
            });
        }
        self.beginning_at(selector, period, start)
    }

    /// Returns the window of a local hour.
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

/// What is wrong with a text, independent of a time zone.
#[derive(Clone, Copy)]
enum NameError {
    Malformed,
    NoSuchDate,
    NoSuchSeason,
}

/// Returns the local milliseconds of `2026-11-20T14+08:00`, and its offset if present.
fn read_hour(text: &str) -> Result<(i64, Option<i64>), NameError> {
    let (hour, offset) = text.split_at_checked(13).ok_or(NameError::Malformed)?;
    let offset = match offset {
        "" => None,
        "Z" => Some(0),
        _ => Some(parse_offset(&offset.replacen(' ', "+", 1)).ok_or(NameError::Malformed)?),
    };
    Ok((read_part(hour)?, offset))
}

/// Returns the local milliseconds of `2026-11-20T12` or, if they are not of a full hour,
/// `2026-11-20T12:30`.
fn read_part(text: &str) -> Result<i64, NameError> {
    let (date, rest) = text.split_at_checked(10).ok_or(NameError::Malformed)?;
    let time = match rest.strip_prefix('T').ok_or(NameError::Malformed)? {
        hour if hour.len() == 2 => parse_time_of_day(&format!("{hour}:00")),
        time => parse_time_of_day(time).filter(|ms| ms % HOUR_MS >= MINUTE_MS),
    };
    Ok(day_of(date)? * DAY_MS + time.ok_or(NameError::Malformed)?)
}

/// Returns the first day of the day `2026-11-20`, the week `2026-W47`, the month `2026-11`, the quarter
/// `2026-Q4` or the year `2026`. `week_begin` is the weekday of the first day of a week, from 0.
fn read_first_day(period: Period, text: &str, week_begin: i64) -> Result<i64, NameError> {
    let form = match period {
        Period::Week => "0000-W00",
        Period::Month => "0000-00",
        Period::Quarter => "0000-Q0",
        Period::Year => "0000",
        _ => return day_of(text),
    };
    if !has_form(text, form) {
        return Err(NameError::Malformed);
    }
    let number = |digits: &str| digits.parse::<i16>().expect("at most four digits");
    let year = number(&text[..4]);
    let month = match period {
        Period::Week => {
            let week = number(&text[6..]).into();
            return week_start(year.into(), week, week_begin).ok_or(NameError::NoSuchDate);
        }
        Period::Month => number(&text[5..]),
        Period::Quarter => 3 * number(&text[6..]) - 2,
        _ => 1,
    };
    let month = i8::try_from(month).map_err(|_| NameError::NoSuchDate)?;
    let first = Date::new(year, month, 1).map_err(|_| NameError::NoSuchDate)?;
    Ok(days_of(first))
}

fn day_of(text: &str) -> Result<i64, NameError> {
    if !has_form(text, DATE) {
        return Err(NameError::Malformed);
    }
    parse_date(text).map(days_of).ok_or(NameError::NoSuchDate)
}

fn example(period: Period) -> &'static str {
    match period {
        Period::Hour => "hour:2026-11-20T14+08:00",
        Period::TwoHours => "2h:2026-11-20T14",
        Period::ThreeHours => "3h:2026-11-20T12",
        Period::FourHours => "4h:2026-11-20T12",
        Period::SixHours => "6h:2026-11-20T12",
        Period::EightHours => "8h:2026-11-20T08",
        Period::TwelveHours => "12h:2026-11-20T12",
        Period::Day => "day:2026-11-20",
        Period::Week => "week:2026-W47",
        Period::TwoWeeks => "2w:2026-11-09",
        Period::ThreeWeeks => "3w:2026-11-16",
        Period::FourWeeks => "4w:2026-10-26",
        Period::Month => "month:2026-11",
        Period::SixWeeks => "6w:2026-10-26",
        Period::EightWeeks => "8w:2026-09-28",
        Period::TwelveWeeks => "12w:2026-10-26",
        Period::Quarter => "quarter:2026-Q4",
        Period::Year => "year:2026",
        Period::Season => "season:spring-2026",
        Period::All => "all",
    }
}

#[cfg(test)]
mod tests;
