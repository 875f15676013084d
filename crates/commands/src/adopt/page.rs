//! Parsing replies of Redis: [`Page`], [`SetEntry`].
//!
//! The bytes of members are slices of the reply, not copies.

use std::borrow::Cow;

use bytes::Bytes;
use redis_nodes::redis_link::reply::{self, Reply, items, text};

/// The maximum length of a member's name in messages.
const NAME_CHARS_SHOWN: usize = 80;

/// A reply to `ZSCAN`.
#[derive(Debug)]
pub(super) struct Page {
    /// The next cursor; `0` at the end.
    pub(super) cursor: String,
    pub(super) entries: Vec<SetEntry>,
}

/// An entry of the sorted set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SetEntry {
    pub(super) member: Bytes,
    pub(super) score: Score,
    /// The score in the sorted set of times, if there is one that has the member.
    pub(super) time_score: Option<Score>,
}

/// A score, as Redis sent it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Score {
    /// A text with 17 significant digits.
    Text(Bytes),
    /// A double of RESP3.
    Number(f64),
}

impl Score {
    /// Returns the text, as Redis would send it.
    pub(super) fn text(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Text(text) => text.as_ref().into(),
            Self::Number(number) => number.to_string().into_bytes().into(),
        }
    }

    /// Returns the score multiplied by an integer. It is exact: the score is the shortest decimal number of its double.
    pub(super) fn scaled(&self, scale: u32) -> Self {
        let number = self.number().filter(|number| number.is_finite());
        let Some(number) = number else {
            return self.clone();
        };
        let shortest = number.abs().to_string();
        let (whole, fraction) = shortest.split_once('.').unwrap_or((&shortest, ""));
        let Ok(digits) = [whole, fraction].concat().parse::<u64>() else {
            // Beyond the range of values, or below one of them.
            return Self::Number(number * f64::from(scale));
        };
        let digits = u128::from(digits) * u128::from(scale);
        let digits = format!("{digits:0width$}", width = fraction.len() + 1);
        let (whole, fraction) = digits.split_at(digits.len() - fraction.len());
        let sign = if number < 0.0 { "-" } else { "" };
        Self::Text(format!("{sign}{whole}.{fraction}0").into())
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Text(text) => str::from_utf8(text).ok()?.parse().ok(),
            Self::Number(number) => Some(*number),
        }
    }
}

impl SetEntry {
    pub(super) fn new(member: Bytes, score: Score) -> Self {
        Self {
            member,
            score,
            time_score: None,
        }
    }

    /// Returns the member as messages have it.
    pub(super) fn shown(&self) -> String {
        let member = String::from_utf8_lossy(&self.member);
        let member: String = member.chars().take(NAME_CHARS_SHOWN).collect();
        format!("{member:?}")
    }
}

impl Page {
    /// Parses `[cursor, [member, score, ...]]`.
    pub(super) fn parse(frame: &Reply) -> Option<Self> {
        let [cursor, entries] = items(frame)? else {
            return None;
        };
        let entries = items(entries)?;
        let entries = entries.chunks(2).map(|pair| match pair {
            [member, score] => Some(SetEntry::new(bytes(member)?, self::score(score)?)),
            _ => None,
        });
        Some(Self {
            cursor: text(cursor)?.to_owned(),
            entries: entries.collect::<Option<_>>()?,
        })
    }
}

/// Parses `[[member, score], ...]`, the format of ranges with scores in RESP3.
pub(super) fn pairs(frame: &Reply) -> Option<Vec<SetEntry>> {
    let pairs = items(frame)?.iter().map(|pair| match items(pair)? {
        [member, score] => Some(SetEntry::new(bytes(member)?, self::score(score)?)),
        _ => None,
    });
    pairs.collect()
}

/// Parses `[score or null, ...]`.
pub(super) fn scores(frame: &Reply) -> Option<Vec<Option<Score>>> {
    let scores = items(frame)?.iter().map(|each| match each {
        Reply::Null => Some(None),
        each => Some(Some(score(each)?)),
    });
    scores.collect()
}

fn bytes(frame: &Reply) -> Option<Bytes> {
    reply::bytes(frame).cloned()
}

fn score(frame: &Reply) -> Option<Score> {
    match frame {
        Reply::Double { data, .. } => Some(Score::Number(*data)),
        frame => bytes(frame).map(Score::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_scaled_exactly() {
        let scaled = |text: &'static str, scale| Score::Text(text.into()).scaled(scale).number();
        for (text, scale, expected) in [
            ("12.34", 100, 1_234.0),
            // As Redis prints 0.1 and 1.1 with 17 digits.
            ("0.10000000000000001", 10, 1.0),
            ("1.1000000000000001", 10, 11.0),
            ("-4.35", 100, -435.0),
            ("0.05", 10, 0.5),
            ("900719925474.12", 100, 90_071_992_547_412.0),
            ("7", 3, 21.0),
            ("-0", 3, 0.0),
            ("1e+30", 10, 1e31),
        ] {
            assert_eq!(scaled(text, scale), Some(expected), "{text}");
        }
        assert_eq!(Score::Number(0.29).scaled(100).number(), Some(29.0));
        assert_eq!(scaled("inf", 10), Some(f64::INFINITY));
    }
}
