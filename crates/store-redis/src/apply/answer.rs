//! Reads the reply to a call.
//!
//! A reply begins with the number of ids that the shard remembers, if the call has any. A call
//! whose items were all applied and that opened no window returns no more than that. Any other
//! returns the windows that it opened, what was not applied and why, the standings that are
//! reported, and the windows whose lists may lack members, if there are any.

use board::{Rules, Window};

use super::part::BatchPart;
use super::windows::CallWindows;
use crate::boards::standing::standing_of;
use crate::boards::wire::{Garbled, Unpack};
use shard_store::{Change, Item, ItemFailure, ItemRejected, Outcome, WindowStanding};

/// The outcome of a call.
#[derive(Debug, Default)]
pub(super) struct CallOutcomes {
    /// The number of ids that the shard remembers; 0 if the call has none.
    pub(super) ids: u64,
    /// The windows that it created.
    pub(super) opened: Vec<Window>,
    /// The windows whose lists may lack members.
    pub(super) short: Vec<Window>,
    /// One for each item.
    pub(super) outcomes: Vec<Outcome>,
}

impl CallOutcomes {
    pub(super) fn read(
        payload: &[u8],
        parts: &[BatchPart],
        windows: &CallWindows,
        ids_max: u64,
    ) -> Result<Self, Garbled> {
        let items: usize = parts.iter().map(|part| part.items.len()).sum();
        let mut answered = Self {
            outcomes: vec![Outcome::Applied(Vec::new()); items],
            ..Self::default()
        };
        if payload.is_empty() {
            return Ok(answered);
        }
        let mut answer = Unpack::new(payload);
        answered.ids = answer.count()?;
        if answer.end().is_ok() {
            return Ok(answered);
        }
        for _ in 0..answer.array()? {
            answered.opened.push(window_at(windows, answer.count()?)?);
        }
        answered.read_refused(&mut answer, parts, ids_max)?;
        answered.read_reports(&mut answer, parts, windows)?;
        if answer.end().is_err() {
            for _ in 0..answer.array()? {
                answered.short.push(window_at(windows, answer.count()?)?);
            }
        }
        answer.end()?;
        Ok(answered)
    }

    fn read_refused(
        &mut self,
        answer: &mut Unpack<'_>,
        parts: &[BatchPart],
        ids_max: u64,
    ) -> Result<(), Garbled> {
        let items: Vec<&Item> = parts.iter().flat_map(|part| &part.items).collect();
        let rules = parts[0].kind.rules();
        for _ in 0..answer.array()? / 3 {
            let place = place(answer.count()?)?;
            let item = items.get(place).ok_or(Garbled("no such item"))?;
            let why = answer.raw()?;
            let with = answer.raw()?;
            self.outcomes[place] = match why {
                b"d" => Outcome::Duplicate(Vec::new()),
                b"c" => Outcome::Rejected(ItemRejected::WindowClosed(item.at)),
                b"n" => Outcome::Rejected(ItemRejected::NotRanked(item.member.clone())),
                b"o" => out_of_range(rules, item, with)?,
                b"i" => Outcome::Failed(ItemFailure::Unavailable(format!(
                    "this shard remembers {ids_max} ids: that is its limit"
                ))),
                _ => return Err(Garbled("no reason")),
            };
        }
        Ok(())
    }

    fn read_reports(
        &mut self,
        answer: &mut Unpack<'_>,
        parts: &[BatchPart],
        windows: &CallWindows,
    ) -> Result<(), Garbled> {
        let mut left = answer.array()?;
        let items = parts
            .iter()
            .flat_map(|part| part.items.iter().map(move |item| (part.report, item)));
        for (outcome, (report, item)) in self.outcomes.iter_mut().zip(items) {
            let (Outcome::Applied(standings) | Outcome::Duplicate(standings)) = outcome else {
                continue;
            };
            if !report || item.change.is_removal() {
                continue;
            }
            left = left.checked_sub(1).ok_or(Garbled("a report is missing"))?;
            for _ in 0..answer.array()? / 2 {
                let window = window_at(windows, answer.count()?)?;
                let standing = standing_of(parts[0].kind.rules(), answer.raw()?)?;
                standings.push(WindowStanding { window, standing });
            }
        }
        if left == 0 {
            Ok(())
        } else {
            Err(Garbled("a report of nothing"))
        }
    }
}

/// Returns the error of the rules, by folding again.
fn out_of_range(rules: &Rules, item: &Item, held: &[u8]) -> Result<Outcome, Garbled> {
    let Change::Fold(values) = &item.change else {
        return Err(Garbled("nothing that was added"));
    };
    let held = match held {
        [] => None,
        held => Some(standing_of(rules, held)?),
    };
    match rules.fold(held.as_ref(), values, item.at) {
        Err(error) => Ok(Outcome::Rejected(error.into())),
        Ok(_) => Err(Garbled("a sum within its range")),
    }
}

/// Reads a position that Lua counted from 1.
fn place(count: u64) -> Result<usize, Garbled> {
    let place = usize::try_from(count).ok();
    let place = place.and_then(|place| place.checked_sub(1));
    place.ok_or(Garbled("no place"))
}

fn window_at(windows: &CallWindows, count: u64) -> Result<Window, Garbled> {
    let window = windows.windows.get(place(count)?);
    window.copied().ok_or(Garbled("no such window"))
}
