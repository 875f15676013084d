//! The rules of boards: [`Kind`], as it is answered and as it is put.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::words::words;

/// The settings of a kind. What is none, or empty, is what the contract has by default; the server's
/// answers name everything. Times are text as in `48h`, `35d`, `forever`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Kind {
    /// Its name, which answers carry.
    #[serde(rename = "kind", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How contributions fold into a standing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// What the order looks at, one after the other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// What becomes of equal fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<RankStyle>,
    /// Who is better where all fields are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ties: Option<Ties>,
    /// `hour`, `day`, `week`, `month`, `all`: the first is what reads show by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<String>,
    /// By the names of the IANA database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Of boards not yet created: a power of two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shards: Option<u32>,
    /// The depth of the cached top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<u64>,
    /// How old a cached answer may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_staleness: Option<String>,
    /// How long each window is kept after its end: a time, or `{"idle": "7d"}`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub keep: Map<String, Value>,
    /// How long after its end a window still takes what belongs to it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub close: Map<String, Value>,
    /// How long an id is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedupe: Option<String>,
    /// Ranks the best and no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retain: Option<Retain>,
    /// Declares a range, so that score and time fit into one number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packed: Option<Packed>,
    /// Keeps the top of its boards on another server, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish: Option<Publish>,
    /// Settings that this version of the client does not know: they come back as they were when a
    /// kind that was read is put.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A field of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Field {
    /// What it is called.
    pub name: String,
    /// Whether more or less is better: more by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// How contributions change it, in mode `accumulate`: `sum` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<Op>,
}

/// How many of a board are ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Retain {
    /// How many.
    pub keep: u64,
    /// How long a shard's list may get before it is trimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim_at: Option<u64>,
    /// Takes kinds whose contributions can lower a standing.
    #[serde(default)]
    pub approximate: bool,
}

/// How large the values of a packed kind get, and how fine its times are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Packed {
    /// The largest value; the smallest is 0.
    pub most: u64,
    /// How fine times are: a part of a second, `1s` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// For the window `all`: contributions before it are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// For the window `all`: contributions from then on are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// Where the top of a kind's boards is kept for readers of another server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Publish {
    /// The server, by the name that the configuration has for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Its address, of a kind of an earlier version whose server is not configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// What a board's window is called there.
    pub key: String,
    /// The periods that are published; all of the kind by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<String>,
    /// How scores are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// How many entries; the kind's `top` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<u64>,
    /// A window is published at most this often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
}

words! {
    /// How contributions fold into a standing.
    Mode {
        /// Each field by its own op.
        Accumulate = "accumulate",
        /// The best attempt is kept whole.
        Best = "best",
        /// The latest attempt is kept.
        Latest = "latest",
    }
}

words! {
    /// How contributions change a field.
    Op {
        /// They are added up.
        Sum = "sum",
        /// The largest is kept.
        Max = "max",
        /// The smallest is kept.
        Min = "min",
        /// The latest is kept.
        Last = "last",
    }
}

words! {
    /// Whether more or less is better.
    Order {
        /// More is.
        Desc = "desc",
        /// Less is.
        Asc = "asc",
    }
}

words! {
    /// The rank of equal fields.
    RankStyle {
        /// None share a rank.
        Ordinal = "ordinal",
        /// They share one: 1 2 2 4.
        Competition = "competition",
    }
}

words! {
    /// Who is better where all fields are equal.
    Ties {
        /// Who reached the standing first.
        Earliest = "earliest",
        /// Who reached it last.
        Latest = "latest",
        /// By the member's name.
        Member = "member",
    }
}

impl Kind {
    /// A kind with these windows, and the contract's defaults.
    pub fn new<W: Into<String>>(windows: impl IntoIterator<Item = W>) -> Self {
        Self {
            windows: windows.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// The same with this field behind those that it has.
    #[must_use]
    pub fn with(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }
}

impl Field {
    /// A field that is added up, of which more is better.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            order: None,
            op: None,
        }
    }

    /// Less is better.
    #[must_use]
    pub fn asc(mut self) -> Self {
        self.order = Some(Order::Asc);
        self
    }

    /// Changes it so.
    #[must_use]
    pub fn op(mut self, op: Op) -> Self {
        self.op = Some(op);
        self
    }
}

impl Retain {
    /// Ranks the best of a board, so many.
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
    /// Values from 0 to this.
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
    /// To this configured server, under this key.
    pub fn new(target: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            target: Some(target.into()),
            store: None,
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
    fn only_what_was_said_is_written_and_what_is_not_known_comes_back() {
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
