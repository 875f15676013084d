//! The result of an adoption: [`Report`], and [`Examples`] of what could not be adopted.

use std::sync::atomic::{AtomicU64, Ordering};

use megaboard_client::BoardName;
use serde_json::{Value, json};

use super::sending::Sent;
use super::standing::Tally;

/// The number of members in a result that only the board has, and of their names in a message.
const LISTED_MAX: usize = 1_000;
const NAMES_MAX: usize = 20;

/// The number of messages of a sort that are shown.
const EXAMPLES_MAX: u64 = 5;

/// Shows the first messages of a sort. All are counted elsewhere.
pub(super) struct Examples {
    sort: &'static str,
    count: AtomicU64,
}

impl Examples {
    pub(super) const fn new(sort: &'static str) -> Self {
        Self {
            sort,
            count: AtomicU64::new(0),
        }
    }

    pub(super) fn show(&self, message: String, say: &(dyn Fn(String) + Sync)) {
        let before = self.count.fetch_add(1, Ordering::Relaxed);
        if before < EXAMPLES_MAX {
            say(message);
        } else if before == EXAMPLES_MAX {
            say(format!("further {} are only counted", self.sort));
        }
    }
}

/// The ranked members of the board that the source does not have.
#[derive(Default)]
pub(super) struct OnlyOnBoard {
    count: usize,
    /// The first of them.
    pub(super) members: Vec<String>,
}

impl OnlyOnBoard {
    pub(super) fn add(&mut self, members: Vec<String>) {
        self.count += members.len();
        let left = LISTED_MAX - self.members.len();
        self.members.extend(members.into_iter().take(left));
    }

    /// Describes them, if there are any.
    pub(super) fn sentence(&self, board: &BoardName) -> Option<String> {
        let shown = self.members.iter().take(NAMES_MAX);
        let shown: Vec<String> = shown.map(|member| format!("{member:?}")).collect();
        let more = if self.count > shown.len() {
            " and others"
        } else {
            ""
        };
        let path = board.path().unwrap_or_default();
        (self.count > 0).then(|| {
            format!(
                "on the board but not in the source ({}): {}{more}; DELETE {path}/members/MEMBER removes one",
                self.count,
                shown.join(", ")
            )
        })
    }
}

/// The result of an adoption.
#[derive(Default)]
pub(super) struct Report {
    pub(super) tally: Tally,
    pub(super) sent: Sent,
    /// The number of members in the source.
    pub(super) in_source: u64,
    /// The number of ranked members on the board.
    pub(super) on_board: u64,
    /// Sentences about inexact entries.
    pub(super) warnings: Vec<String>,
    /// Sentences that describe differences between the source and the board.
    pub(super) differences: Vec<String>,
    /// Members of the board that the source does not have, if it was compared.
    pub(super) only_on_board: Vec<String>,
}

impl Report {
    /// Returns whether all members were set, and the board agrees with the source.
    pub(super) fn is_clean(&self) -> bool {
        self.differences.is_empty() && self.tally.skipped + self.sent.rejected == 0
    }

    /// Returns the number of members that the board should have, if it ranks at most `keep`.
    pub(super) fn expected(&self, keep: u64) -> u64 {
        let left_out = self.tally.skipped + self.sent.rejected;
        self.in_source.saturating_sub(left_out).min(keep)
    }

    /// Returns the counts, the differences and the duration as JSON.
    pub(super) fn json(&self, seconds: f64) -> Value {
        json!({
            "set": self.sent.applied,
            "left_out": self.tally.skipped,
            "rejected": self.sent.rejected,
            "without_time": self.tally.without_time,
            "in_source": self.in_source,
            "on_board": self.on_board,
            "differences": self.differences,
            "only_on_board": self.only_on_board,
            "seconds": seconds,
        })
    }

    /// Formats the counts and the duration.
    pub(super) fn summary(&self, seconds: f64) -> String {
        let Self {
            tally,
            sent,
            in_source,
            on_board,
            ..
        } = self;
        format!(
            "set {}, left out {}, rejected {}; members in the source {in_source}, on the board \
             {on_board}; took {seconds:.2} s",
            sent.applied, tally.skipped, sent.rejected
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn only_the_first_messages_of_a_sort_are_shown() {
        let said = Mutex::new(Vec::new());
        let say = |message| said.lock().unwrap().push(message);
        let examples = Examples::new("members that are left out");
        for number in 1..=100 {
            examples.show(number.to_string(), &say);
        }
        let last = "further members that are left out are only counted";
        assert_eq!(*said.lock().unwrap(), ["1", "2", "3", "4", "5", last]);
    }

    #[test]
    fn members_that_only_the_board_has_are_counted_and_the_first_named() {
        let board = "gifts/a".parse().unwrap();
        let mut only_on_board = OnlyOnBoard::default();
        assert_eq!(only_on_board.sentence(&board), None);
        only_on_board.add(vec!["u".to_owned(), "v".to_owned()]);
        let sentence = "on the board but not in the source (2): \"u\", \"v\"; DELETE \
                        /v1/boards/gifts/a/members/MEMBER removes one";
        assert_eq!(only_on_board.sentence(&board).as_deref(), Some(sentence));
        only_on_board.add((0..2_000).map(|n| n.to_string()).collect());
        let sentence = only_on_board.sentence(&board).unwrap();
        assert!(sentence.contains("(2002)") && sentence.contains("\"17\" and others;"));
        assert_eq!(only_on_board.members.len(), LISTED_MAX);
    }
}
