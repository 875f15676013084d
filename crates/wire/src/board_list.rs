//! A page of the boards of a kind, in responses: [`BoardListShape`].

use board::KindName;
use serde::Serialize;
use shard_store::BoardRecord;

use crate::board::SpanShape;

/// Boards of a kind.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Boards))]
pub struct BoardListShape {
    kind: String,
    /// By subject, or the busiest first.
    boards: Vec<ListedBoardShape>,
    /// The subject to go on `after`; null at the end, and with `order=activity`.
    #[cfg_attr(feature = "schema", schema(required))]
    next: Option<String>,
}

/// A board of a list.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Listed))]
struct ListedBoardShape {
    /// Kind and subject.
    board: String,
    subject: String,
    /// Over how many its members are spread.
    shards: u16,
    #[serde(flatten)]
    span: SpanShape,
    /// With `order=activity`: the contributions per minute that this server has written, averaged with a half-life of a
    /// minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 0))]
    contributions_per_minute: Option<f64>,
}

impl BoardListShape {
    /// Returns boards by subject. `more`: others follow.
    #[must_use]
    pub fn by_subject(kind: &KindName, records: &[BoardRecord], more: bool) -> Self {
        let last = records.last().filter(|_| more);
        Self {
            kind: kind.to_string(),
            boards: records.iter().map(|record| listed(record, None)).collect(),
            next: last.map(|record| record.name.subject().to_string()),
        }
    }

    /// Returns boards with their contributions per minute, in this order.
    pub fn by_activity<'a>(
        kind: &KindName,
        boards: impl IntoIterator<Item = (&'a BoardRecord, f64)>,
    ) -> Self {
        let boards = boards.into_iter();
        Self {
            kind: kind.to_string(),
            boards: boards
                .map(|(record, per_minute)| listed(record, Some(per_minute)))
                .collect(),
            next: None,
        }
    }
}

fn listed(record: &BoardRecord, per_minute: Option<f64>) -> ListedBoardShape {
    ListedBoardShape {
        board: record.name.to_string(),
        subject: record.name.subject().to_string(),
        shards: record.shards.get(),
        span: SpanShape::from(&record.activity),
        contributions_per_minute: per_minute.map(|rate| (rate * 100.0).round() / 100.0),
    }
}
