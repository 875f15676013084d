//! Converting entries of a stream to contributions: [`StreamEntry`], [`StreamEntry::line`].
//!
//! A contribution without an id or a time gets those of its entry. Only the server validates contributions.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use redis_nodes::redis_link::Reply;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;

use super::connection::{bytes, items, text};
use crate::integer;

/// The server's limit for a line.
const LINE_BYTES_MAX: usize = 64 << 10;
/// The server's minimum for a time in milliseconds. An entry id below it was set by a producer and is not a time.
const TIME_MIN_MS: u64 = 100_000_000_000;

/// An entry of a stream.
#[derive(Clone, Debug)]
pub(super) struct StreamEntry {
    /// The number of the stream.
    pub(super) partition: u64,
    /// The id, such as `1526919030474-55`.
    pub(super) id: String,
    /// Names and values, alternately.
    pub(super) fields: Vec<Bytes>,
    /// Whether it may have been sent before.
    pub(super) is_redelivered: bool,
}

/// A line to send.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Line {
    /// JSON, with a newline at the end.
    pub(super) text: String,
    /// The kind of the first board, if the name of the board is valid.
    pub(super) kind: Option<String>,
}

impl StreamEntry {
    /// Parses `[id, [name, value, ...]]`. Returns `None` for a deleted entry.
    pub(super) fn read(partition: u64, reply: &Reply, is_redelivered: bool) -> Option<Self> {
        let [id, fields] = items(reply) else {
            return None;
        };
        Some(Self {
            partition,
            id: text(id)?.to_owned(),
            fields: match fields {
                Reply::Array { data, .. } => data.iter().filter_map(bytes).cloned().collect(),
                _ => return None,
            },
            is_redelivered,
        })
    }

    /// Returns the total length of names and values.
    pub(super) fn bytes(&self) -> usize {
        self.fields.iter().map(Bytes::len).sum()
    }

    /// Returns the time at which the entry was added, if its id is a time.
    pub(super) fn added_ms(&self) -> Option<u64> {
        let (ms, _) = self.id.split_once('-')?;
        ms.parse().ok().filter(|ms| *ms >= TIME_MIN_MS)
    }

    /// Returns the same in microseconds: entries of one millisecond, which their ids number, stay in order.
    fn added_us(&self) -> Option<u64> {
        let (_, number) = self.id.split_once('-')?;
        let number: u64 = number.parse().ok()?;
        self.added_ms()?
            .checked_mul(1_000)?
            .checked_add(number.min(999))
    }

    /// Converts the entry to a line. Returns an error if it is invalid.
    pub(super) fn line(&self, stream: &str) -> Result<Line, String> {
        let fields = self.fields()?;
        let mut object = match fields.as_slice() {
            [("json", json)] => Object::from_json(json)?,
            fields => Object::from_fields(fields)?,
        };
        let kind = object.kind();
        // A removal has neither.
        let is_removal = object.has("remove");
        if !is_removal && !object.has("id") {
            object.put_text("id", &format!("{stream}/{}", self.id))?;
        }
        if let (false, Some(us)) = (is_removal || object.has("at"), self.added_us()) {
            object.put_raw("at", us.to_string())?;
        }
        let mut text = serde_json::to_string(&object).map_err(|error| error.to_string())?;
        // In JSON, line breaks are white space; in strings they are escaped.
        if text.contains(['\n', '\r']) {
            text = text.replace(['\n', '\r'], " ");
        }
        if text.len() > LINE_BYTES_MAX {
            return Err(format!(
                "the contribution has {} bytes; at most {LINE_BYTES_MAX} are allowed",
                text.len()
            ));
        }
        text.push('\n');
        Ok(Line { text, kind })
    }

    fn fields(&self) -> Result<Vec<(&str, &str)>, String> {
        let texts: Result<Vec<&str>, _> = self
            .fields
            .iter()
            .map(|field| std::str::from_utf8(field))
            .collect();
        let texts = texts.map_err(|_| "it is not UTF-8")?;
        let (pairs, _) = texts.as_chunks::<2>();
        Ok(pairs.iter().map(|[name, value]| (*name, *value)).collect())
    }
}

/// A JSON object with raw values.
struct Object<'a>(Vec<(Cow<'a, str>, Cow<'a, RawValue>)>);

impl<'a> Object<'a> {
    /// Parses an object, without members that are null.
    fn from_json(json: &'a str) -> Result<Self, String> {
        let mut object: Self =
            serde_json::from_str(json).map_err(|error| format!("json: {error}"))?;
        object.0.retain(|(_, value)| value.get() != "null");
        Ok(object)
    }

    fn from_fields(fields: &[(&str, &str)]) -> Result<Self, String> {
        let mut object = Self(Vec::with_capacity(fields.len() + 2));
        for &(name, value) in fields {
            match name {
                "board" | "member" | "id" => object.put_text(name, value)?,
                "at" if !is_integer(value) => object.put_text(name, value)?,
                "points" => {
                    let points = integer::parse(value);
                    let points = points.map_err(|error| format!("points: {value:?} {error}"))?;
                    object.put_raw(name, points.to_string())?;
                }
                "values" | "at" => object.put_raw(name, value.to_owned())?,
                _ => {
                    return Err(format!(
                        "unknown field {name:?}; expected either json alone, or board, member, \
                        points or values, at and id"
                    ));
                }
            }
        }
        Ok(object)
    }

    fn get(&self, name: &str) -> Option<&RawValue> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| &**value)
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns the kind of the first board.
    fn kind(&self) -> Option<String> {
        let board: String = if let Some(board) = self.get("board") {
            serde_json::from_str(board.get()).ok()?
        } else {
            let boards: Vec<String> = serde_json::from_str(self.get("boards")?.get()).ok()?;
            boards.into_iter().next()?
        };
        board.split_once('/').map(|(kind, _)| kind.to_owned())
    }

    fn put_text(&mut self, name: &str, text: &str) -> Result<(), String> {
        let json = serde_json::to_string(text).map_err(|error| error.to_string())?;
        self.put_raw(name, json)
    }

    fn put_raw(&mut self, name: &str, json: String) -> Result<(), String> {
        let value = RawValue::from_string(json).map_err(|error| format!("{name}: {error}"))?;
        self.0
            .push((Cow::Owned(name.to_owned()), Cow::Owned(value)));
        Ok(())
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a contribution, an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Object<'de>, M::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    members.push((Cow::Owned(name), Cow::Borrowed(value)));
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(fields: &[&str]) -> Result<String, String> {
        let entry = StreamEntry {
            partition: 3,
            id: "1700000000123-4".to_owned(),
            fields: fields
                .iter()
                .map(|field| Bytes::copy_from_slice(field.as_bytes()))
                .collect(),
            is_redelivered: false,
        };
        entry.line("q:3").map(|line| line.text)
    }

    #[test]
    fn json_gets_the_id_and_the_time_of_its_entry() {
        assert_eq!(
            line(&[
                "json",
                "{\"board\":\"g/a\",\r\n \"points\": 9007199254740993, \"id\":null}"
            ])
            .unwrap(),
            "{\"board\":\"g/a\",\"points\":9007199254740993,\"id\":\"q:3/1700000000123-4\",\
             \"at\":1700000000123004}\n"
        );
        let own = r#"{"id":"e1","at":"2026-11-20T14:52:22Z"}"#;
        assert_eq!(line(&["json", own]).unwrap(), format!("{own}\n"));
        // Duplicate members are sent unchanged: the server rejects them.
        let twice = r#"{"id":"a","id":"b","at":1}"#;
        assert_eq!(line(&["json", twice]).unwrap(), format!("{twice}\n"));
        let nested = line(&["json", "{\"values\":{\n\"a\":1}}"]).unwrap();
        assert_eq!(nested.lines().count(), 1, "{nested}");
    }

    #[test]
    fn fields_are_converted_to_a_contribution() {
        assert_eq!(
            line(&[
                "board",
                "g/\"a",
                "member",
                "7",
                "points",
                "-5",
                "at",
                "1700000000000"
            ])
            .unwrap(),
            "{\"board\":\"g/\\\"a\",\"member\":\"7\",\"points\":-5,\"at\":1700000000000,\
             \"id\":\"q:3/1700000000123-4\"}\n"
        );
        assert_eq!(
            line(&[
                "member",
                "u",
                "values",
                "{\"a\": 1}",
                "id",
                "x",
                "at",
                "2026-11-20T14:52:22Z"
            ])
            .unwrap(),
            "{\"member\":\"u\",\"values\":{\"a\": 1},\"id\":\"x\",\"at\":\"2026-11-20T14:52:22Z\"}\n"
        );
    }

    #[test]
    fn errors_name_the_invalid_field() {
        let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(LINE_BYTES_MAX));
        for (fields, part) in [
            (&["json", "{"][..], "json"),
            (&["json", "[]"], "json"),
            (&["json", "{} {}"], "json"),
            (&["json", "{}", "board", "g/a"], "\"json\""),
            (&["points", "1.5"], "points: \"1.5\""),
            (&["points", ""], "points"),
            (&["values", "{"], "values"),
            (&["who", "u"], "\"who\""),
            (&["json", &huge], "65536"),
        ] {
            let error = line(fields).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        let mut entry = StreamEntry {
            partition: 0,
            id: "1-1".to_owned(),
            fields: vec![Bytes::from_static(b"json"), Bytes::from_static(b"\xff")],
            is_redelivered: false,
        };
        assert!(entry.line("q:0").unwrap_err().contains("UTF-8"));
        // An id that is a counter is not a time.
        entry.fields[1] = Bytes::from_static(b"{}");
        assert_eq!(entry.line("q:0").unwrap().text, "{\"id\":\"q:0/1-1\"}\n");
    }

    #[test]
    fn the_kind_is_that_of_the_first_board() {
        let kind = |json| Object::from_json(json).unwrap().kind();
        assert_eq!(kind(r#"{"board":"g/a/b"}"#).as_deref(), Some("g"));
        assert_eq!(kind(r#"{"boards":["k/a","g/b"]}"#).as_deref(), Some("k"));
        assert_eq!(kind(r#"{"board":7}"#), None);
        assert_eq!(kind("{}"), None);
    }
}
