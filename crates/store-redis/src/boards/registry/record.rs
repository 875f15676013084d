//! A board's record as the registry stores it: readable text.

use std::sync::Arc;
use std::time::Duration;

use board::{Activity, BoardName, Incarnation, Meaning, ShardCount, Timestamp};

use crate::boards::wire::Garbled;
use redis_nodes::ServerId;
use shard_store::BoardRecord;

/// The number of words of a record.
const WORDS: usize = 8;

/// What the registry stores of a board.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// The record as users of the store see it.
    pub(crate) board: BoardRecord,
    /// The independent servers over which its shards are spread; none on other topologies.
    pub(crate) servers: Arc<[ServerId]>,
    /// When its settings were made, or when it was created without any. Settings that close a name
    /// may have a later time than now.
    pub(crate) at: Timestamp,
    /// When a writer last touched it: at most an eighth of the idle time before the last write.
    pub(crate) touched: Timestamp,
    /// While an idle board is emptied: the time up to which its writes are removed.
    pub(crate) emptying: Option<Timestamp>,
}

impl Record {
    /// Reads `INCARNATION SHARDS MEANING AT TOUCHED SERVERS EMPTYING ACTIVITY`.
    pub(super) fn parse(name: &BoardName, created: bool, text: &str) -> Result<Self, Garbled> {
        let words: Vec<&str> = text.split(' ').collect();
        let &[
            incarnation,
            shards,
            meaning,
            at,
            touched,
            servers,
            emptying,
            activity,
        ] = words.as_slice()
        else {
            return Err(Garbled("no board's record"));
        };
        let shards = shards.parse().ok().and_then(ShardCount::new);
        let board = BoardRecord {
            name: name.clone(),
            incarnation: Incarnation(hex(incarnation)?),
            shards: shards.ok_or(Garbled("no number of shards"))?,
            meaning: Meaning(hex(meaning)?),
            activity: activity_named(activity)?,
            created,
        };
        Ok(Self {
            board,
            servers: servers_named(servers)?,
            at: time(at)?,
            touched: time(touched)?,
            emptying: match emptying {
                "-" => None,
                bound => Some(time(bound)?),
            },
        })
    }

    /// Reads a record, and a name that may contain spaces.
    pub(super) fn parse_named(text: &str) -> Option<Self> {
        let (record, name) = split_behind(text, WORDS)?;
        Self::parse(&name.parse().ok()?, true, record).ok()
    }

    /// Reads a letter for whether it was created, and its record; `None` if there is no board.
    pub(super) fn parse_reply(name: &BoardName, payload: &[u8]) -> Result<Option<Self>, Garbled> {
        let text = std::str::from_utf8(payload).map_err(|_| Garbled("no UTF-8"))?;
        match text.split_at_checked(1) {
            None => Ok(None),
            Some(("c", record)) => Self::parse(name, true, record).map(Some),
            Some(("u", record)) => Self::parse(name, false, record).map(Some),
            Some(_) => Err(Garbled("no board")),
        }
    }
}

/// Returns the text before and after the first `words` words.
fn split_behind(text: &str, words: usize) -> Option<(&str, &str)> {
    let (split, _) = text.match_indices(' ').nth(words - 1)?;
    let (before, behind) = text.split_at(split);
    Some((before, &behind[1..]))
}

/// Returns a board's time as one word: `STARTS,ENDS,EXPIRES`, for a board that is deleted when it is idle
/// `STARTS,ENDS,EXPIRES,IDLE`, or `-` without bounds.
pub(crate) fn activity_text(activity: &Activity) -> String {
    if activity.is_always() {
        return "-".to_owned();
    }
    let at = |at: Option<Timestamp>| at.map_or("-".to_owned(), |at| at.micros().to_string());
    let expires_at = at(activity.expires_at());
    let idle = activity.idle();
    let idle = idle.map_or_else(String::new, |idle| format!(",{}", idle.as_millis()));
    format!(
        "{},{},{expires_at}{idle}",
        at(activity.starts_at()),
        at(activity.ends_at())
    )
}

fn activity_named(word: &str) -> Result<Activity, Garbled> {
    const WRONG: Garbled = Garbled("no time of a board");
    if word == "-" {
        return Ok(Activity::ALWAYS);
    }
    let at = |word: &str| match word {
        "-" => Ok(None),
        word => {
            let us = word.parse().map_err(|_| WRONG)?;
            Ok(Some(Timestamp::from_micros(us)))
        }
    };
    let words: Vec<&str> = word.split(',').collect();
    let (starts_at, ends_at, expires_at, idle) = match *words.as_slice() {
        [starts_at, ends_at, expires_at] => (starts_at, ends_at, expires_at, None),
        [starts_at, ends_at, expires_at, idle] => (starts_at, ends_at, expires_at, Some(idle)),
        _ => return Err(WRONG),
    };
    let idle = idle.map(|ms| ms.parse().map(Duration::from_millis));
    let idle = idle.transpose().map_err(|_| WRONG)?;
    let (ends_at, expires_at) = (at(ends_at)?, at(expires_at)?);
    if expires_at.is_some() && ends_at.is_none() {
        return Err(WRONG);
    }
    let expires_after = expires_at
        .zip(ends_at)
        .map(|(expires_at, ends_at)| expires_at.since(ends_at));
    let activity = Activity::new(at(starts_at)?, ends_at, expires_after);
    activity
        .and_then(|activity| activity.with_idle(idle))
        .map_err(|_| WRONG)
}

/// Returns the servers over which a board is spread, as its record names them.
pub(super) fn servers_text(servers: &[ServerId]) -> String {
    if servers.is_empty() {
        return "-".to_owned();
    }
    let names: Vec<_> = servers.iter().map(|id| format!("{:016x}", id.0)).collect();
    names.join(",")
}

pub(super) fn servers_named(text: &str) -> Result<Arc<[ServerId]>, Garbled> {
    match text {
        "-" => Ok(Arc::default()),
        text => text.split(',').map(|id| hex(id).map(ServerId)).collect(),
    }
}

pub(super) fn hex(text: &str) -> Result<u64, Garbled> {
    u64::from_str_radix(text, 16).map_err(|_| Garbled("no hexadecimal number"))
}

/// Reads when a board is due, and what follows: a letter for whether it was created, and a text.
pub(super) fn due_and_rest(answer: &[u8]) -> Result<(Option<Timestamp>, &str, &str), Garbled> {
    const WRONG: Garbled = Garbled("no board");
    let text = std::str::from_utf8(answer).map_err(|_| WRONG)?;
    let (due_at, rest) = text.split_once(' ').ok_or(WRONG)?;
    let (letter, rest) = rest.split_once(' ').ok_or(WRONG)?;
    Ok((due(due_at)?, letter, rest))
}

/// Reads when a board is due, if that is known.
fn due(text: &str) -> Result<Option<Timestamp>, Garbled> {
    match text {
        "-" => Ok(None),
        text => time(text).map(Some),
    }
}

/// Reads milliseconds.
pub(super) fn time(text: &str) -> Result<Timestamp, Garbled> {
    let ms = text.parse().map_err(|_| Garbled("no time"))?;
    Ok(Timestamp::from_millis(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_parsed_back() {
        for count in 0..3 {
            let servers: Vec<_> = (0..count).map(ServerId).collect();
            assert_eq!(*servers_named(&servers_text(&servers)).unwrap(), servers);
        }
    }

    #[test]
    fn an_invalid_record_is_refused() {
        let name = "gifts/room".parse().unwrap();
        let good = "00000000000000ff 16 0000000000000001 5 6 - - -";
        let record = Record::parse(&name, true, good).unwrap();
        assert_eq!(record.board.incarnation, Incarnation(255));
        assert_eq!((record.at.millis(), record.touched.millis()), (5, 6));
        for wrong in [
            "",
            "00000000000000ff 16",
            &good.replace("16", "3"),
            &good.replace("ff", "fg"),
        ] {
            assert!(Record::parse(&name, true, wrong).is_err(), "{wrong}");
        }
        assert!(Record::parse_reply(&name, b"").unwrap().is_none());
        assert!(Record::parse_reply(&name, format!("x{good}").as_bytes()).is_err());
    }

    #[test]
    fn the_time_of_a_board_is_one_word() {
        let name = "gifts/room".parse().unwrap();
        let plain = "00000000000000ff 16 0000000000000001 5 6 - -";
        let at = |ms| Some(Timestamp::from_millis(ms));
        for (word, starts_at, ends_at, kept_ms, idle_ms) in [
            ("7000,-,-", at(7), None, None, None),
            ("-,9000,-", None, at(9), None, None),
            ("7000,9000,11000", at(7), at(9), Some(2), None),
            ("-,-,-,5", None, None, None, Some(5)),
            ("7000,-,-,5", at(7), None, None, Some(5)),
        ] {
            let kept = kept_ms.map(Duration::from_millis);
            let activity = Activity::new(starts_at, ends_at, kept).unwrap();
            let activity = activity.with_idle(idle_ms.map(Duration::from_millis));
            let activity = activity.unwrap();
            assert_eq!(activity_text(&activity), word);
            let record = Record::parse(&name, true, &format!("{plain} {word}")).unwrap();
            assert_eq!(record.board.activity, activity);
        }
        assert_eq!(activity_text(&Activity::ALWAYS), "-");
        let record = Record::parse(&name, true, &format!("{plain} -")).unwrap();
        assert_eq!(record.board.activity, Activity::ALWAYS);
        for wrong in [
            "", "7,9", "9,7,-", "7,-,9", "7,9,9", "x,9,-", "7,9,11 -", "-,9,-,5", "-,-,-,0",
            "-,-,-,x",
        ] {
            let text = format!("{plain} {wrong}");
            assert!(Record::parse(&name, true, &text).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_behind_a_record_may_have_spaces() {
        let plain = "00000000000000ff 16 0000000000000001 5 6 - -";
        for (text, bounded) in [
            (format!("{plain} - gifts/room 1 of 2"), false),
            (format!("{plain} 7000,9000,11000 gifts/room 1 of 2"), true),
        ] {
            let record = Record::parse_named(&text).unwrap();
            assert_eq!(record.board.name.to_string(), "gifts/room 1 of 2");
            assert_eq!(!record.board.activity.is_always(), bounded);
        }
        assert!(Record::parse_named("00000000000000ff 16").is_none());
    }
}
