//! The windows of a call: its keys, and the arguments of the functions for each.

use std::sync::Arc;

use board::{Kind, Timestamp, Window, Windows};
use bytes::Bytes;

use super::part::BatchPart;
use crate::boards::keys::{ShardKeys, watermark_place, window_name, window_named};
use crate::boards::packed;
use crate::boards::retention::time_to_live_ms;
use crate::boards::wire::{Garbled, Pack, Unpack};

/// The maximum number of different sets of windows of the items of one call: each may name five
/// more windows, and for each window a call takes some 10 µs of the server's time.
pub(super) const SETS_A_CALL_MAX: usize = 64;

/// The windows that a call declares, and the sets of them that its items count in.
#[derive(Debug, Default)]
pub(super) struct CallWindows {
    pub(super) windows: Vec<Window>,
    known: Vec<Windows>,
    /// Indexes into `windows`, for each of the known.
    pub(super) sets: Vec<Vec<usize>>,
    /// The set of each item.
    pub(super) set_of: Vec<usize>,
}

impl CallWindows {
    /// Returns the windows of the items of these parts, which fit into one call.
    pub(super) fn of(parts: &[BatchPart]) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.add_all(&part.windows);
        }
        all
    }

    /// Adds an item that counts in these windows. Returns false if they would be one set more than fit into a call.
    pub(super) fn add(&mut self, windows: &Windows) -> bool {
        let set = self.set(windows);
        if let Some(set) = set {
            self.set_of.push(set);
        }
        set.is_some()
    }

    /// Adds all items of the others. Returns false if they do not fit into a call.
    pub(super) fn add_all(&mut self, others: &Self) -> bool {
        let is_new = |windows: &&Windows| self.position(windows).is_none();
        let new = others.known.iter().filter(is_new).count();
        if self.known.len() + new > SETS_A_CALL_MAX {
            return false;
        }
        let sets = others.known.iter().filter_map(|windows| self.set(windows));
        let sets: Vec<usize> = sets.collect();
        self.set_of
            .extend(others.set_of.iter().map(|set| sets[*set]));
        true
    }

    fn set(&mut self, windows: &Windows) -> Option<usize> {
        let known = self.position(windows);
        if known.is_none() && self.known.len() < SETS_A_CALL_MAX {
            let places = windows.iter().map(|window| self.place(*window)).collect();
            self.sets.push(places);
            self.known.push(windows.clone());
            return Some(self.known.len() - 1);
        }
        known
    }

    fn position(&self, windows: &Windows) -> Option<usize> {
        // The last one is the most likely.
        let is_same = |known: &Windows| same_windows(known, windows);
        self.known.iter().rposition(is_same)
    }

    fn place(&mut self, window: Window) -> usize {
        let found = self.windows.iter().position(|other| *other == window);
        found.unwrap_or_else(|| {
            self.windows.push(window);
            self.windows.len() - 1
        })
    }

    /// Declares the windows that a function named.
    pub(super) fn declare(&mut self, names: &[u8]) -> Result<(), Garbled> {
        let mut names = Unpack::new(names);
        for _ in 0..names.array()? {
            let window = window_named(names.text()?).ok_or(Garbled("no window"))?;
            self.place(window);
        }
        Ok(())
    }

    /// Returns the keys of a call. Those of distinct values come last.
    pub(super) fn keys(&self, kind: &Kind, keys: &ShardKeys) -> Vec<Bytes> {
        let own = [keys.meta(), keys.ids(0), keys.ids(1)];
        let windows = self.windows.iter();
        let windows = windows.flat_map(|window| [keys.scores(*window), keys.rank(*window)]);
        let counted = self.windows.iter().filter(|_| kind.is_dense());
        let values = counted.map(|window| keys.values(*window));
        own.into_iter().chain(windows).chain(values).collect()
    }

    /// Returns names of versions, times to live, periods, and the starts from which packed times
    /// count: a column each.
    pub(super) fn pack(&self, pack: &mut Pack, kind: &Kind, now: Timestamp) {
        let len = self.windows.len();
        pack.array(len);
        for window in &self.windows {
            pack.raw(format!("v:{}", window_name(*window)).as_bytes());
        }
        pack.array(len);
        for window in &self.windows {
            pack.int(time_to_live_ms(kind, *window, now));
        }
        pack.array(len);
        for window in &self.windows {
            pack.int(i64::from(watermark_place(window.period())));
        }
        pack.array(len);
        for window in &self.windows {
            pack.int(packed::base(kind.rules(), *window));
        }
    }
}

fn same_windows(a: &Windows, b: &Windows) -> bool {
    Arc::ptr_eq(a, b) || a == b
}
