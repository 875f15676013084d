//! The windows of a call: its keys, and the arguments of the functions for each.

use board::{Kind, Timestamp, Window, Windows};
use bytes::Bytes;

use super::part::{BatchPart, same_windows};
use crate::boards::keys::{ShardKeys, watermark_place, window_name, window_named};
use crate::boards::packed;
use crate::boards::retention::time_to_live_ms;
use crate::boards::wire::{Garbled, Pack, Unpack};

/// The windows that a call declares, and the sets of them that its items count in.
#[derive(Debug, Default)]
pub(super) struct CallWindows {
    pub(super) windows: Vec<Window>,
    /// Indexes into `windows`.
    pub(super) sets: Vec<Vec<usize>>,
    /// The set of each item.
    pub(super) set_of: Vec<usize>,
}

impl CallWindows {
    pub(super) fn of(parts: &[BatchPart]) -> Self {
        let mut all = Self::default();
        let mut known: Vec<&Windows> = Vec::new();
        let mut set = 0;
        for item in parts.iter().flat_map(|part| &part.items) {
            if known
                .get(set)
                .is_none_or(|last| !same_windows(last, &item.windows))
            {
                let found = known
                    .iter()
                    .position(|known| same_windows(known, &item.windows));
                set = found.unwrap_or_else(|| {
                    known.push(&item.windows);
                    let places = item.windows.iter().map(|window| all.place(*window));
                    let places = places.collect();
                    all.sets.push(places);
                    known.len() - 1
                });
            }
            all.set_of.push(set);
        }
        all
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
