//! What Redis answers, as entries: [`Page`], [`Entry`].
//!
//! A member's bytes are a slice of what was read, with no copy of their own.

use bytes::Bytes;
use fred::types::Resp3Frame;

/// Part of a sorted set, and where to go on.
#[derive(Debug)]
pub(super) struct Page {
    /// The next cursor; `0` at the end.
    pub(super) cursor: String,
    pub(super) entries: Vec<Entry>,
}

/// A member as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
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

impl Entry {
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
    pub(super) fn of(frame: &Resp3Frame) -> Option<Self> {
        let [cursor, entries] = items(frame)? else {
            return None;
        };
        let entries = items(entries)?;
        let entries = entries.chunks(2).map(|pair| match pair {
            [member, score] => Some(Entry::new(bytes(member)?, self::score(score)?)),
            _ => None,
        });
        Some(Self {
            cursor: text(cursor)?.to_owned(),
            entries: entries.collect::<Option<_>>()?,
        })
    }
}

/// Reads `[[member, score], ...]`, as RESP3 has ranges with scores.
pub(super) fn pairs(frame: &Resp3Frame) -> Option<Vec<Entry>> {
    let pairs = items(frame)?.iter().map(|pair| match items(pair)? {
        [member, score] => Some(Entry::new(bytes(member)?, self::score(score)?)),
        _ => None,
    });
    pairs.collect()
}

/// Reads `[score or null, ...]`.
pub(super) fn scores(frame: &Resp3Frame) -> Option<Vec<Option<Score>>> {
    let scores = items(frame)?.iter().map(|each| match each {
        Resp3Frame::Null => Some(None),
        each => Some(Some(score(each)?)),
    });
    scores.collect()
}

pub(super) fn number(frame: &Resp3Frame) -> Option<u64> {
    match frame {
        Resp3Frame::Number { data, .. } => u64::try_from(*data).ok(),
        _ => None,
    }
}

pub(super) fn text(frame: &Resp3Frame) -> Option<&str> {
    match frame {
        Resp3Frame::SimpleString { data, .. } | Resp3Frame::BlobString { data, .. } => {
            str::from_utf8(data).ok()
        }
        _ => None,
    }
}

fn items(frame: &Resp3Frame) -> Option<&[Resp3Frame]> {
    match frame {
        Resp3Frame::Array { data, .. } => Some(data),
        _ => None,
    }
}

fn bytes(frame: &Resp3Frame) -> Option<Bytes> {
    match frame {
        Resp3Frame::SimpleString { data, .. } | Resp3Frame::BlobString { data, .. } => {
            Some(data.clone())
        }
        _ => None,
    }
}

fn score(frame: &Resp3Frame) -> Option<Score> {
    match frame {
        Resp3Frame::Double { data, .. } => Some(Score::Number(*data)),
        frame => bytes(frame).map(Score::Text),
    }
}
