//! The board that is written: [`Target`], what its kind is and what its best are.

use std::collections::BTreeMap;

use board::NameOrder;
use encodings::ReadDirection;
use megaboard_client::{Order, Ties};
use serde::Deserialize;

use super::standing::Standing;
use crate::board_path::{BoardPath, encoded};
use crate::delivery::Halt;
use crate::reads::Reads;

/// A board, and how it is read.
pub(super) struct Target<'a> {
    pub(super) reads: Reads<'a>,
    pub(super) path: BoardPath,
}

/// The kind of the board, and how standings are written to it.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Kind(megaboard_client::Kind);

/// The best of a board.
#[derive(Debug, Deserialize)]
pub(super) struct Best {
    /// How many are ranked.
    pub(super) members: u64,
    pub(super) entries: Vec<Ranked>,
}

/// A member on the board.
#[derive(Debug, Deserialize)]
pub(super) struct Ranked {
    pub(super) member: String,
    points: Option<i64>,
    #[serde(default)]
    values: BTreeMap<String, Option<i64>>,
}

impl Kind {
    pub(super) fn fields(&self) -> Vec<String> {
        let fields = self.0.fields.iter();
        fields.map(|field| field.name.clone()).collect()
    }

    /// How many are ranked at most.
    pub(super) fn keep(&self) -> u64 {
        let retain = self.0.retain.as_ref();
        retain.map_or(u64::MAX, |retain| retain.keep)
    }

    /// The window that has all that is adopted: the one that is named, or `all`. None where the kind
    /// has no such windows.
    pub(super) fn window_to_check(&self, named: Option<&str>) -> Option<String> {
        let window = named.unwrap_or("all");
        let period = window.split(':').next();
        let has = |held: &String| Some(held.as_str()) == period;
        self.0.windows.iter().any(has).then(|| window.to_owned())
    }

    /// Its windows, for people.
    pub(super) fn windows(&self) -> String {
        self.0.windows.join(", ")
    }

    /// How a sorted set is read to have this kind's best first.
    pub(super) fn read_direction(&self, encoding: ReadDirection) -> ReadDirection {
        match (encoding, self.is_ascending()) {
            (ReadDirection::Reverse, false) | (ReadDirection::Forward, true) => {
                ReadDirection::Reverse
            }
            (ReadDirection::Forward, false) | (ReadDirection::Reverse, true) => {
                ReadDirection::Forward
            }
        }
    }

    /// Which of two members comes first that are equal in all else.
    pub(super) fn names(&self) -> NameOrder {
        if self.0.ties == Some(Ties::Member) && self.is_ascending() {
            NameOrder::Lower
        } else {
            NameOrder::Higher
        }
    }

    fn is_ascending(&self) -> bool {
        let first = self.0.fields.first();
        first.is_some_and(|field| field.order == Some(Order::Asc))
    }
}

impl Ranked {
    /// Whether it is this member with these values.
    pub(super) fn is(&self, standing: &Standing, fields: &[String]) -> bool {
        let value = |field: &String| match self.points {
            Some(points) => Some(points),
            None => self.values.get(field).copied().flatten(),
        };
        self.member == standing.member.as_str()
            && fields
                .iter()
                .map(value)
                .eq(standing.values.iter().copied().map(Some))
    }
}

impl Target<'_> {
    pub(super) fn kind(&self) -> Result<Kind, Halt> {
        let kind = self.path.kind();
        self.read(&format!("/v1/kinds/{}", encoded(kind)))
    }

    pub(super) fn best(&self, window: &str, count: usize) -> Result<Best, Halt> {
        let (path, window) = (&self.path, encoded(window));
        self.read(&format!("{path}/range?from=1&to={count}&window={window}"))
    }

    fn read<T: for<'a> Deserialize<'a>>(&self, path: &str) -> Result<T, Halt> {
        let body = self.reads.read(path)?;
        serde_json::from_slice(&body).map_err(|error| Halt::Failed(format!("{path}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn windows_that_the_kind_has_not_are_none_to_adopt_into() {
        let kind = json!({"fields": [{"name": "points"}], "windows": ["day", "all"]});
        let kind: Kind = serde_json::from_value(kind).unwrap();
        let window = |named| kind.window_to_check(named);
        assert_eq!(window(None).as_deref(), Some("all"));
        assert_eq!(
            window(Some("day:2026-11-20")).as_deref(),
            Some("day:2026-11-20")
        );
        assert_eq!(window(Some("week:2026-W47")), None);
        assert_eq!(window(Some("dya")), None);
    }
}
