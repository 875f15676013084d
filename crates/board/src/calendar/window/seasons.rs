//! [`Seasons`]: spans of time that a kind names, or that begin at the times of a cron expression.
//!
//! Seasons follow one another without gaps: each lasts until the next one begins, the last one for ever. The time
//! before the first one is a window, too, named [`BEFORE`]. Starts are local times.

use std::collections::HashMap;
use std::str::FromStr as _;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use croner::Cron;
use jiff::SignedDuration;
use jiff::civil::{Time, date};
use serde::{Deserialize, Serialize};

use crate::calendar::timestamp::civil::{
    DAY_MS, days_of, new_year, parse_date, parse_time_of_day, since_epoch, time_after,
};
use crate::calendar::timestamp::text::excerpt;

/// Name of the time before the first season.
const BEFORE: &str = "before";

/// Words that mean something else where a window is named.
const RESERVED: [&str; 2] = [BEFORE, "previous"];

/// The maximum number of seasons that a kind lists.
const LISTED_MAX: usize = 1_000;

/// The maximum number of seasons that a cron expression begins before [`CRON_END_YEAR`]: those of a week are fewer.
const CRON_MAX: usize = 10_000;

/// The maximum length of a season's name.
const NAME_BYTES_MAX: usize = 64;

/// Seasons begin from here on: no contribution is earlier.
const FIRST: i64 = new_year(1973);

/// Listed seasons begin before this.
const LISTED_END: i64 = new_year(2400);

/// Until this year begins the times of a cron expression are computed. The season at that time does not end.
const CRON_END_YEAR: i16 = 2100;

/// Bounds around all seasons, and between the two windows before them: the time of no contribution in any zone, and
/// the rest.
const OUTER: (i64, i64) = (new_year(-2), new_year(10_001));
const BEFORE_STARTS: i64 = FIRST - DAY_MS;

/// The maximum number of cron expressions whose times are kept.
const KNOWN_MAX: usize = 100;

/// The times of cron expressions that were read, since a kind is decoded again and again: that of each change in a
/// journal, for example.
static KNOWN: LazyLock<Mutex<HashMap<String, Arc<[i64]>>>> = LazyLock::new(Mutex::default);

fn known_starts(cron: &str) -> Option<Arc<[i64]>> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(cron).cloned()
}

fn keep_starts(cron: &str, starts: &Arc<[i64]>) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
    known.insert(cron.to_owned(), starts.clone());
}

/// The seasons of a calendar: local times at which one begins and the one before it ends.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "StoredSeasons", into = "StoredSeasons")]
pub struct Seasons {
    source: Source,
    /// In milliseconds, ascending.
    starts: Arc<[i64]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Cron(String),
    /// A name for each start.
    Names(Vec<String>),
}

/// Seasons as stores keep them: a cron expression, or names with the local times at which they begin.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum StoredSeasons {
    Cron(String),
    Named(Vec<(String, String)>),
}

impl From<Seasons> for StoredSeasons {
    fn from(seasons: Seasons) -> Self {
        let named = seasons.listed();
        let named = named.map(|(name, starts_at)| (name.to_owned(), starts_at));
        let named = named.collect();
        match seasons.source {
            Source::Cron(cron) => Self::Cron(cron),
            Source::Names(_) => Self::Named(named),
        }
    }
}

impl TryFrom<StoredSeasons> for Seasons {
    type Error = SeasonsError;

    fn try_from(stored: StoredSeasons) -> Result<Self, SeasonsError> {
        match stored {
            StoredSeasons::Cron(cron) => Self::cron(&cron),
            StoredSeasons::Named(named) => Self::named(
                named
                    .iter()
                    .map(|(name, starts_at)| (&**name, &**starts_at)),
            ),
        }
    }
}

/// Why seasons are not valid. Names what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeasonsError {
    /// The text is not a cron expression.
    #[error("`{cron}` is not a cron expression: {reason}")]
    NoCron {
        /// The text.
        cron: String,
        /// What is wrong.
        reason: String,
    },
    /// A cron expression without a time before 2100.
    #[error("`{0}` names no time")]
    Never(String),
    /// A cron expression with too many times.
    #[error("`{0}` begins more than {CRON_MAX} seasons until 2100: name fewer times")]
    TooOften(String),
    /// No season, or too many.
    #[error("lists {0} seasons: 1 to {LISTED_MAX} are accepted")]
    Number(usize),
    /// A name with other characters, or a reserved one.
    #[error(
        "`{0}` is not a name: 1 to {NAME_BYTES_MAX} letters, digits, `-`, `_` and `.` are accepted, not `before` and \
         `previous`"
    )]
    Name(String),
    /// Two seasons have this name.
    #[error("`{0}` is named twice")]
    Twice(String),
    /// A text that is not a local time.
    #[error(
        "{name}: `{starts_at}` is not a local time from 1973 to 2399, such as `2026-03-01` or `2026-03-01T05:00`"
    )]
    NoTime {
        /// The season.
        name: String,
        /// The text.
        starts_at: String,
    },
    /// A season does not begin after the one before it.
    #[error("{0}: does not begin after the season before it")]
    Order(String),
}

impl Seasons {
    /// Creates seasons that begin at the times of a cron expression: minute, hour, day of the month, month and
    /// day of the week, by the local clock.
    pub fn cron(cron: &str) -> Result<Self, SeasonsError> {
        let wrong = |reason: &dyn ToString| SeasonsError::NoCron {
            cron: excerpt(cron),
            reason: reason.to_string(),
        };
        let fields: Vec<&str> = cron.split_ascii_whitespace().collect();
        if fields.len() != 5 {
            return Err(wrong(&format!("it has {} fields, not 5", fields.len())));
        }
        let text = fields.join(" ");
        if let Some(starts) = known_starts(&text) {
            let source = Source::Cron(text);
            return Ok(Self { source, starts });
        }
        let cron = Cron::from_str(&text).map_err(|error| wrong(&error))?;
        let mut starts = Vec::new();
        // Times of no zone: the calendar knows how the local clock is changed.
        let mut latest = date(1972, 12, 31).at(23, 59, 0, 0);
        while let Ok(next) = cron.find_next_occurrence(&latest, false)
            && next.year() < CRON_END_YEAR
        {
            if starts.len() == CRON_MAX {
                return Err(SeasonsError::TooOften(text));
            }
            starts.push(since_epoch(next).as_secs() * 1_000);
            latest = next;
        }
        if starts.is_empty() {
            return Err(SeasonsError::Never(text));
        }
        let starts: Arc<[i64]> = starts.into();
        keep_starts(&text, &starts);
        let source = Source::Cron(text);
        Ok(Self { source, starts })
    }

    /// Creates seasons with these names, which begin at these local times, the first one first.
    pub fn named<'a>(
        seasons: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, SeasonsError> {
        let (mut names, mut starts) = (Vec::<String>::new(), Vec::new());
        for (name, starts_at) in seasons {
            let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            if name.is_empty()
                || name.len() > NAME_BYTES_MAX
                || RESERVED.contains(&name)
                || !name.bytes().all(is_fit)
            {
                return Err(SeasonsError::Name(excerpt(name)));
            }
            if names.iter().any(|other| other == name) {
                return Err(SeasonsError::Twice(name.to_owned()));
            }
            let start = local_time(starts_at);
            let start = start.filter(|start| (FIRST..LISTED_END).contains(start));
            let start = start.ok_or_else(|| SeasonsError::NoTime {
                name: name.to_owned(),
                starts_at: excerpt(starts_at),
            })?;
            if starts.last().is_some_and(|before| *before >= start) {
                return Err(SeasonsError::Order(name.to_owned()));
            }
            names.push(name.to_owned());
            starts.push(start);
            if names.len() > LISTED_MAX {
                break;
            }
        }
        if !(1..=LISTED_MAX).contains(&names.len()) {
            return Err(SeasonsError::Number(names.len()));
        }
        Ok(Self {
            source: Source::Names(names),
            starts: starts.into(),
        })
    }

    /// Returns the cron expression, if there is one.
    #[must_use]
    pub fn as_cron(&self) -> Option<&str> {
        match &self.source {
            Source::Cron(cron) => Some(cron),
            Source::Names(_) => None,
        }
    }

    /// Iterates over the seasons that are listed: their names, and the local times at which they begin.
    pub fn listed(&self) -> impl Iterator<Item = (&str, String)> {
        let names = match &self.source {
            Source::Cron(_) => &[][..],
            Source::Names(names) => names,
        };
        let starts = self.starts.iter().map(|start| text_of(*start));
        names.iter().map(String::as_str).zip(starts)
    }

    /// Returns whether both have the same seasons, by the same names, until a local time.
    pub(super) fn agree_until(&self, other: &Self, local_ms: i64) -> bool {
        let until = |seasons: &Self| seasons.starts.partition_point(|start| *start < local_ms);
        let (here, there) = (until(self), until(other));
        let names = |seasons: &Self, count: usize| -> Vec<String> {
            (0..count).map(|index| seasons.name_at(index)).collect()
        };
        self.starts[..here] == other.starts[..there] && names(self, here) == names(other, there)
    }

    /// Returns the local start of the season around a local time, and that of the next one.
    pub(super) fn around(&self, local_ms: i64) -> (i64, i64) {
        if local_ms < BEFORE_STARTS {
            return (OUTER.0, BEFORE_STARTS);
        }
        let after = self.starts.partition_point(|start| *start <= local_ms);
        let first = after
            .checked_sub(1)
            .map_or(BEFORE_STARTS, |index| self.starts[index]);
        (first, self.starts.get(after).copied().unwrap_or(OUTER.1))
    }

    /// Returns the name of the season with this local start.
    pub(super) fn name_of(&self, start_ms: i64) -> String {
        match self.starts.binary_search(&start_ms) {
            Ok(index) => self.name_at(index),
            Err(_) => BEFORE.to_owned(),
        }
    }

    /// Returns the local start of the season with this name.
    pub(super) fn start_of(&self, name: &str) -> Option<i64> {
        if name == BEFORE {
            return Some(BEFORE_STARTS);
        }
        match &self.source {
            Source::Cron(_) => {
                let start = local_time(name).filter(|start| text_of(*start) == name)?;
                self.starts.binary_search(&start).ok().map(|_| start)
            }
            Source::Names(names) => {
                let index = names.iter().position(|other| other == name)?;
                Some(self.starts[index])
            }
        }
    }

    /// Returns seasons of which none ever begins.
    pub(super) fn none() -> Self {
        Self {
            source: Source::Names(Vec::new()),
            starts: Arc::default(),
        }
    }

    fn name_at(&self, index: usize) -> String {
        match &self.source {
            Source::Cron(_) => text_of(self.starts[index]),
            Source::Names(names) => names[index].clone(),
        }
    }
}

/// Returns the milliseconds of `2026-03-01`, `2026-03-01T05:00`: without a time at midnight.
fn local_time(text: &str) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    let midnight = days_of(parse_date(date)?) * DAY_MS;
    match time.strip_prefix('T') {
        Some(time) => parse_time_of_day(time).map(|ms| midnight + ms),
        None => time.is_empty().then_some(midnight),
    }
}

/// Formats a local time as [`local_time`] reads it.
fn text_of(local_ms: i64) -> String {
    let local = time_after(SignedDuration::from_millis(local_ms));
    let mut text = local.to_string();
    let is_midnight = local.time() == Time::midnight();
    text.truncate(if is_midnight { 10 } else { 16 });
    text
}

#[cfg(test)]
mod tests;
