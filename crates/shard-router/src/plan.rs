//! Writes gathered by board, each admitted to its windows or refused.
//!
//! Pure: no store, no clock. Writes of one board keep their order.

use std::collections::HashMap;
use std::sync::Arc;

use board::{Admission, BoardName, KindName, Timestamp, Window, Windows};

use crate::catalogue::KnownKind;
use crate::write::{Reason, Write};

/// The admitted writes of one board.
pub(crate) struct BoardPlan {
    pub(crate) name: Arc<BoardName>,
    pub(crate) kind: KnownKind,
    /// Place in the request, and the windows it counts in.
    pub(crate) writes: Vec<(usize, Windows)>,
}

/// Everything admitted, by board, and everything refused, by place in the request.
pub(crate) struct Plan {
    pub(crate) boards: Vec<BoardPlan>,
    pub(crate) refused: Vec<(usize, Reason)>,
}

pub(crate) fn plan(writes: &[Write], now: Timestamp) -> Plan {
    let mut plan = Plan {
        boards: Vec::new(),
        refused: Vec::new(),
    };
    let mut boards: HashMap<&BoardName, usize> = HashMap::new();
    let mut admissions: HashMap<&KindName, Admission> = HashMap::new();
    let mut last: Option<(&Arc<BoardName>, usize)> = None;
    for (place, write) in writes.iter().enumerate() {
        let admission = admissions.entry(write.kind.kind.name()).or_default();
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
                    kind: write.kind.clone(),
                    writes: Vec::new(),
                });
                plan.boards.len() - 1
            }),
        };
        last = Some((&write.board, board));
        plan.boards[board].writes.push((place, windows));
    }
    plan
}

fn admit(write: &Write, admission: &mut Admission, now: Timestamp) -> Result<Windows, Reason> {
    if write.is_removal() {
        // It acts on whatever windows there are.
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
