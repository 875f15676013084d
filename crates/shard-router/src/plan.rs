//! [`Plan`]: writes grouped by board, each admitted to its windows or rejected.
//!
//! Pure: no store, no clock. Writes of one board keep their order.

use std::collections::HashMap;
use std::sync::Arc;

use board::{Admission, BoardName, KindName, Timestamp, Window, Windows};
use shard_store::Revision;

use crate::catalogue::KnownKind;
use crate::write::{Reason, Write};

/// The admitted writes of one board.
pub(crate) struct BoardPlan {
    pub(crate) name: Arc<BoardName>,
    /// One part for each kind that writes were read under, in order.
    pub(crate) parts: Vec<PlanPart>,
}

/// The admitted writes of one board that were read under one kind.
pub(crate) struct PlanPart {
    pub(crate) kind: KnownKind,
    /// Index in the request, and the windows that it counts in.
    pub(crate) writes: Vec<(usize, Windows)>,
    /// When the first of these windows closes, if one does.
    pub(crate) closes_at: Option<Timestamp>,
}

/// Everything admitted, by board, and everything rejected, by index in the request.
pub(crate) struct Plan {
    pub(crate) boards: Vec<BoardPlan>,
    pub(crate) refused: Vec<(usize, Reason)>,
}

impl BoardPlan {
    /// Returns the part of the next write. A kind may be replaced while a request is read; writes
    /// that were read under one kind are not applied under another.
    fn part_for(&mut self, write: &Write) -> &mut PlanPart {
        let revision = write.kind.record.revision;
        let last = self.parts.last();
        if last.is_none_or(|part| part.kind.record.revision != revision) {
            self.parts.push(PlanPart {
                kind: write.kind.clone(),
                writes: Vec::new(),
                closes_at: None,
            });
        }
        self.parts
            .last_mut()
            .expect("a part was added if there was none")
    }
}

pub(crate) fn plan(writes: &[Write], now: Timestamp) -> Plan {
    let mut plan = Plan {
        boards: Vec::new(),
        refused: Vec::new(),
    };
    let mut boards: HashMap<&BoardName, usize> = HashMap::new();
    let mut admissions: HashMap<(&KindName, Revision), Admission> = HashMap::new();
    let mut last: Option<(&Arc<BoardName>, usize)> = None;
    for (place, write) in writes.iter().enumerate() {
        let kind = (write.kind.kind.name(), write.kind.record.revision);
        let admission = admissions.entry(kind).or_default();
        let windows = match admit(write, admission, now) {
            Ok(windows) => windows,
            Err(reason) => {
                plan.refused.push((place, reason));
                continue;
            }
        };
        let board = match last {
            Some((name, board)) if Arc::ptr_eq(name, &write.board) => board,
            _ => *boards.entry(&write.board).or_insert_with(|| {
                plan.boards.push(BoardPlan {
                    name: write.board.clone(),
                    parts: Vec::new(),
                });
                plan.boards.len() - 1
            }),
        };
        last = Some((&write.board, board));
        let part = plan.boards[board].part_for(write);
        part.closes_at = earliest(part.closes_at, closes_at(write, admission));
        part.writes.push((place, windows));
    }
    plan
}

/// Returns the windows of the writes at a later time: removes from `left` the writes that no window
/// accepts any more, and returns them by index in the request, with the time when the first of the
/// remaining windows closes.
pub(crate) fn admit_again(
    left: &mut Vec<(usize, Windows)>,
    writes: &[Write],
    now: Timestamp,
) -> (Option<Timestamp>, Vec<(usize, Reason)>) {
    let mut admission = Admission::default();
    let mut closes = None;
    let mut refused = Vec::new();
    left.retain_mut(|(place, windows)| {
        let write = &writes[*place];
        match admit(write, &mut admission, now) {
            Ok(open) => {
                *windows = open;
                closes = earliest(closes, closes_at(write, &admission));
                true
            }
            Err(reason) => {
                refused.push((*place, reason));
                false
            }
        }
    });
    (closes, refused)
}

/// Returns when the first of the windows closes that the write was just admitted to.
fn closes_at(write: &Write, admission: &Admission) -> Option<Timestamp> {
    if write.is_removal() {
        return None;
    }
    admission.closes_at()
}

fn earliest(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    a.into_iter().chain(b).min()
}

fn admit(write: &Write, admission: &mut Admission, now: Timestamp) -> Result<Windows, Reason> {
    if write.is_removal() {
        // A removal affects all existing windows.
        return Ok(Arc::from([]));
    }
    let windows = admission.admit(&write.kind.kind, write.at, now);
    let Some(only) = write.only else {
        return Ok(windows?);
    };
    only_window(write, only, &windows?)
}

fn only_window(write: &Write, only: Window, open: &Windows) -> Result<Windows, Reason> {
    let calendar = write.kind.kind.calendar();
    if !calendar.span(only).contains(write.at) {
        return Err(Reason::OtherWindow {
            window: calendar.name(only),
            at: write.at,
        });
    }
    if open.contains(&only) {
        Ok(Arc::from([only]))
    } else {
        Err(board::NotAdmitted::WindowClosed { at: write.at }.into())
    }
}
