//! The elements of a part as bytes and back. Their order is checked in `write` and `read`.

use board::limits::{NAME_BYTES_MAX, PROFILE_BYTES_MAX};
use board::{
    BoardName, Incarnation, KindName, Member, Profile, STANDING_WORDS_MAX, ShardCount, Subject,
    Timestamp,
};

use super::super::bytes::{
    ACTIVITY_BYTES_MAX, Bytes, Malformed, VARINT_BYTES_MAX, invalid, put_activity, put_name,
    put_profile, put_signed, put_time, put_u16, put_u32, put_u64, put_varint, put_window,
};
use super::{PartHead, Watermarks, WindowHead};
use shard_store::ProfileChange;

/// The tags of the elements. Ids and rows have none; they are counted.
pub(super) const HEAD: u8 = 1;
pub(super) const WATERMARKS: u8 = 2;
pub(super) const IDS: u8 = 3;
pub(super) const WINDOW: u8 = 4;
pub(super) const END: u8 = 5;
/// Profiles of a kind, in no part.
pub(super) const PROFILES: u8 = 6;

/// A member, and its profile after its length.
pub(super) const PROFILE_ELEMENT_BYTES_MAX: usize = 1 + NAME_BYTES_MAX + 2 + PROFILE_BYTES_MAX;

/// Bytes of the smallest profile.
pub(super) const PROFILE_ELEMENT_BYTES_MIN: usize = 2 + 2;

const ROW_BYTES_MAX: usize = 1 + NAME_BYTES_MAX + 8 * STANDING_WORDS_MAX;

/// Its tag, three numbers of eight bytes, a flag, three numbers of two bytes, the index of a
/// definition, a subject, and the board's activity.
const HEAD_BYTES_MAX: usize =
    1 + 3 * 8 + 1 + 3 * 2 + VARINT_BYTES_MAX + 1 + NAME_BYTES_MAX + ACTIVITY_BYTES_MAX;

/// Maximum bytes of an element: a row of eight words, or a head.
pub(super) const ELEMENT_BYTES_MAX: usize = if ROW_BYTES_MAX > HEAD_BYTES_MAX {
    ROW_BYTES_MAX
} else {
    HEAD_BYTES_MAX
};

pub(super) const ID_BYTES: usize = 16;

/// The time to which windows are relative.
const EPOCH: Timestamp = Timestamp::from_millis(0);

pub(super) fn put_head(out: &mut Vec<u8>, head: &PartHead) {
    out.push(HEAD);
    put_u64(out, head.incarnation.0);
    put_u64(out, head.sequence);
    put_time(out, head.last_write);
    out.push(u8::from(head.created));
    put_u16(out, head.shards.get());
    put_u16(out, head.parts);
    put_u16(out, head.part);
    put_varint(out, u64::from(head.kind));
    put_name(out, head.name.subject().as_bytes());
    put_activity(out, &head.activity);
}

/// Reads a head. `kind_of` returns the name of the definition at an index.
pub(super) fn take_head(
    bytes: &mut Bytes<'_>,
    kind_of: impl FnOnce(u32) -> Option<KindName>,
) -> Result<PartHead, Malformed> {
    const SHARDS: &str = "a number of shards";
    const PARTS: &str = "a number of parts";
    const PART: &str = "a part";
    const KIND: &str = "the place of a definition";
    let incarnation = Incarnation(bytes.u64("an incarnation")?);
    let sequence = bytes.u64("a part's sequence")?;
    let last_write = bytes.time("the time of a last write")?;
    let created = bytes.flag("whether a board is created")?;
    let shards = u64::from(bytes.u16(SHARDS)?);
    let shards = ShardCount::new(shards).ok_or(Malformed::OutOfRange(SHARDS, shards))?;
    let parts = bytes.u16(PARTS)?;
    if parts != 1 && parts != shards.get() {
        return Err(Malformed::OutOfRange(PARTS, u64::from(parts)));
    }
    let part = bytes.u16(PART)?;
    if part >= parts {
        return Err(Malformed::OutOfRange(PART, u64::from(part)));
    }
    let place = bytes.varint(KIND)?;
    let kind = u32::try_from(place).ok();
    let (kind, kind_name) = kind
        .and_then(|kind| Some((kind, kind_of(kind)?)))
        .ok_or(Malformed::OutOfRange(KIND, place))?;
    let subject = Subject::new(bytes.name("a subject")?).map_err(invalid("a subject"))?;
    let activity = bytes.activity()?;
    Ok(PartHead {
        name: BoardName::new(kind_name, subject),
        incarnation,
        shards,
        activity,
        created,
        last_write,
        kind,
        parts,
        part,
        sequence,
    })
}

pub(super) fn put_watermarks(out: &mut Vec<u8>, watermarks: &Watermarks) {
    out.push(WATERMARKS);
    let mut bits = 0;
    for (index, start) in watermarks.iter().enumerate() {
        bits |= u64::from(start.is_some()) << index;
    }
    put_varint(out, bits);
    for start in watermarks.iter().flatten() {
        put_signed(out, start.micros());
    }
}

pub(super) fn take_watermarks(bytes: &mut Bytes<'_>) -> Result<Watermarks, Malformed> {
    const BITS: &str = "the bits of watermarks";
    let bits = bytes.varint(BITS)?;
    let mut watermarks = Watermarks::default();
    if bits >> watermarks.len() != 0 {
        return Err(Malformed::OutOfRange(BITS, bits));
    }
    for (index, start) in watermarks.iter_mut().enumerate() {
        if bits & 1 << index != 0 {
            *start = Some(bytes.time_near(EPOCH, "a watermark")?);
        }
    }
    Ok(watermarks)
}

pub(super) fn put_ids(out: &mut Vec<u8>, began: Timestamp, count: u64) {
    out.push(IDS);
    put_time(out, began);
    put_varint(out, count);
}

pub(super) fn take_ids(bytes: &mut Bytes<'_>) -> Result<(Timestamp, u64), Malformed> {
    let began = bytes.time("when ids began")?;
    Ok((began, bytes.varint("a number of ids")?))
}

pub(super) fn put_id(out: &mut Vec<u8>, id: [u32; 4]) {
    for word in id {
        put_u32(out, word);
    }
}

pub(super) fn take_id(bytes: &mut Bytes<'_>) -> Result<[u32; 4], Malformed> {
    let mut id = [0; 4];
    for word in &mut id {
        *word = bytes.u32("an id")?;
    }
    Ok(id)
}

pub(super) fn put_window_head(out: &mut Vec<u8>, head: &WindowHead) {
    out.push(WINDOW);
    put_window(out, head.window, EPOCH);
    put_varint(out, head.counter);
    put_u64(out, head.digest);
    put_varint(out, head.rows);
}

pub(super) fn take_window_head(bytes: &mut Bytes<'_>) -> Result<WindowHead, Malformed> {
    Ok(WindowHead {
        window: bytes.window(EPOCH)?,
        counter: bytes.varint("a window's counter")?,
        digest: bytes.u64("a window's digest")?,
        rows: bytes.varint("a number of rows")?,
    })
}

pub(super) fn put_profiles_head(out: &mut Vec<u8>, kind: &KindName, count: u64) {
    out.push(PROFILES);
    put_name(out, kind.as_bytes());
    put_varint(out, count);
}

pub(super) fn take_profiles_head(bytes: &mut Bytes<'_>) -> Result<(KindName, u64), Malformed> {
    let kind = KindName::new(bytes.name("a kind's name")?).map_err(invalid("a kind's name"))?;
    Ok((kind, bytes.varint("a number of profiles")?))
}

pub(super) fn put_profile_of(out: &mut Vec<u8>, member: &Member, profile: &Profile) {
    put_name(out, member.as_bytes());
    put_profile(out, profile);
}

pub(super) fn take_profile_of(bytes: &mut Bytes<'_>) -> Result<ProfileChange, Malformed> {
    let member = Member::new(bytes.name("a member")?).map_err(invalid("a member"))?;
    let profile = Some(bytes.profile()?);
    Ok(ProfileChange { member, profile })
}

/// Returns the bytes of the smallest row of this many words.
pub(super) const fn row_bytes_min(words: usize) -> usize {
    2 + words * size_of::<u64>()
}

pub(super) fn put_row(out: &mut Vec<u8>, member: &[u8], words: &[u64]) {
    put_name(out, member);
    for word in words {
        put_u64(out, *word);
    }
}

/// Reads a row into `words`, and returns the member.
pub(super) fn take_row<'a>(
    bytes: &mut Bytes<'a>,
    words: &mut [u64],
) -> Result<&'a [u8], Malformed> {
    const WHAT: &str = "a member";
    let member = bytes.name(WHAT)?.as_bytes();
    if member.is_empty() || member.len() > NAME_BYTES_MAX {
        return Err(Malformed::OutOfRange(
            "a member's length",
            member.len() as u64,
        ));
    }
    for word in words {
        *word = bytes.u64("a standing")?;
    }
    Ok(member)
}
