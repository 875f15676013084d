//! Which lines must keep their order: [`Order`], for a line that is sent again behind others.
//!
//! Contributions come to the same in any order, an outright set does not: sent again, it undoes what was
//! applied behind it, and what is sent again behind it counts on top of it.

use std::collections::BTreeSet;

use serde::Deserialize;

/// The lines of a request, by index.
pub(crate) struct Order(Vec<(usize, Effect)>);

/// What of a line says whether its order matters.
#[derive(Deserialize)]
struct Effect {
    /// Absent where it names several.
    board: Option<String>,
    member: String,
    #[serde(default)]
    set: bool,
}

impl Order {
    /// Reads these lines, in the order of their indices. One of another shape is refused by the
    /// server and has no effect.
    pub(crate) fn of<'a>(lines: impl Iterator<Item = (usize, &'a [u8])>) -> Self {
        let effect = |(index, line): (usize, &'a [u8])| {
            let effect: Effect = serde_json::from_slice(line).ok()?;
            Some((index, effect))
        };
        Self(lines.filter_map(effect).collect())
    }

    /// The lines behind this one that it must not come behind, those that are `undone` left out.
    pub(crate) fn behind(&self, index: usize, undone: &BTreeSet<usize>) -> Vec<usize> {
        let Some((_, effect)) = self.0.iter().find(|(it, _)| *it == index) else {
            return Vec::new();
        };
        let behind = self.0.iter().filter(|(other, later)| {
            // On several boards it may be undone on one and applied on another.
            let is_undone = undone.contains(other) && later.board.is_some();
            *other > index && !is_undone && effect.is_ordered(later)
        });
        behind.map(|(other, _)| *other).collect()
    }

    /// The lines that have to go with those that go `again`, so that none comes before what it should stand
    /// behind, those that are `undone` left out.
    pub(crate) fn repeated(
        &self,
        again: &BTreeSet<usize>,
        undone: &BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let mut repeated: BTreeSet<usize> = BTreeSet::new();
        for (index, _) in &self.0 {
            if again.contains(index) || repeated.contains(index) {
                repeated.extend(self.behind(*index, undone));
            }
        }
        &repeated - again
    }

    /// The lines whose order among others of these matters.
    pub(crate) fn tied(&self) -> BTreeSet<usize> {
        let mut tied: BTreeSet<usize> = BTreeSet::new();
        for (n, (index, effect)) in self.0.iter().enumerate() {
            for (other, later) in &self.0[n + 1..] {
                if effect.is_ordered(later) {
                    tied.extend([*index, *other]);
                }
            }
        }
        tied
    }
}

impl Effect {
    /// Whether this and the other come to something else in the other order.
    fn is_ordered(&self, other: &Self) -> bool {
        let is_one_board =
            self.board.is_none() || other.board.is_none() || self.board == other.board;
        (self.set || other.set) && self.member == other.member && is_one_board
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(lines: &[&str]) -> Order {
        Order::of(lines.iter().map(|line| line.as_bytes()).enumerate())
    }

    #[test]
    fn with_a_set_go_all_that_stand_behind_it_by_whatever_board() {
        let order = order(&[
            r#"{"board":"g/a","member":"u","set":true}"#,
            r#"{"boards":["g/a","g/b"],"member":"u","set":true}"#,
            r#"{"board":"g/b","member":"u","set":true}"#,
            r#"{"board":"g/b","member":"v","set":true}"#,
        ]);
        let repeated =
            |again, undone| order.repeated(&BTreeSet::from([again]), &BTreeSet::from([undone]));
        assert_eq!(repeated(0, 3), BTreeSet::from([1, 2]));
        assert_eq!(repeated(1, 2), BTreeSet::new());
        assert_eq!(repeated(2, 0), BTreeSet::new());
    }

    #[test]
    fn only_lines_beside_a_set_of_their_member_are_tied() {
        let order = order(&[
            r#"{"board":"g/a","member":"u"}"#,
            r#"{"board":"g/a","member":"u"}"#,
            r#"{"board":"g/a","member":"v","set":true}"#,
            r#"{"board":"g/b","member":"u","set":true}"#,
            r#"{"board":"g/a","member":"u","set":true}"#,
        ]);
        assert_eq!(order.tied(), BTreeSet::from([0, 1, 4]));
    }
}
