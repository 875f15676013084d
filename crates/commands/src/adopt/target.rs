//! The board that is written: [`Target`]. Reads its kind and its entries.

use board::NameOrder;
use encodings::ReadDirection;
use megaboard_client::{Board, BoardName, Entries, Entry, Field, Kind};

use super::check::BEST_COUNT;
use super::standing::Standing;
use crate::delivery::Halt;
use crate::reads::Reads;

/// A board, and its kind.
pub(super) struct Target<'a> {
    reads: Reads<'a>,
    board: Board,
    kind: Kind,
    pub(super) fields: Vec<String>,
}

impl<'a> Target<'a> {
    /// Reads the settings of the board's kind.
    pub(super) fn open(reads: Reads<'a>, board: &BoardName) -> Result<Self, Halt> {
        let kind = reads.wait(reads.client.kind(board.kind()))??;
        Ok(Self {
            reads,
            board: reads.client.board_named(board.clone()),
            fields: kind.fields.iter().map(|it| it.name.clone()).collect(),
            kind,
        })
    }

    pub(super) fn name(&self) -> &BoardName {
        self.board.name()
    }

    /// Returns the maximum number of ranked members.
    pub(super) fn keep(&self) -> u64 {
        let retain = self.kind.settings.get("retain");
        let keep = retain.and_then(|retain| retain["keep"].as_u64());
        keep.unwrap_or(u64::MAX)
    }

    /// Returns the number of positions to compare: no more than the board ranks.
    pub(super) fn best_count(&self) -> usize {
        usize::try_from(self.keep()).map_or(BEST_COUNT, |keep| keep.min(BEST_COUNT))
    }

    /// Returns whether it has other windows than that of all time.
    pub(super) fn has_calendar_windows(&self) -> bool {
        self.kind.windows.iter().any(|window| window != "all")
    }

    /// Returns the names of the windows, for messages.
    pub(super) fn windows(&self) -> String {
        self.kind.windows.join(", ")
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
        if self.kind.text("ties") == Some("member") && self.is_ascending() {
            NameOrder::Lower
        } else {
            NameOrder::Higher
        }
    }

    fn is_ascending(&self) -> bool {
        let first = self.kind.fields.first();
        first.is_some_and(Field::is_ascending)
    }

    /// Returns the window that will contain all standings: the selected one, or `all`.
    pub(super) fn window_to_check(&self, selected: Option<&str>) -> Result<String, Halt> {
        let window = selected.unwrap_or("all");
        if has_window(&self.kind, window) {
            return Ok(window.to_owned());
        }
        let (name, windows) = (self.name().kind(), self.windows());
        let why =
            format!("kind {name} has no window `{window}`; choose one of {windows} with --window");
        Err(why.into())
    }

    /// Reads the entries from this position on.
    pub(super) fn page(&self, window: &str, from: u64, count: u64) -> Result<Entries, Halt> {
        let request = self.board.range(from..=from + count - 1).window(window);
        Ok(self.reads.wait(request)??)
    }
}

/// Returns whether a kind has the period of a window.
fn has_window(kind: &Kind, window: &str) -> bool {
    let period = window.split(':').next();
    kind.windows.iter().any(|it| Some(it.as_str()) == period)
}

/// Returns whether an entry has this member and these values.
pub(super) fn is(entry: &Entry, standing: &Standing, fields: &[String]) -> bool {
    let values = fields.iter().map(|field| entry.values.get(field));
    entry.member == standing.member.as_str() && values.eq(standing.values.iter().copied().map(Some))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_window_that_the_kind_does_not_have_is_rejected() {
        let kind = json!({"fields": [{"name": "points"}], "windows": ["day", "all"]});
        let kind: Kind = serde_json::from_value(kind).unwrap();
        for window in ["all", "day:2026-11-20"] {
            assert!(has_window(&kind, window), "{window}");
        }
        for window in ["week:2026-W47", "dya"] {
            assert!(!has_window(&kind, window), "{window}");
        }
    }
}
