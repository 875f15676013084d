//! Lines whose order matters when some of them are sent again: [`LineOrder`].
//!
//! Contributions commute, but sets do not: a set that is sent again discards contributions that were applied after it,
//! and a contribution that is sent again after a set is added to it. So two lines of the same member and board are
//! *ordered* if one of them is a set.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// The lines of a request, by index.
pub(crate) struct LineOrder(Vec<(usize, Effect)>);

/// The members of a line that determine whether it is ordered with another.
#[derive(Deserialize)]
struct Effect {
    /// `None` if the line has `boards`.
    board: Option<String>,
    boards: Option<Vec<IgnoredAny>>,
    member: String,
    #[serde(default)]
    set: bool,
}

impl LineOrder {
    /// Parses lines, ordered by index. Invalid ones are skipped: the server rejects them, so they have no effect.
    pub(crate) fn parse<'a>(lines: impl Iterator<Item = (usize, &'a [u8])>) -> Self {
        let effect = |(index, line): (usize, &'a [u8])| {
            let effect: Effect = serde_json::from_slice(line).ok()?;
            Some((index, effect))
        };
        Self(lines.filter_map(effect).collect())
    }

    /// Returns the later lines that are ordered with this one, except those that were not applied.
    pub(crate) fn ordered_after(&self, index: usize, not_applied: &BTreeSet<usize>) -> Vec<usize> {
        let Some((_, effect)) = self.0.iter().find(|(it, _)| *it == index) else {
            return Vec::new();
        };
        let after = self.0.iter().filter(|(other, later)| {
            // A line with several boards may have been applied on some of them.
            let is_not_applied = not_applied.contains(other) && later.board.is_some();
            *other > index && !is_not_applied && effect.is_ordered_with(later)
        });
        after.map(|(other, _)| *other).collect()
    }

    /// Returns whether a line has several boards, so that it may have been applied on some of them.
    pub(crate) fn has_several_boards(&self, index: usize) -> bool {
        let mut lines = self.0.iter();
        lines.any(|(it, line)| {
            let boards = line.boards.as_ref();
            *it == index && boards.is_some_and(|boards| boards.len() > 1)
        })
    }

    /// Returns the applied lines that must be sent again after the lines of `again`, to keep the order.
    pub(crate) fn to_repeat(
        &self,
        again: &BTreeSet<usize>,
        not_applied: &BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let mut repeated: BTreeSet<usize> = BTreeSet::new();
        for (index, _) in &self.0 {
            if again.contains(index) || repeated.contains(index) {
                repeated.extend(self.ordered_after(*index, not_applied));
            }
        }
        &repeated - again
    }

    /// Returns all lines that are ordered with another one.
    pub(crate) fn ordered(&self) -> BTreeSet<usize> {
        let mut ordered: BTreeSet<usize> = BTreeSet::new();
        for (n, (index, effect)) in self.0.iter().enumerate() {
            for (other, later) in &self.0[n + 1..] {
                if effect.is_ordered_with(later) {
                    ordered.extend([*index, *other]);
                }
            }
        }
        ordered
    }
}

impl Effect {
    fn is_ordered_with(&self, other: &Self) -> bool {
        let may_share_board =
            self.board.is_none() || other.board.is_none() || self.board == other.board;
        (self.set || other.set) && self.member == other.member && may_share_board
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(lines: &[&str]) -> LineOrder {
        LineOrder::parse(lines.iter().map(|line| line.as_bytes()).enumerate())
    }

    #[test]
    fn a_set_is_repeated_with_all_later_sets_of_its_boards() {
        let order = order(&[
            r#"{"board":"g/a","member":"u","set":true}"#,
            r#"{"boards":["g/a","g/b"],"member":"u","set":true}"#,
            r#"{"board":"g/b","member":"u","set":true}"#,
            r#"{"board":"g/b","member":"v","set":true}"#,
        ]);
        let repeated =
            |again, failed| order.to_repeat(&BTreeSet::from([again]), &BTreeSet::from([failed]));
        assert_eq!(repeated(0, 3), BTreeSet::from([1, 2]));
        assert_eq!(repeated(1, 2), BTreeSet::new());
        assert_eq!(repeated(2, 0), BTreeSet::new());
    }

    #[test]
    fn lines_are_ordered_with_sets_of_the_same_member_and_board() {
        let order = order(&[
            r#"{"board":"g/a","member":"u"}"#,
            r#"{"board":"g/a","member":"u"}"#,
            r#"{"board":"g/a","member":"v","set":true}"#,
            r#"{"board":"g/b","member":"u","set":true}"#,
            r#"{"board":"g/a","member":"u","set":true}"#,
        ]);
        assert_eq!(order.ordered(), BTreeSet::from([0, 1, 4]));
    }
}
