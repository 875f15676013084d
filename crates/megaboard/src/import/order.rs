//! Which lines must not change places: [`Order`], for a line that is sent again behind others.
//!
//! Contributions come to the same in any order, an outright set does not: sent again, it undoes what was
//! applied behind it, and what is sent again behind it counts on top of it.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::batch::Batch;

/// The lines of a request, by place.
pub(super) struct Order(Vec<(usize, Effect)>);

/// What of a line says whether its place matters.
#[derive(Deserialize)]
struct Effect {
    /// Absent where it names several.
    board: Option<String>,
    member: String,
    #[serde(default)]
    set: bool,
}

impl Order {
    /// Reads these lines. One of another shape is refused by the server and has no effect.
    pub(super) fn of(batch: &Batch, places: &[usize]) -> Self {
        let effect = |place: &usize| {
            let effect = serde_json::from_slice(batch.line(*place)).ok()?;
            Some((*place, effect))
        };
        Self(places.iter().filter_map(effect).collect())
    }

    /// The lines behind this one that it must not come behind, those that are `undone` left out.
    pub(super) fn behind(&self, place: usize, undone: &BTreeSet<usize>) -> Vec<usize> {
        let Some((_, effect)) = self.0.iter().find(|(it, _)| *it == place) else {
            return Vec::new();
        };
        let behind = self.0.iter().filter(|(other, later)| {
            // On several boards it may be undone on one and applied on another.
            let is_undone = undone.contains(other) && later.board.is_some();
            *other > place && !is_undone && effect.is_ordered(later)
        });
        behind.map(|(other, _)| *other).collect()
    }

    /// Whether the order of any two lines matters.
    pub(super) fn matters(&self) -> bool {
        let mut lines = self.0.iter().enumerate();
        lines.any(|(n, (_, effect))| {
            let later = &self.0[n + 1..];
            later.iter().any(|(_, later)| effect.is_ordered(later))
        })
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
