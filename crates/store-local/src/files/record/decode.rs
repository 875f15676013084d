//! Decodes records. Any bytes are decoded or rejected; none panic, and the result is not much larger than the bytes.

use board::{BoardName, Incarnation, KindName, Meaning, Member, ShardCount, Subject, Window};

use super::super::bytes::{Bytes, Malformed, invalid};
use super::encode::EPOCH;
use super::{Record, Type, applied, take_shard};
use shard_store::kind_text::{Calendars, decode_record};
use shard_store::{BoardRecord, ProfileChange};

/// Decodes a record, which takes all of the bytes.
pub fn decode(bytes: &[u8]) -> Result<Record, Malformed> {
    let mut bytes = Bytes::new(bytes);
    let number = bytes.byte("a record's type")?;
    let of = Type::ALL.into_iter().find(|of| *of as u8 == number);
    let record = match of {
        None => return Err(Malformed::OutOfRange("a record's type", u64::from(number))),
        Some(Type::KindWritten) => Record::KindWritten {
            without_boards: bytes.flag("whether a kind had no boards")?,
            record: decode_record(bytes.take_rest(), &mut Calendars::default())?,
        },
        Some(Type::BoardMade) => board_made(&mut bytes)?,
        Some(Type::BoardCreated) => Record::BoardCreated {
            incarnation: incarnation(&mut bytes)?,
            at: bytes.time("the time of a creation")?,
        },
        Some(Type::ActivityChanged) => Record::ActivityChanged {
            incarnation: incarnation(&mut bytes)?,
            activity: bytes.activity()?,
        },
        Some(Type::Applied) => {
            let incarnation = incarnation(&mut bytes)?;
            Record::Applied(applied::take(&mut bytes, incarnation)?)
        }
        Some(Type::WindowsDropped) => windows_dropped(&mut bytes)?,
        Some(Type::BoardEmptied) => Record::BoardEmptied {
            incarnation: incarnation(&mut bytes)?,
        },
        Some(Type::BoardSplit) => Record::BoardSplit {
            incarnation: incarnation(&mut bytes)?,
        },
        Some(Type::BoardEnded) => Record::BoardEnded {
            incarnation: incarnation(&mut bytes)?,
        },
        Some(Type::ProfilePut) => profile_changed(&mut bytes, true)?,
        Some(Type::ProfileDeleted) => profile_changed(&mut bytes, false)?,
    };
    bytes.end()?;
    Ok(record)
}

fn incarnation(bytes: &mut Bytes<'_>) -> Result<Incarnation, Malformed> {
    bytes.u64("an incarnation").map(Incarnation)
}

/// Reads a board's record.
fn board_made(bytes: &mut Bytes<'_>) -> Result<Record, Malformed> {
    const SHARDS: &str = "a number of shards";
    let incarnation = incarnation(bytes)?;
    let at = bytes.time("the time of a board")?;
    let created = bytes.flag("whether a board is created")?;
    let shards = u64::from(bytes.u16(SHARDS)?);
    let shards = ShardCount::new(shards).ok_or(Malformed::OutOfRange(SHARDS, shards))?;
    let meaning = Meaning(bytes.u64("a meaning")?);
    let kind = KindName::new(bytes.name("a kind's name")?).map_err(invalid("a kind's name"))?;
    let subject = Subject::new(bytes.name("a subject")?).map_err(invalid("a subject"))?;
    let activity = bytes.activity()?;
    let record = BoardRecord {
        name: BoardName::new(kind, subject),
        incarnation,
        shards,
        meaning,
        activity,
        created,
    };
    Ok(Record::BoardMade { record, at })
}

/// Reads a change of a profile. `put`: the profile follows.
fn profile_changed(bytes: &mut Bytes<'_>, put: bool) -> Result<Record, Malformed> {
    let kind = KindName::new(bytes.name("a kind's name")?).map_err(invalid("a kind's name"))?;
    let member = Member::new(bytes.name("a member")?).map_err(invalid("a member"))?;
    let profile = put.then(|| bytes.profile()).transpose()?;
    let change = ProfileChange { member, profile };
    Ok(Record::ProfileChanged { kind, change })
}

fn windows_dropped(bytes: &mut Bytes<'_>) -> Result<Record, Malformed> {
    const NUMBER: &str = "a number of windows";
    let incarnation = incarnation(bytes)?;
    let shard = take_shard(bytes)?;
    let number = bytes.varint(NUMBER)?;
    // A window takes at least a byte.
    let len = usize::try_from(number)
        .ok()
        .filter(|len| *len <= bytes.len());
    let len = len.ok_or(Malformed::OutOfRange(NUMBER, number))?;
    let windows: Result<Vec<Window>, _> = (0..len).map(|_| bytes.window(EPOCH)).collect();
    Ok(Record::WindowsDropped {
        incarnation,
        shard,
        windows: windows?,
    })
}
