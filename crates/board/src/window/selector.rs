//! [`WindowSelector`]: parses the value of `?window=` in a request.
//!
//! Parsing is strict: each window has one text (except for an hour's optional offset). A text that
//! is close to a valid one gets a `SelectorError` that says what was probably meant.

use std::time::Duration;

use super::calendar::days_around;
use super::name::offset_text;
use super::{Calendar, Period, SelectorError, Window};
use crate::Timestamp;
use crate::timestamp::civil::{DAY_MS, Date, HOUR_MS, iso_week_monday};
use crate::timestamp::rfc3339::{date_fields, offset_of};
use crate::timestamp::text::{excerpt, number};

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
    /// Parses a selector: `hour`, `day`, `week` or `month` for the current one, `day:previous` (or of
    /// another period) for the one before it, `all`, or the name of a window as [`Calendar::name`]
    /// writes it.
    ///
    /// The offset of an hour may be left out where the hour occurs only once. A space is accepted
    /// in place of `+`, because query strings decode `+` to a space.
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
            (Period::Hour | Period::Day | Period::Week | Period::Month, Some(b"previous")) => {
                return Ok(WindowSelector::Previous(period));
            }
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

    /// Returns the window of whole days that begins with `first_day`.
    fn days(
        &self,
        selector: &str,
        period: Period,
        first_day: i64,
    ) -> Result<Window, SelectorError> {
        let start = self.reaches(first_day * DAY_MS);
        // If the clock skipped all of it, that is the start of a later window.
        let day = self.local_at(start).0.div_euclid(DAY_MS);
        if days_around(period, day).0 != first_day {
            return Err(self.skipped(selector));
        }
        Ok(Window::starting_at(period, start))
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
enum Fault {
    Malformed,
    NoSuchDate,
}

/// Returns the local milliseconds of `2026-11-20T14+08:00`, and its offset if present.
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

/// Returns the first day of the day `2026-11-20`, the week `2026-W47` or the month `2026-11`.
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

#[cfg(test)]
mod tests;
