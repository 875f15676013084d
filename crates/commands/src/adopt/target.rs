//! The board that is written: [`Target`]. Reads its kind and its entries.

use std::collections::BTreeMap;

use board::NameOrder;
use encodings::ReadDirection;
use megaboard_client::{Order, Ties};
use serde::Deserialize;

use super::standing::Standing;
use crate::board_path::{BoardPath, encoded};
use crate::delivery::Halt;
use crate::reads::Reads;

/// A board.
pub(super) struct Target<'a> {
    pub(super) reads: Reads<'a>,
    pub(super) path: BoardPath,
}

/// The settings of a kind that `adopt` uses.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Kind(megaboard_client::Kind);

/// Entries of a board.
#[derive(Debug, Deserialize)]
pub(super) struct Page {
    /// The number of ranked members.
    pub(super) members: u64,
    pub(super) entries: Vec<Ranked>,
}

/// An entry of the board.
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

    /// Returns the maximum number of ranked members.
    pub(super) fn keep(&self) -> u64 {
        let retain = self.0.retain.as_ref();
        retain.map_or(u64::MAX, |retain| retain.keep)
    }

    /// Returns the window that will contain all standings: the selected one, or `all`. `None` if the kind has no such
    /// window.
    pub(super) fn window_to_check(&self, selected: Option<&str>) -> Option<String> {
        let window = selected.unwrap_or("all");
        let period = window.split(':').next();
        let is_period = |window: &String| Some(window.as_str()) == period;
        self.0
            .windows
            .iter()
            .any(is_period)
            .then(|| window.to_owned())
    }

    /// Returns whether it has other windows than that of all time.
    pub(super) fn has_calendar_windows(&self) -> bool {
        self.0.windows.iter().any(|window| window != "all")
    }

    /// Returns the names of the windows, for messages.
    pub(super) fn windows(&self) -> String {
        self.0.windows.join(", ")
    }

    /// Returns the direction in which a sorted set has this kind's best members first.
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

    /// Returns the order of members with equal values and times.
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
    /// Returns whether the entry has this member and these values.
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
        self.reads.read(&format!("/v1/kinds/{}", encoded(kind)))
    }

    /// Reads the entries from this position on.
    pub(super) fn page(&self, window: &str, from: u64, count: u64) -> Result<Page, Halt> {
        let (path, window) = (&self.path, encoded(window));
        let to = from + count - 1;
        let path = format!("{path}/range?from={from}&to={to}&window={window}");
        self.reads.read(&path)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_window_that_the_kind_does_not_have_is_rejected() {
        let kind = json!({"fields": [{"name": "points"}], "windows": ["day", "all"]});
        let kind: Kind = serde_json::from_value(kind).unwrap();
        let window = |selected| kind.window_to_check(selected);
        assert_eq!(window(None).as_deref(), Some("all"));
        assert_eq!(
            window(Some("day:2026-11-20")).as_deref(),
            Some("day:2026-11-20")
        );
        assert_eq!(window(Some("week:2026-W47")), None);
        assert_eq!(window(Some("dya")), None);
    }
}
