//! Members with their ranks and standings: [`Entry`] and similar types.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::profile::Profile;
use super::time::in_micros;
use super::values::Values;

/// A ranked member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// The rank, by the kind's rank style.
    pub rank: u64,
    /// The position, in lists of kinds whose members can share a rank. Elsewhere it is the rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The member.
    pub member: String,
    /// The fields of the standing.
    #[serde(flatten)]
    pub values: Values,
    /// When the standing was reached.
    #[serde(serialize_with = "in_micros")]
    pub reached_at: Timestamp,
    /// The member's profile, if profiles were requested and it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// A member that was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Found {
    /// The rank, by the kind's rank style. `None` if the member is not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u64>,
    /// The position, in kinds whose members can share a rank. Elsewhere it is the rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The member.
    pub member: String,
    /// The fields of the standing; empty if there is none.
    #[serde(flatten)]
    pub values: Values,
    /// When the standing was reached.
    #[serde(serialize_with = "in_micros", skip_serializing_if = "Option::is_none")]
    pub reached_at: Option<Timestamp>,
    /// The member's profile, if profiles were requested and it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Standing {
    /// The full name of the window.
    pub window: String,
    /// The fields of the standing.
    #[serde(flatten)]
    pub values: Values,
    /// When the standing was reached.
    #[serde(serialize_with = "in_micros")]
    pub reached_at: Timestamp,
    /// The rank, by the kind's rank style. Only with [`Returning::Ranks`](crate::Returning).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u64>,
    /// The position; 1 is best. Only with [`Returning::Ranks`](crate::Returning).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The rank right before the request; `None` if the member was not ranked. Only with
    /// [`Returning::PreviousRanks`](crate::Returning).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_rank: Option<u64>,
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
            r#"{"rank":1,"member":"u","points":-9,"reached_at":"2026-11-20T14:52:22.123000Z"}"#,
            r#"{"rank":1,"member":"u","values":{"z":1,"a":null},"reached_at":"2026-11-20T14:52:22.120000Z","profile":{"name":"U"}}"#,
        ] {
            let entry: Entry = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&entry).unwrap(), text);
        }
        let text = r#"{"window":"all","points":7,"reached_at":"2026-11-20T14:52:22.123000Z","rank":2,"position":3}"#;
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
