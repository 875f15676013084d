//! The table at the end of a snapshot: its units and the kinds.

use std::sync::Arc;

use board::Kind;

use super::super::bytes::{Bytes, Malformed, put_varint};
use super::Totals;
use shard_store::KindRecord;
use shard_store::kind_text::{Calendars, decode_kind, decode_record};

/// Frames that can be read independently of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) offset: u64,
    pub(super) bytes: u64,
    pub(super) totals: Totals,
}

/// The contents of the table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) units: Vec<Unit>,
    pub(super) definitions: Vec<Arc<Kind>>,
    pub(super) kinds: Vec<KindRecord>,
}

/// Texts, each after its length.
#[derive(Debug, Default)]
pub(super) struct Texts {
    count: u64,
    bytes: Vec<u8>,
}

impl Texts {
    /// Adds a text.
    pub(super) fn push(&mut self, text: &[u8]) {
        self.count += 1;
        put_varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend_from_slice(text);
    }
}

/// Encodes the table. The offsets of units follow from that of the first.
pub(super) fn encode(units: &[Unit], definitions: &Texts, kinds: &Texts) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, units.len() as u64);
    for unit in units {
        let Totals { parts, rows, ids } = unit.totals;
        for number in [unit.bytes, parts, rows, ids] {
            put_varint(&mut out, number);
        }
    }
    for texts in [definitions, kinds] {
        put_varint(&mut out, texts.count);
        out.extend_from_slice(&texts.bytes);
    }
    out
}

/// Decodes a table, whose units fill the file from `begin` to `end`.
pub(super) fn decode(bytes: &[u8], begin: u64, end: u64) -> Result<Table, Malformed> {
    let mut bytes = Bytes::new(bytes);
    let units = take_units(&mut bytes, begin, end)?;
    let mut calendars = Calendars::default();
    let definitions = take_all(&mut bytes, "a definition", |json| {
        Ok(decode_kind(json, &mut calendars).map(Arc::new)?)
    })?;
    let kinds = take_all(&mut bytes, "a kind", |json| {
        Ok(decode_record(json, &mut calendars)?)
    })?;
    bytes.end()?;
    Ok(Table {
        units,
        definitions,
        kinds,
    })
}

fn take_units(bytes: &mut Bytes<'_>, begin: u64, end: u64) -> Result<Vec<Unit>, Malformed> {
    const WHAT: &str = "a unit";
    let mut units = Vec::new();
    let mut offset = begin;
    // Nothing is reserved: the number is not yet known to be right.
    for _ in 0..bytes.varint("a number of units")? {
        let unit = Unit {
            offset,
            bytes: bytes.varint(WHAT)?,
            totals: Totals {
                parts: bytes.varint(WHAT)?,
                rows: bytes.varint(WHAT)?,
                ids: bytes.varint(WHAT)?,
            },
        };
        let fits = unit.bytes > 0 && unit.bytes <= end - offset;
        if !fits {
            return Err(Malformed::OutOfRange("a unit's bytes", unit.bytes));
        }
        offset += unit.bytes;
        units.push(unit);
    }
    if offset == end {
        Ok(units)
    } else {
        Err(Malformed::Wrong("the units do not end at the table"))
    }
}

fn take_all<T>(
    bytes: &mut Bytes<'_>,
    what: &'static str,
    mut take: impl FnMut(&[u8]) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let mut all = Vec::new();
    for _ in 0..bytes.varint(what)? {
        let len = bytes.varint(what)?;
        let len = usize::try_from(len).map_err(|_| Malformed::Short(what))?;
        all.push(take(bytes.take(len, what)?)?);
    }
    Ok(all)
}
