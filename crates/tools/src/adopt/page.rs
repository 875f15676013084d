//! What Redis answers, as entries: [`Page`], [`SetEntry`].
//!
//! A member's bytes are a slice of what was read, with no copy of their own.

use bytes::Bytes;
use redis_link::reply::{self, Reply, items, text};

/// Part of a sorted set, and where to go on.
#[derive(Debug)]
pub(super) struct Page {
    /// The next cursor; `0` at the end.
    pub(super) cursor: String,
    pub(super) entries: Vec<SetEntry>,
}

/// A member as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SetEntry {
    pub(super) member: Bytes,
    pub(super) score: Score,
    /// In the set of times, where there is one that has the member.
    pub(super) time_score: Option<Score>,
}

/// A score as it came.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Score {
    /// As text, with 17 significant digits.
    Text(Bytes),
    /// As a number of the protocol.
    Number(f64),
}

impl SetEntry {
    pub(super) fn new(member: Bytes, score: Score) -> Self {
        Self {
            member,
            score,
            time_score: None,
        }
    }
}

impl Page {
    /// Reads `[cursor, [member, score, ...]]`.
    pub(super) fn of(frame: &Reply) -> Option<Self> {
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

/// Reads `[[member, score], ...]`, as RESP3 has ranges with scores.
pub(super) fn pairs(frame: &Reply) -> Option<Vec<SetEntry>> {
    let pairs = items(frame)?.iter().map(|pair| match items(pair)? {
        [member, score] => Some(SetEntry::new(bytes(member)?, self::score(score)?)),
        _ => None,
    });
    pairs.collect()
}

/// Reads `[score or null, ...]`.
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
