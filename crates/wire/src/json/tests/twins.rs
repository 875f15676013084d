//! The shapes of responses as serde derives them.

use board::{Kind, RankStyle, Value};
use merger::RankedEntry;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;
use shard_store::ShardEntry;

use crate::is_points;

#[derive(Serialize)]
pub(super) struct EntryTwin<'a> {
    pub(super) rank: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) position: Option<u64>,
    pub(super) member: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) points: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) values: Option<ValuesTwin<'a>>,
    pub(super) reached_at: String,
}

pub(super) struct ValuesTwin<'a>(pub(super) Vec<(&'a str, Option<i64>)>);

impl Serialize for ValuesTwin<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl<'a> EntryTwin<'a> {
    pub(super) fn of(kind: &'a Kind, rank: Option<u64>, entry: &'a ShardEntry) -> Self {
        let rules = kind.rules();
        let values = rules.values_of(&entry.key.words);
        let value = |index| values.get(index).map(Value::get);
        let names = rules.fields().iter().map(|field| field.name.as_str());
        let fields = names.zip((0..).map(value)).collect();
        Self {
            rank,
            position: None,
            member: entry.key.member.as_str(),
            points: is_points(rules).then(|| value(0).into()),
            values: (!is_points(rules)).then_some(ValuesTwin(fields)),
            reached_at: entry.reached_at.to_string(),
        }
    }

    /// With its position, if that is not the rank.
    pub(super) fn of_ranked(kind: &'a Kind, ranked: &'a RankedEntry) -> Self {
        let is_shown = kind.rank_style() != RankStyle::Ordinal;
        Self {
            position: is_shown.then_some(ranked.position),
            ..Self::of(kind, Some(ranked.rank), &ranked.entry)
        }
    }
}

#[derive(Serialize)]
pub(super) struct NeighbourTwin<'a> {
    #[serde(flatten)]
    pub(super) entry: EntryTwin<'a>,
    pub(super) gap: Option<i64>,
}

impl<'a> NeighbourTwin<'a> {
    pub(super) fn of(kind: &'a Kind, ranked: &'a RankedEntry, own: &'a RankedEntry) -> Self {
        let first = |ranked: &RankedEntry| kind.rules().values_of(&ranked.entry.key.words).get(0);
        let gap = first(ranked).zip(first(own));
        Self {
            entry: EntryTwin::of_ranked(kind, ranked),
            gap: gap.map(|(one, other)| (one.get() - other.get()).abs()),
        }
    }
}

#[derive(Serialize)]
pub(super) struct MemberTwin<'a> {
    #[serde(flatten)]
    pub(super) entry: EntryTwin<'a>,
    pub(super) position: Option<u64>,
    pub(super) percentile: Option<f64>,
    pub(super) above: Option<NeighbourTwin<'a>>,
    pub(super) below: Option<NeighbourTwin<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to_target: Option<Json>,
}

/// What an envelope and a top have in common.
#[derive(Serialize)]
pub(super) struct LimitsTwin {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) listed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) starts_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ends_at: Option<String>,
    #[serde(rename = "final", skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_final: bool,
}

#[derive(Serialize)]
pub(super) struct EnvelopeTwin<'a> {
    pub(super) board: String,
    pub(super) window: &'a str,
    pub(super) version: &'a str,
    pub(super) as_of: String,
    pub(super) members: u64,
    #[serde(flatten)]
    pub(super) limits: LimitsTwin,
}

#[derive(Serialize)]
pub(super) struct EntriesTwin<'a> {
    pub(super) entries: Vec<EntryTwin<'a>>,
}

/// A response, as [`JsonText::object`] writes both parts in one object.
#[derive(Serialize)]
pub(super) struct ResponseTwin<'a, B> {
    #[serde(flatten)]
    pub(super) envelope: &'a EnvelopeTwin<'a>,
    #[serde(flatten)]
    pub(super) body: B,
}

#[derive(Serialize)]
pub(super) struct TopTwin<'a> {
    pub(super) board: String,
    pub(super) window: &'a str,
    pub(super) version: &'a str,
    pub(super) members: u64,
    #[serde(flatten)]
    pub(super) limits: LimitsTwin,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) stale: bool,
    pub(super) entries: Vec<EntryTwin<'a>>,
    pub(super) as_of: String,
}
