//! The time as a prefix of the member, with a plain score: [`TimeMember`], `2022-12-15 13:30:30_user1`.
//!
//! Redis orders equal scores by the bytes of their members. With `ZREVRANGE` the later time is first; with negated
//! scores and `ZRANGE` the earlier. The member changes with each write: writers have to remove the old member, or both
//! remain in the set.

use board::{Ties, Timestamp};

use crate::error::{DecodeError, EncodeError};
use crate::read_direction::ReadDirection;

/// `2022-12-15 13:30:30`.
const TIME_BYTES: usize = 19;

/// Separates the time from the member.
const SEPARATOR: u8 = b'_';

/// `time-member(offset=+08:00, score=plain)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeMember {
    /// The UTC offset of the prefix, in minutes east.
    pub(crate) offset_minutes: i32,
    /// Whether scores are stored negated, and read with `ZRANGE`.
    pub(crate) is_negated: bool,
}

impl TimeMember {
    fn offset_ms(self) -> i64 {
        i64::from(self.offset_minutes) * 60_000
    }

    pub(crate) fn read_direction(self) -> ReadDirection {
        if self.is_negated {
            ReadDirection::Forward
        } else {
            ReadDirection::Reverse
        }
    }

    pub(crate) fn ties(self) -> Ties {
        if self.is_negated {
            Ties::Earliest
        } else {
            Ties::Latest
        }
    }

    /// Returns the times whose local year has four digits.
    pub(crate) fn times(self) -> (Timestamp, Timestamp) {
        let latest = shifted(Timestamp::LATEST, -self.offset_ms());
        (Timestamp::EARLIEST, latest.min(Timestamp::LATEST))
    }

    pub(crate) fn member(self, at: Timestamp, member: &str) -> Result<String, EncodeError> {
        let (earliest, latest) = self.times();
        if !(earliest..=latest).contains(&at) {
            return Err(EncodeError::Time {
                at,
                earliest,
                latest,
            });
        }
        let local = shifted(at, self.offset_ms());
        let mut text = local.to_string();
        text.truncate(TIME_BYTES);
        Ok(format!("{}_{member}", text.replacen('T', " ", 1)))
    }

    /// Splits a stored member into the time and the member.
    pub(crate) fn split(self, stored: &[u8]) -> Result<(Timestamp, &[u8]), DecodeError> {
        let (time, member) = stored
            .split_at_checked(TIME_BYTES)
            .ok_or(DecodeError::Prefix)?;
        let (&SEPARATOR, member) = member.split_first().ok_or(DecodeError::Prefix)? else {
            return Err(DecodeError::Prefix);
        };
        if member.is_empty() || time[10] != b' ' {
            return Err(DecodeError::Prefix);
        }
        let mut text = [b'Z'; TIME_BYTES + 1];
        text[..TIME_BYTES].copy_from_slice(time);
        let text = str::from_utf8(&text).map_err(|_| DecodeError::Prefix)?;
        let local = Timestamp::parse_rfc3339(text).map_err(|_| DecodeError::Prefix)?;
        let at = shifted(local, -self.offset_ms());
        if (Timestamp::EARLIEST..=Timestamp::LATEST).contains(&at) {
            Ok((at, member))
        } else {
            Err(DecodeError::Time(at.millis()))
        }
    }
}

/// Returns the time so many milliseconds later.
fn shifted(at: Timestamp, ms: i64) -> Timestamp {
    Timestamp::from_micros(at.micros() + 1_000 * ms)
}
