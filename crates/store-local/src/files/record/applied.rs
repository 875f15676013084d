//! The record of a batch applied to a shard. Most of a journal consists of these, so they are small and fast.
//!
//! An item is its member, its values and a few bytes. Windows are written where they change, which
//! is rare within a batch.

use std::sync::Arc;
use std::time::Duration;

use board::limits::FIELDS_MAX;
use board::{IdDigest, Incarnation, Member, Period, Timestamp, Value, Values, Window, Windows};

use super::super::bytes::{
    Bytes, Malformed, invalid, put_name, put_signed, put_time, put_time_near, put_u16, put_u32,
    put_varint, put_window,
};
use super::{Applied, take_shard};
use shard_store::{Change, Item};

/// Bytes of a digest that are stored. A shard remembers only the lowest 84 bits, and nothing else
/// uses a digest; a test of the ids verifies that.
pub(super) const DIGEST_BYTES: usize = 11;

/// Maximum windows of an item: one for each period.
pub(super) const WINDOWS_MAX: usize = Period::ALL_PERIODS.len();

/// Bytes of the smallest item: flags, a member of one byte, a time.
const ITEM_BYTES_MIN: usize = 4;

const FOLD: u8 = 0;
const SET: u8 = 1;
const REMOVE: u8 = 2;
const REMOVE_FROM: u8 = 3;
const CHANGE: u8 = 0b11;
const HAS_ID: u8 = 1 << 2;
const OTHER_WINDOWS: u8 = 1 << 3;
/// The bit of the first field.
const FIELDS_SHIFT: usize = 4;

pub(super) fn put(out: &mut Vec<u8>, applied: &engine::Applied<'_>) {
    put_u16(out, applied.shard);
    put_time(out, applied.now);
    // Spans count in whole milliseconds wherever they are added to a time.
    let dedupe_ms = u64::try_from(applied.dedupe.as_millis()).unwrap_or(u64::MAX);
    put_varint(out, dedupe_ms);
    let count_at = out.len();
    put_u32(out, 0);
    let mut count: u32 = 0;
    let mut windows: &[Window] = &[];
    for item in applied.items() {
        put_item(out, item, applied.now, &mut windows);
        count += 1;
    }
    out[count_at..count_at + size_of::<u32>()].copy_from_slice(&count.to_le_bytes());
}

/// Writes an item. `windows` are those of the previous item.
fn put_item<'a>(out: &mut Vec<u8>, item: &'a Item, now: Timestamp, windows: &mut &'a [Window]) {
    let (change, values) = match &item.change {
        Change::Fold(values) => (FOLD, Some(values)),
        Change::Set(values) => (SET, Some(values)),
        Change::Remove => (REMOVE, None),
        // What is recorded was removed: a replay decides nothing.
        Change::RemoveFrom | Change::Expire => (REMOVE_FROM, None),
    };
    debug_assert!(item.change != Change::Expire || item.windows.len() == 1);
    let mut flags = change;
    if item.id.is_some() {
        flags |= HAS_ID;
    }
    for (index, _) in named(values) {
        flags |= 1 << (FIELDS_SHIFT + index);
    }
    // The pointers are mostly equal, which is cheaper than comparing the windows.
    let same = std::ptr::eq(*windows, Arc::as_ptr(&item.windows)) || **windows == *item.windows;
    if change == REMOVE || same {
        out.push(flags);
    } else {
        out.push(flags | OTHER_WINDOWS);
        put_windows(out, &item.windows, now);
        *windows = &item.windows;
    }
    put_name(out, item.member.as_bytes());
    put_time_near(out, item.at, now);
    for (_, value) in named(values) {
        put_signed(out, value.get());
    }
    if let Some(IdDigest(digest)) = item.id {
        out.extend_from_slice(&digest.to_le_bytes()[..DIGEST_BYTES]);
    }
}

fn named(values: Option<&Values>) -> impl Iterator<Item = (usize, Value)> {
    let value = move |index| Some((index, values?.get(index)?));
    (0..FIELDS_MAX).filter_map(value)
}

fn put_windows(out: &mut Vec<u8>, windows: &[Window], now: Timestamp) {
    let len = windows.len();
    assert!(
        len <= WINDOWS_MAX,
        "an item counts in at most one window of each period"
    );
    out.push(u8::try_from(len).expect("there are fewer periods"));
    for window in windows {
        put_window(out, *window, now);
    }
}

pub(super) fn take(bytes: &mut Bytes<'_>, incarnation: Incarnation) -> Result<Applied, Malformed> {
    const COUNT: &str = "a number of items";
    let shard = take_shard(bytes)?;
    let now = bytes.time("the time of a batch")?;
    let dedupe = Duration::from_millis(bytes.varint("a dedupe span")?);
    let count = bytes.u32(COUNT)?;
    let len = usize::try_from(count)
        .ok()
        .filter(|len| *len <= bytes.len() / ITEM_BYTES_MIN);
    let len = len.ok_or(Malformed::OutOfRange(COUNT, u64::from(count)))?;
    let mut items = Vec::with_capacity(len);
    let mut windows: Windows = Arc::default();
    for _ in 0..len {
        items.push(take_item(bytes, now, &mut windows)?);
    }
    Ok(Applied {
        incarnation,
        shard,
        now,
        dedupe,
        items,
    })
}

fn take_item(
    bytes: &mut Bytes<'_>,
    now: Timestamp,
    windows: &mut Windows,
) -> Result<Item, Malformed> {
    let flags = bytes.byte("an item's flags")?;
    if flags & OTHER_WINDOWS != 0 {
        *windows = take_windows(bytes, now)?;
    }
    let member = Member::new(bytes.name("a member")?).map_err(invalid("a member"))?;
    let at = bytes.time_near(now, "an item's time")?;
    let change = match flags & CHANGE {
        FOLD => Change::Fold(take_values(bytes, flags)?),
        SET => Change::Set(take_values(bytes, flags)?),
        // It has no fields and opens no window.
        REMOVE if flags & !(CHANGE | HAS_ID) == 0 => Change::Remove,
        REMOVE_FROM if flags & !(CHANGE | HAS_ID | OTHER_WINDOWS) == 0 => Change::RemoveFrom,
        _ => return Err(Malformed::OutOfRange("an item's flags", u64::from(flags))),
    };
    let id = (flags & HAS_ID != 0)
        .then(|| take_digest(bytes))
        .transpose()?;
    Ok(Item {
        hash: member.placement_hash(),
        member,
        change,
        at,
        id,
        windows: windows.clone(),
    })
}

fn take_values(bytes: &mut Bytes<'_>, flags: u8) -> Result<Values, Malformed> {
    const WHAT: &str = "a value";
    let mut values = Values::default();
    for index in 0..FIELDS_MAX {
        if flags & 1 << (FIELDS_SHIFT + index) != 0 {
            let number = bytes.signed(WHAT)?;
            let past = || Malformed::Invalid(WHAT, format!("{number} is beyond 2^53 - 1"));
            values.set(index, Value::new(number).ok_or_else(past)?);
        }
    }
    Ok(values)
}

fn take_digest(bytes: &mut Bytes<'_>) -> Result<IdDigest, Malformed> {
    let mut digest = [0; size_of::<u128>()];
    digest[..DIGEST_BYTES].copy_from_slice(&bytes.array::<DIGEST_BYTES>("an id")?);
    Ok(IdDigest(u128::from_le_bytes(digest)))
}

fn take_windows(bytes: &mut Bytes<'_>, now: Timestamp) -> Result<Windows, Malformed> {
    const NUMBER: &str = "a number of windows";
    let len = usize::from(bytes.byte(NUMBER)?);
    if len > WINDOWS_MAX {
        return Err(Malformed::OutOfRange(NUMBER, len as u64));
    }
    let mut windows = Vec::with_capacity(len);
    for _ in 0..len {
        let window = bytes.window(now)?;
        if windows
            .iter()
            .any(|held: &Window| held.period() == window.period())
        {
            return Err(Malformed::Wrong("an item has two windows of one period"));
        }
        windows.push(window);
    }
    Ok(windows.into())
}
