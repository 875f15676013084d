//! The board that is written: [`Target`]. Reads its kind and its entries.

use board::NameOrder;
use encodings::ReadDirection;
use megaboard_client::{Board, Entries, Entry, Field};

use super::standing::Standing;
use crate::delivery::Halt;
use crate::reads::Reads;

/// A board.
pub(super) struct Target<'a> {
    pub(super) reads: Reads<'a>,
    pub(super) board: Board,
}

/// The settings of a kind that `adopt` uses.
pub(super) struct Kind(megaboard_client::Kind);

impl Kind {
    pub(super) fn fields(&self) -> Vec<String> {
        let fields = self.0.fields.iter();
        fields.map(|field| field.name.clone()).collect()
    }

    /// Returns the maximum number of ranked members.
    pub(super) fn keep(&self) -> u64 {
        let retain = self.0.settings.get("retain");
        let keep = retain.and_then(|retain| retain["keep"].as_u64());
        keep.unwrap_or(u64::MAX)
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
        if self.0.text("ties") == Some("member") && self.is_ascending() {
            NameOrder::Lower
        } else {
            NameOrder::Higher
        }
    }

    fn is_ascending(&self) -> bool {
        let first = self.0.fields.first();
        first.is_some_and(Field::is_ascending)
    }
}

/// Returns whether an entry has this member and these values.
pub(super) fn is(entry: &Entry, standing: &Standing, fields: &[String]) -> bool {
    let values = fields.iter().map(|field| entry.values.get(field));
    entry.member == standing.member.as_str() && values.eq(standing.values.iter().copied().map(Some))
}

impl Target<'_> {
    pub(super) fn kind(&self) -> Result<Kind, Halt> {
        let request = self.reads.client.kind(self.board.name().kind());
        Ok(Kind(self.reads.wait(request)??))
    }

    /// Reads the entries from this position on.
    pub(super) fn page(&self, window: &str, from: u64, count: u64) -> Result<Entries, Halt> {
        let request = self.board.range(from..=from + count - 1).window(window);
        Ok(self.reads.wait(request)??)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_window_that_the_kind_does_not_have_is_rejected() {
        let kind = json!({"fields": [{"name": "points"}], "windows": ["day", "all"]});
        let kind = Kind(serde_json::from_value(kind).unwrap());
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
