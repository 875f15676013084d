//! Parses entries that were rendered by [`render`](crate::render).

use std::borrow::Cow;
use std::collections::HashMap;

use board::{Kind, Member, Timestamp, Value, Values};
use merger::Rendered;
use serde::Deserialize;

/// An entry of a merged board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRead {
    /// The member.
    pub member: String,
    /// The fields.
    pub values: Values,
    /// When the standing was reached.
    pub reached_at: Timestamp,
}

#[derive(Deserialize)]
struct EntryText<'a> {
    #[serde(borrow)]
    member: Cow<'a, str>,
    points: Option<i64>,
    #[serde(borrow, default)]
    values: HashMap<Cow<'a, str>, Option<i64>>,
    #[serde(borrow)]
    reached_at: Cow<'a, str>,
}

/// The member of an entry.
#[derive(Deserialize)]
struct EntryMember<'a> {
    #[serde(borrow)]
    member: Cow<'a, str>,
}

/// Returns the members of the first `n` entries, or of all if there are fewer; `None` if the bytes are not entries.
#[must_use]
pub fn rendered_members(rendered: &Rendered, n: usize) -> Option<Vec<Member>> {
    let mut begin = 0;
    let ends = rendered.ends.iter().take(n).map(|end| *end as usize);
    let members = ends.map(|end| {
        let json = rendered.bytes.get(begin..end)?;
        // After the comma.
        begin = end + 1;
        let entry: EntryMember<'_> = serde_json::from_slice(json).ok()?;
        Member::new(&entry.member).ok()
    });
    members.collect()
}

/// Returns the first `n` entries, or all if there are fewer; `None` if the bytes are not entries of this kind.
#[must_use]
pub fn read_entries(kind: &Kind, rendered: &Rendered, n: usize) -> Option<Vec<EntryRead>> {
    let entries = rendered.first(n);
    let mut list = Vec::with_capacity(entries.len() + 2);
    list.push(b'[');
    list.extend_from_slice(&entries);
    list.push(b']');
    let texts: Vec<EntryText<'_>> = serde_json::from_slice(&list).ok()?;
    texts.into_iter().map(|text| text.read(kind)).collect()
}

impl EntryText<'_> {
    fn read(self, kind: &Kind) -> Option<EntryRead> {
        let mut values = Values::default();
        if let Some(points) = self.points {
            values.set(0, Value::new(points)?);
        }
        for (name, value) in &self.values {
            if let Some(value) = value {
                values.set(kind.rules().field_index(name)?, Value::new(*value)?);
            }
        }
        Some(EntryRead {
            member: self.member.into_owned(),
            values,
            reached_at: Timestamp::parse_rfc3339(&self.reached_at).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use merger::RankedEntry;
    use shard_store::ShardEntry;

    use super::*;
    use crate::{KindShape, render};

    #[track_caller]
    fn check(kind: &str, entries: &[(&str, Values)]) {
        let shape: KindShape = serde_json::from_str(kind).unwrap();
        let kind = shape.into_kind("k").unwrap();
        let reached_at = Timestamp::parse_rfc3339("2026-11-20T14:52:22.123000Z").unwrap();
        let ranked = |(position, (member, values)): (u64, &(&str, Values))| RankedEntry {
            rank: position,
            position,
            entry: ShardEntry {
                key: kind.rules().rank_key(
                    kind.rules().rank_words(values, reached_at),
                    Member::new(member).unwrap(),
                ),
                reached_at,
            },
        };
        let ranked: Vec<_> = (1..).zip(entries).map(ranked).collect();
        let rendered = render(&kind, &ranked);
        let expected = |(member, values): &(&str, Values)| EntryRead {
            member: (*member).to_owned(),
            values: *values,
            reached_at,
        };
        for n in [0, 1, entries.len(), entries.len() + 1] {
            let expected: Vec<_> = entries.iter().take(n).map(expected).collect();
            assert_eq!(read_entries(&kind, &rendered, n), Some(expected));
        }
    }

    #[test]
    fn rendered_entries_are_read() {
        let value = |number| Value::new(number);
        check(
            "{}",
            &[
                ("subscribe", Values::from([value(9_007_199_254_740_991)])),
                ("\"quoted\" \\ ü", Values::from([value(-7)])),
            ],
        );
        check(
            r#"{"fields": [{"name": "laps"}, {"name": "best", "op": "min", "order": "asc"}]}"#,
            &[
                ("a", Values::from([value(3), value(-1)])),
                ("b", Values::from([value(0), None])),
            ],
        );
    }

    #[test]
    fn entries_of_another_kind_are_rejected() {
        let kind = KindShape::default().into_kind("k").unwrap();
        let read = |text: &'static str| {
            let rendered = Rendered {
                bytes: text.into(),
                ends: vec![u32::try_from(text.len()).unwrap()],
            };
            read_entries(&kind, &rendered, 1)
        };
        let at = r#""reached_at":"2026-11-20T14:52:22.123000Z""#;
        assert!(read(r#"{"rank":1"#).is_none());
        assert!(read(r#"{"rank":1,"member":"a","points":1,"reached_at":"soon"}"#).is_none());
        let other = format!(r#"{{"rank":1,"member":"a","values":{{"laps":1}},{at}}}"#);
        assert!(read(other.leak()).is_none());
    }
}
