//! [`plan`]: admits each contribution to its windows, or rejects it.
//!
//! Pure: no store, no clock. Contributions to one board keep their order.

use std::sync::Arc;

use board::{Admission, AdmissionError, Kind, Timestamp, Windows};
use shard_store::KindRecord;
use smallvec::SmallVec;

use crate::batch::{BatchItem, BoardBatch, BoardBatches, KindPart};
use crate::catalogue::KnownKind;
use crate::outcomes::Outcomes;
use crate::write::{WriteOutcome, WriteRejected};

/// Admissions that are searched for that of a kind. A request has few kinds; with more, some are admitted anew.
const SEARCHED_MAX: usize = 8;

/// The admissions of the kinds of a request.
#[derive(Default)]
struct Admissions(SmallVec<[(Arc<KindRecord>, Admission); 1]>);

impl Admissions {
    fn of(&mut self, kind: &KnownKind) -> &mut Admission {
        let from = self.0.len().saturating_sub(SEARCHED_MAX);
        let is_it = |(record, _): &(Arc<KindRecord>, _)| Arc::ptr_eq(record, &kind.record);
        let known = self.0[from..].iter().position(is_it);
        let slot = known.map_or(self.0.len(), |position| from + position);
        if slot == self.0.len() {
            self.0.push((kind.record.clone(), Admission::default()));
        }
        &mut self.0[slot].1
    }
}

/// Returns the boards to which something was admitted. Everything rejected gets its outcome.
pub(crate) fn plan(
    batches: BoardBatches,
    now: Timestamp,
    outcomes: &mut Outcomes,
) -> SmallVec<[BoardBatch; 1]> {
    let mut boards = batches.boards;
    let mut admissions = Admissions::default();
    boards.retain_mut(|board| {
        board.parts.retain_mut(|part| {
            let KindPart { kind, items, .. } = part;
            let admission = admissions.of(kind);
            part.closes_at = admit_all(items, &kind.kind, admission, now, outcomes);
            !part.items.is_empty()
        });
        !board.parts.is_empty()
    });
    boards
}

/// Sets the windows of items of one kind, and removes those that no window accepts, which get their outcome. Returns
/// when the first of the windows closes.
pub(crate) fn admit_all(
    items: &mut Vec<BatchItem>,
    kind: &Kind,
    admission: &mut Admission,
    now: Timestamp,
    outcomes: &mut Outcomes,
) -> Option<Timestamp> {
    let mut closes_at = None;
    items.retain_mut(|item| match admit(item, kind, admission, now) {
        Ok(windows) => {
            item.item.windows = windows;
            if !item.is_removal() {
                closes_at = earliest(closes_at, admission.closes_at());
            }
            true
        }
        Err(reason) => {
            outcomes.push((item.origin.index, WriteOutcome::Rejected(reason)));
            false
        }
    });
    closes_at
}

fn earliest(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    a.into_iter().chain(b).min()
}

fn admit(
    item: &BatchItem,
    kind: &Kind,
    admission: &mut Admission,
    now: Timestamp,
) -> Result<Windows, WriteRejected> {
    if item.is_removal() {
        // It affects all existing windows, or the only one that it names, also if that is closed.
        let only = item.origin.only;
        return Ok(only.map_or_else(Windows::default, |only| Windows::from([only])));
    }
    let at = item.origin.at;
    let windows = admission.admit(kind, at, now);
    let Some(only) = item.origin.only else {
        return Ok(windows?);
    };
    let open = match windows {
        // Says nothing about the window that is named.
        Err(AdmissionError::WindowClosed { .. }) => Windows::default(),
        windows => windows?,
    };
    let calendar = kind.calendar();
    let window = || calendar.name(only);
    if !calendar.span(only).contains(at) {
        let window = window();
        return Err(WriteRejected::OtherWindow { window, at });
    }
    if open.contains(&only) {
        return Ok(Windows::from([only]));
    }
    let (window, state) = (window(), kind.window_state(only, now));
    Err(WriteRejected::WindowNotOpen { window, state })
}
