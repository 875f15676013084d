//! Entries: `{"rank": 1, "member": "u1", "points": 999, "reached_at": "..."}`.

use board::{Kind, Rules, Timestamp, Values};
use bytes::Bytes;
use merger::{RankedEntry, Rendered};
use serde::ser::{Serialize, SerializeMap, Serializer};
use shard_store::ShardEntry;

/// The fields of a standing in an entry: `points` alone, or all in `values`.
#[derive(Debug)]
pub struct FieldsShape<'a> {
    /// The rules of the kind, with the names of the fields.
    pub rules: &'a Rules,
    /// The values, by field.
    pub values: Values,
}

/// Fields as an object with the member `points` or `values`.
#[derive(Debug)]
pub struct FieldMembers<'a>(&'a FieldsShape<'a>);

impl Serialize for FieldMembers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        self.0.put_into(&mut map)?;
        map.end()
    }
}

impl FieldsShape<'_> {
    /// Returns the fields as an object of their own.
    #[must_use]
    pub const fn as_members(&self) -> FieldMembers<'_> {
        FieldMembers(self)
    }

    pub(crate) fn put_into<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if is_points(self.rules) {
            map.serialize_entry("points", &self.values.get(0).map(board::Value::get))
        } else {
            map.serialize_entry("values", self)
        }
    }
}

impl Serialize for FieldsShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.rules.fields();
        let mut map = serializer.serialize_map(Some(fields.len()))?;
        for (index, field) in fields.iter().enumerate() {
            let value = self.values.get(index).map(board::Value::get);
            map.serialize_entry(field.name.as_str(), &value)?;
        }
        map.end()
    }
}

/// Returns whether `points` is the only field.
pub(crate) fn is_points(rules: &Rules) -> bool {
    rules.fields().len() == 1 && rules.fields()[0].name.as_str() == "points"
}

pub(crate) fn text_of(time: Timestamp) -> String {
    time.to_string()
}

/// An entry.
#[derive(Debug)]
pub struct EntryShape<'a> {
    /// The rules of the kind.
    pub rules: &'a Rules,
    /// The member with its rank.
    pub ranked: &'a RankedEntry,
}

impl EntryShape<'_> {
    /// Adds the members of the entry to an object.
    pub fn put_into<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        put_entry(map, self.rules, Some(self.ranked.rank), &self.ranked.entry)
    }
}

/// Adds the members of an entry to an object. `rank` is null for a member that is not ranked.
pub fn put_entry<M: SerializeMap>(
    map: &mut M,
    rules: &Rules,
    rank: Option<u64>,
    entry: &ShardEntry,
) -> Result<(), M::Error> {
    map.serialize_entry("rank", &rank)?;
    map.serialize_entry("member", entry.key.member.as_str())?;
    let values = rules.values_of(&entry.key.words);
    FieldsShape { rules, values }.put_into(map)?;
    let reached_at = entry.reached_at.to_rfc3339();
    let reached_at = str::from_utf8(&reached_at).expect("a time is ASCII");
    map.serialize_entry("reached_at", reached_at)
}

impl Serialize for EntryShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.put_into(&mut map)?;
        map.end()
    }
}

/// An object with `entries`.
#[derive(Debug, serde::Serialize)]
pub struct Entries<T> {
    /// The entries, best first or in the order of the request.
    pub entries: Vec<T>,
}

impl<'a> Entries<EntryShape<'a>> {
    /// Returns ranked entries as shapes.
    #[must_use]
    pub fn of(rules: &'a Rules, ranked: &'a [RankedEntry]) -> Vec<EntryShape<'a>> {
        ranked
            .iter()
            .map(|ranked| EntryShape { rules, ranked })
            .collect()
    }
}

/// Identifies the format of [`render`], which is the same for all servers of a release.
pub const RENDERER_FORMAT: &str = env!("CARGO_PKG_VERSION");

/// Renders merged entries for the merger's cache.
#[must_use]
pub fn render(kind: &Kind, entries: &[RankedEntry]) -> Rendered {
    const ENTRY_BYTES: usize = 96;
    let mut bytes = Vec::with_capacity(ENTRY_BYTES * entries.len());
    let mut ends = Vec::with_capacity(entries.len());
    for ranked in entries {
        if !bytes.is_empty() {
            bytes.push(b',');
        }
        let shape = EntryShape {
            rules: kind.rules(),
            ranked,
        };
        serde_json::to_writer(&mut bytes, &shape).expect("an entry can be serialized");
        ends.push(u32::try_from(bytes.len()).expect("a top is far smaller than 4 GiB"));
    }
    Rendered {
        bytes: Bytes::from(bytes),
        ends,
    }
}
