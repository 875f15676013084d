//! A board's record as the registry keeps it: text that people read.

use std::sync::Arc;

use board::{BoardName, Incarnation, Meaning, ShardCount, Timestamp};

use crate::contract::BoardRecord;
use crate::redis::servers::ServerId;
use crate::redis::spread::Spread;
use crate::redis::wire::Garbled;

/// What the registry knows of a board.
#[derive(Debug, Clone)]
pub(in crate::redis) struct Record {
    /// Which life it is, and where its shards lie.
    pub(in crate::redis) spread: Spread,
    /// When it was born, or its settings were made.
    pub(in crate::redis) at: Timestamp,
    /// When a writer told last that it was there: at most an eighth of the idle time before the last write.
    pub(in crate::redis) touched: Timestamp,
    /// While an idle board is emptied: up to when what was written goes.
    pub(in crate::redis) emptying: Option<Timestamp>,
}

impl Record {
    /// Reads `LIFE SHARDS MEANING AT TOUCHED SERVERS EMPTYING`.
    pub(super) fn parse(name: &BoardName, born: bool, text: &str) -> Result<Self, Garbled> {
        let words: Vec<&str> = text.split(' ').collect();
        let &[life, shards, meaning, at, touched, servers, emptying] = words.as_slice() else {
            return Err(Garbled("no board's record"));
        };
        let shards = shards.parse().ok().and_then(ShardCount::new);
        let board = BoardRecord {
            name: name.clone(),
            incarnation: Incarnation(hex(life)?),
            shards: shards.ok_or(Garbled("no number of shards"))?,
            meaning: Meaning(hex(meaning)?),
            born,
        };
        Ok(Self {
            spread: Spread {
                board,
                servers: servers_named(servers)?,
            },
            at: time(at)?,
            touched: time(touched)?,
            emptying: match emptying {
                "-" => None,
                bound => Some(time(bound)?),
            },
        })
    }

    /// Reads a letter for whether it was born, and its record; nothing where there is no board.
    pub(super) fn told(name: &BoardName, payload: &[u8]) -> Result<Option<Self>, Garbled> {
        let text = std::str::from_utf8(payload).map_err(|_| Garbled("no UTF-8"))?;
        match text.split_at_checked(1) {
            None => Ok(None),
            Some(("b", record)) => Self::parse(name, true, record).map(Some),
            Some(("u", record)) => Self::parse(name, false, record).map(Some),
            Some(_) => Err(Garbled("no board")),
        }
    }

    /// What users of the store see of it.
    pub(in crate::redis) const fn board(&self) -> &BoardRecord {
        &self.spread.board
    }
}

/// The servers that a board is spread over, as its record names them.
pub(super) fn servers_text(servers: &[ServerId]) -> String {
    if servers.is_empty() {
        return "-".to_owned();
    }
    let names: Vec<_> = servers.iter().map(|id| format!("{:016x}", id.0)).collect();
    names.join(",")
}

fn servers_named(text: &str) -> Result<Arc<[ServerId]>, Garbled> {
    match text {
        "-" => Ok(Arc::default()),
        text => text.split(',').map(|id| hex(id).map(ServerId)).collect(),
    }
}

fn hex(text: &str) -> Result<u64, Garbled> {
    u64::from_str_radix(text, 16).map_err(|_| Garbled("no hexadecimal number"))
}

/// Milliseconds as text.
pub(super) fn time(text: &str) -> Result<Timestamp, Garbled> {
    let ms = text.parse().map_err(|_| Garbled("no time"))?;
    Ok(Timestamp::from_millis(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_go_back_from_their_text() {
        for count in 0..3 {
            let servers: Vec<_> = (0..count).map(ServerId).collect();
            assert_eq!(*servers_named(&servers_text(&servers)).unwrap(), servers);
        }
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let name = "gifts/room".parse().unwrap();
        let good = "00000000000000ff 16 0000000000000001 5 6 - -";
        let record = Record::parse(&name, true, good).unwrap();
        assert_eq!(record.spread.life(), Incarnation(255));
        assert_eq!((record.at.millis(), record.touched.millis()), (5, 6));
        for wrong in [
            "",
            "00000000000000ff 16",
            &good.replace("16", "3"),
            &good.replace("ff", "fg"),
        ] {
            assert!(Record::parse(&name, true, wrong).is_err(), "{wrong}");
        }
        assert!(Record::told(&name, b"").unwrap().is_none());
        assert!(Record::told(&name, format!("x{good}").as_bytes()).is_err());
    }
}
