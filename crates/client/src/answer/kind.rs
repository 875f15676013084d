//! The settings of kinds, in requests and responses: [`Kind`].

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::time::in_micros;
use crate::words::words;

/// The settings of a kind. Settings that are `None` or empty have the defaults of the contract; the
/// server returns all of them. Durations are text, such as `48h`, `35d` or `forever`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Kind {
    /// The name of the kind, in responses.
    #[serde(rename = "kind", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How a member's contributions are combined into a standing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The fields that standings are ordered by, the first first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Whether members with equal fields share a rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<RankStyle>,
    /// The order of members with equal fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ties: Option<Ties>,
    /// The windows: `hour`, `2h`, `3h`, `4h`, `6h`, `8h`, `12h`, `day`, `week`, `2w`, `3w`, `4w`, `month`, `6w`,
    /// `8w`, `12w`, `quarter`, `year`, `season`, `all`. Reads return the first by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<String>,
    /// The time zone of the windows, by its name in the IANA database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The local time at which days begin, such as `05:00`; `None` in responses if it is midnight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day_starts_at: Option<String>,
    /// The day on which weeks begin; `None` in responses if it is Monday.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub week_starts_on: Option<Weekday>,
    /// The date from which windows of several weeks are counted, such as `2026-01-05`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weeks_count_from: Option<String>,
    /// The seasons: `{"cron": "0 5 1 1,4,7,10 *"}`, or a list of `{"name", "starts_at"}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seasons: Option<Value>,
    /// The number of shards of boards that are created later: a power of two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shards: Option<u32>,
    /// The number of entries of the cached top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<u64>,
    /// The maximum age of a cached response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_staleness: Option<String>,
    /// How long each window is kept after its end: a duration, or `{"idle": "7d"}`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub keep: Map<String, Value>,
    /// How long after its end a window still accepts contributions of its time.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub close: Map<String, Value>,
    /// After how long without a contribution a member leaves the window `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_ttl: Option<String>,
    /// How long an id is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedupe: Option<String>,
    /// Ranks only the best members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retain: Option<Retain>,
    /// Limits values to a range, so that score and time fit into one number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packed: Option<Packed>,
    /// Publishes the top of the kind's boards to another server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish: Option<Publish>,
    /// Whether everybody may read the kind's boards, without a key; `None` in responses if not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_read: Option<bool>,
    /// Settings that this version of the client does not know. They are sent back unchanged when a kind
    /// that was read is put.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A field of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Field {
    /// The name of the field.
    pub name: String,
    /// Whether greater or smaller values are better: greater by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// How contributions change the field, in mode `accumulate`: `sum` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<Op>,
}

/// How many members of a board are ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Retain {
    /// The number of members.
    pub keep: u64,
    /// The length at which a shard's list is trimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim_at: Option<u64>,
    /// Allows kinds whose contributions can lower a standing. Their lists are then approximate.
    #[serde(default)]
    pub approximate: bool,
}

/// The range of the values of a packed kind, and the unit of its times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Packed {
    /// The largest value; the smallest is 0.
    pub most: u64,
    /// The unit of times: a divisor of a second, `1s` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// For the window `all`: contributions before this time are rejected.
    #[serde(
        serialize_with = "in_micros",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub from: Option<Timestamp>,
    /// For the window `all`: contributions at or after this time are rejected.
    #[serde(
        serialize_with = "in_micros",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub until: Option<Timestamp>,
}

/// Where and how the top of a kind's boards is published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Publish {
    /// The target, by its name in the configuration.
    pub target: String,
    /// The template of the key of a board's window in the target.
    pub key: String,
    /// The windows that are published; all of the kind by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<String>,
    /// How scores are encoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The number of entries; the kind's `top` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<u64>,
    /// The minimum time between two publications of a window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
}

words! {
    /// How a member's contributions are combined into a standing.
    Mode {
        /// Each field is combined by its [`Op`].
        Accumulate = "accumulate",
        /// The best contribution is kept, with all its fields.
        Best = "best",
        /// The latest contribution is kept.
        Latest = "latest",
    }
}

words! {
    /// How contributions change a field.
    Op {
        /// Values are added.
        Sum = "sum",
        /// The largest value is kept.
        Max = "max",
        /// The smallest value is kept.
        Min = "min",
        /// The latest value is kept.
        Last = "last",
    }
}

words! {
    /// Whether greater or smaller values are better.
    Order {
        /// Greater is better.
        Desc = "desc",
        /// Smaller is better.
        Asc = "asc",
    }
}

words! {
    /// A day of the week.
    Weekday {
        /// The first day of a week of ISO 8601.
        Monday = "monday",
        /// The second.
        Tuesday = "tuesday",
        /// The third.
        Wednesday = "wednesday",
        /// The fourth.
        Thursday = "thursday",
        /// The fifth.
        Friday = "friday",
        /// The sixth.
        Saturday = "saturday",
        /// The seventh.
        Sunday = "sunday",
    }
}

words! {
    /// Whether members with equal fields share a rank.
    RankStyle {
        /// All ranks differ: 1 2 3 4.
        Ordinal = "ordinal",
        /// Equal members share a rank: 1 2 2 4.
        Competition = "competition",
        /// Equal members share a rank, and no rank is left out: 1 2 2 3.
        Dense = "dense",
    }
}

words! {
    /// The order of members with equal fields.
    Ties {
        /// The member that reached the standing first is better.
        Earliest = "earliest",
        /// The member that reached the standing last is better.
        Latest = "latest",
        /// Members are ordered by name.
        Member = "member",
    }
}

impl Kind {
    /// Creates a kind with these windows and default settings.
    pub fn new<W: Into<String>>(windows: impl IntoIterator<Item = W>) -> Self {
        Self {
            windows: windows.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Adds a field, after those that the kind has.
    #[must_use]
    pub fn with(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }
}

impl Field {
    /// Creates a field with the default order, `desc`, and the default op, `sum`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            order: None,
            op: None,
        }
    }

    /// Sets the order to `asc`: smaller values are better.
    #[must_use]
    pub fn asc(mut self) -> Self {
        self.order = Some(Order::Asc);
        self
    }

    /// Sets how contributions change the field.
    #[must_use]
    pub fn op(mut self, op: Op) -> Self {
        self.op = Some(op);
        self
    }
}

impl Retain {
    /// Ranks this many members.
    #[must_use]
    pub fn new(keep: u64) -> Self {
        Self {
            keep,
            trim_at: None,
            approximate: false,
        }
    }
}

impl Packed {
    /// Limits values to the range from 0 to `most`.
    #[must_use]
    pub fn new(most: u64) -> Self {
        Self {
            most,
            unit: None,
            from: None,
            until: None,
        }
    }
}

impl Publish {
    /// Publishes to this target, under this key.
    pub fn new(target: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            target: target.into(),
            key: key.into(),
            windows: Vec::new(),
            encoding: None,
            top: None,
            every: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_omitted_and_unknown_settings_are_kept() {
        let races = Kind {
            mode: Some(Mode::Best),
            ..Kind::new(["week", "all"])
        };
        let races = races
            .with(Field::new("laps"))
            .with(Field::new("seconds").asc());
        let written = serde_json::to_value(&races).unwrap();
        let expected = serde_json::json!({"mode": "best", "windows": ["week", "all"],
            "fields": [{"name": "laps"}, {"name": "seconds", "order": "asc"}]});
        assert_eq!(written, expected);

        let later = serde_json::json!({"kind": "k", "mode": "newest", "windows": ["all"],
            "keep": {"all": {"idle": "7d"}}, "publish": null, "sparkle": [1, 2]});
        let kind: Kind = serde_json::from_value(later).unwrap();
        assert_eq!(kind.mode, Some(Mode::Other("newest".to_owned())));
        assert_eq!(kind.keep["all"]["idle"], "7d");
        let again = serde_json::to_value(&kind).unwrap();
        assert_eq!(again["sparkle"], serde_json::json!([1, 2]));
        assert_eq!(again["mode"], "newest");
    }
}
