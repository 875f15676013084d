//! Members and where they stand: [`Entry`], and its like.

use jiff::Timestamp;
use serde::Deserialize;

use super::values::{Values, named};

/// A member who is ranked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WireEntry")]
#[non_exhaustive]
pub struct Entry {
    /// The position, or what the kind's rank style makes of it.
    pub rank: u64,
    /// Who.
    pub member: String,
    /// The fields of the standing.
    pub values: Values,
    /// When the standing was reached.
    pub reached_at: Timestamp,
}

/// A member who was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WireFound")]
#[non_exhaustive]
pub struct Found {
    /// The position, or what the kind's rank style makes of it; none of who is not ranked.
    pub rank: Option<u64>,
    /// Who.
    pub member: String,
    /// The fields of the standing; empty where there is none.
    pub values: Values,
    /// When the standing was reached.
    pub reached_at: Option<Timestamp>,
}

/// A neighbour of a member.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Neighbour {
    /// Who, and where.
    #[serde(flatten)]
    pub entry: Entry,
    /// How much of the first field lies between; none where one of the two has none.
    pub gap: Option<u64>,
}

/// An entry that has moved, as a stream's `changes` tell it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Moved {
    /// Who, and where.
    #[serde(flatten)]
    pub entry: Entry,
    /// Counted from 1.
    pub position: u64,
    /// Of those who climbed or fell: the position before.
    pub was: Option<u64>,
}

/// A member's standing in one window after a contribution.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WireStanding")]
#[non_exhaustive]
pub struct Standing {
    /// The window's whole name.
    pub window: String,
    /// The fields.
    pub values: Values,
    /// When it was reached.
    pub reached_at: Timestamp,
    /// With [`Returning::Ranks`](crate::Returning): what the kind's rank style makes of the position.
    pub rank: Option<u64>,
    /// With [`Returning::Ranks`](crate::Returning): 1 is best.
    pub position: Option<u64>,
}

/// Declares what stands on the wire, where fields lie beside the other members: as `points`, or as
/// `values`.
macro_rules! beside_fields {
    ($wire:ident -> $name:ident { $($member:ident: $type:ty,)* }) => {
        #[derive(Deserialize)]
        struct $wire {
            #[serde(default, deserialize_with = "named")]
            points: Option<Option<i64>>,
            #[serde(default)]
            values: Option<Values>,
            $($member: $type,)*
        }

        impl From<$wire> for $name {
            fn from(wire: $wire) -> Self {
                Self {
                    values: Values::of(wire.points, wire.values),
                    $($member: wire.$member,)*
                }
            }
        }
    };
}

beside_fields! {
    WireEntry -> Entry { rank: u64, member: String, reached_at: Timestamp, }
}
beside_fields! {
    WireFound -> Found { rank: Option<u64>, member: String, reached_at: Option<Timestamp>, }
}
beside_fields! {
    WireStanding -> Standing {
        window: String, reached_at: Timestamp, rank: Option<u64>, position: Option<u64>,
    }
}

impl Entry {
    /// The field `points`.
    #[must_use]
    pub fn points(&self) -> Option<i64> {
        self.values.points()
    }
}

impl Found {
    /// The field `points`.
    #[must_use]
    pub fn points(&self) -> Option<i64> {
        self.values.points()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_the_order_of_their_kind_and_null_is_told_from_nothing() {
        let read = |text: &str| serde_json::from_str::<Found>(text).unwrap();
        let found = read(
            r#"{"rank":2,"member":"u","values":{"z":3,"a":null,"m":-1},"reached_at":"2026-11-20T14:52:22.123Z","new":1}"#,
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
    fn neighbours_and_those_who_moved_are_entries_with_more() {
        let text = r#"{"rank":1,"member":"u","points":9,"reached_at":"2026-11-20T14:52:22.123Z","gap":4,"position":1}"#;
        let neighbour: Neighbour = serde_json::from_str(text).unwrap();
        assert_eq!(
            (neighbour.entry.points(), neighbour.gap),
            (Some(9), Some(4))
        );
        let moved: Moved = serde_json::from_str(text).unwrap();
        assert_eq!((moved.position, moved.was), (1, None));
    }
}
