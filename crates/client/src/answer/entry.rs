//! Members with their ranks and standings: [`Entry`] and similar types.

use jiff::Timestamp;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};

use super::profile::Profile;
use super::time::in_micros;
use super::values::{POINTS, Values, points};

/// A ranked member.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WireEntry")]
#[non_exhaustive]
pub struct Entry {
    /// The rank, by the kind's rank style.
    pub rank: u64,
    /// The position, in lists of kinds whose members can share a rank. Elsewhere it is the rank.
    pub position: Option<u64>,
    /// The member.
    pub member: String,
    /// The fields of the standing.
    pub values: Values,
    /// When the standing was reached.
    pub reached_at: Timestamp,
    /// The member's profile, if profiles were requested and it has one.
    pub profile: Option<Profile>,
}

/// A member that was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WireFound")]
#[non_exhaustive]
pub struct Found {
    /// The rank, by the kind's rank style. `None` if the member is not ranked.
    pub rank: Option<u64>,
    /// The position, in kinds whose members can share a rank. Elsewhere it is the rank.
    pub position: Option<u64>,
    /// The member.
    pub member: String,
    /// The fields of the standing; empty if there is none.
    pub values: Values,
    /// When the standing was reached.
    pub reached_at: Option<Timestamp>,
    /// The member's profile, if profiles were requested and it has one.
    pub profile: Option<Profile>,
}

/// A neighbour of a member.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Neighbour {
    /// The neighbour.
    #[serde(flatten)]
    pub entry: Entry,
    /// The difference of the first field. `None` if one of the two has no value in it.
    pub gap: Option<u64>,
}

/// An entry that has moved, in an event `changes` of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Moved {
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
    /// The position; 1 is best.
    pub position: u64,
    /// The position before, if the member climbed or fell.
    pub was: Option<u64>,
}

/// A member's standing in one window after a contribution.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WireStanding")]
#[non_exhaustive]
pub struct Standing {
    /// The full name of the window.
    pub window: String,
    /// The fields of the standing.
    pub values: Values,
    /// When the standing was reached.
    pub reached_at: Timestamp,
    /// The rank, by the kind's rank style. Only with [`Returning::Ranks`](crate::Returning).
    pub rank: Option<u64>,
    /// The position; 1 is best. Only with [`Returning::Ranks`](crate::Returning).
    pub position: Option<u64>,
    /// The rank right before the request; `None` if the member was not ranked. Only with
    /// [`Returning::PreviousRanks`](crate::Returning).
    pub previous_rank: Option<u64>,
}

/// Returns a member as JSON.
macro_rules! wire_value {
    (reached_at: $at:expr) => {
        in_micros($at, serde_json::value::Serializer)
    };
    ($member:ident: $value:expr) => {
        serde_json::to_value($value)
    };
}

/// Declares the wire format of a type: the fields of the standing are either `points` or `values`, next to the other
/// members.
///
/// Serialized, a type has the same members, except those without a value.
macro_rules! wire_format {
    ($wire:ident -> $name:ident { $($member:ident: $type:ty,)* }) => {
        #[derive(Deserialize)]
        struct $wire {
            #[serde(default, deserialize_with = "points")]
            points: Option<Values>,
            #[serde(default)]
            values: Option<Values>,
            $($member: $type,)*
        }

        impl From<$wire> for $name {
            fn from(wire: $wire) -> Self {
                Self {
                    values: wire.values.or(wire.points).unwrap_or_default(),
                    $($member: wire.$member,)*
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                $(
                    let value = wire_value!($member: &self.$member).map_err(serde::ser::Error::custom)?;
                    if !value.is_null() {
                        map.serialize_entry(stringify!($member), &value)?;
                    }
                )*
                if self.values.iter().map(|(name, _)| name).eq([POINTS]) {
                    map.serialize_entry(POINTS, &self.values.points())?;
                } else if !self.values.is_empty() {
                    map.serialize_entry("values", &self.values)?;
                }
                map.end()
            }
        }
    };
}

wire_format! {
    WireEntry -> Entry {
        rank: u64, position: Option<u64>, member: String, reached_at: Timestamp, profile: Option<Profile>,
    }
}
wire_format! {
    WireFound -> Found {
        rank: Option<u64>, position: Option<u64>, member: String, reached_at: Option<Timestamp>, profile: Option<Profile>,
    }
}
wire_format! {
    WireStanding -> Standing {
        window: String, reached_at: Timestamp, rank: Option<u64>, position: Option<u64>, previous_rank: Option<u64>,
    }
}

impl Entry {
    /// Returns the field `points`.
    #[must_use]
    pub fn points(&self) -> Option<i64> {
        self.values.points()
    }
}

impl Found {
    /// Returns the field `points`.
    #[must_use]
    pub fn points(&self) -> Option<i64> {
        self.values.points()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order_and_null_differs_from_absent() {
        let read = |text: &str| serde_json::from_str::<Found>(text).unwrap();
        let found = read(
            r#"{"rank":2,"member":"u","values":{"z":3,"a":null,"m":-1},"reached_at":"2026-11-20T14:52:22.123000Z","new":1}"#,
        );
        let fields: Vec<_> = found.values.iter().collect();
        assert_eq!(fields, [("z", Some(3)), ("a", None), ("m", Some(-1))]);
        assert_eq!(
            (found.values.first(), found.values.get("a")),
            (Some(3), None)
        );
        let at = found.reached_at.unwrap();
        assert_eq!(at.as_millisecond(), 1_795_186_342_123);
        let null = read(r#"{"rank":1,"member":"u","points":null}"#);
        assert_eq!((null.values.len(), null.points()), (1, None));
        assert!(read(r#"{"rank":null,"member":"u"}"#).values.is_empty());
    }

    #[test]
    fn what_is_serialized_is_what_was_read() {
        for text in [
            r#"{"rank":1,"member":"u","reached_at":"2026-11-20T14:52:22.123000Z","points":-9}"#,
            r#"{"rank":1,"member":"u","reached_at":"2026-11-20T14:52:22.120000Z","profile":{"name":"U"},"values":{"z":1,"a":null}}"#,
        ] {
            let entry: Entry = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&entry).unwrap(), text);
        }
        let text = r#"{"window":"all","reached_at":"2026-11-20T14:52:22.123000Z","rank":2,"position":3,"points":7}"#;
        let standing: Standing = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&standing).unwrap(), text);
        let found: Found = serde_json::from_str(r#"{"rank":null,"member":"u"}"#).unwrap();
        assert_eq!(serde_json::to_string(&found).unwrap(), r#"{"member":"u"}"#);
    }

    #[test]
    fn neighbours_and_moved_entries_contain_an_entry() {
        let text = r#"{"rank":1,"member":"u","points":9,"reached_at":"2026-11-20T14:52:22.123000Z","gap":4,"position":1}"#;
        let neighbour: Neighbour = serde_json::from_str(text).unwrap();
        assert_eq!(
            (neighbour.entry.points(), neighbour.gap),
            (Some(9), Some(4))
        );
        let moved: Moved = serde_json::from_str(text).unwrap();
        assert_eq!((moved.position, moved.was), (1, None));
    }
}
