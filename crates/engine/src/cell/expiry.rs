//! Drops what is past its retention: ids, windows, and the window without bounds of an idle board.

use board::{Kind, Timestamp, Window};

use super::{Body, Cell};
use crate::ids::IdBudget;
use crate::log::{Event, Log};

/// Maximum windows that a board drops in one sweep.
const EXPIRED_MAX: usize = 32;

impl Cell {
    /// Drops ids past their dedupe span.
    pub fn age_ids(&self, kind: &Kind, now: Timestamp, budget: &IdBudget) {
        for shard in self.body.read().shards() {
            shard.write().age_ids(kind, now, budget);
        }
    }

    /// Returns whether the board holds something and is not idle, so that only windows past their
    /// retention can be dropped.
    pub fn is_in_use(&self, kind: &Kind, now: Timestamp) -> bool {
        let body = self.body.read();
        let mut shards = body.shards().iter();
        !self.is_idle(kind, now) && shards.any(|shard| !shard.read().is_empty(false))
    }

    /// Returns windows that are past their retention on any shard: at most [`EXPIRED_MAX`], the
    /// others in a later sweep.
    pub fn expired(&self, kind: &Kind, now: Timestamp) -> Vec<Window> {
        let body = self.body.read();
        let mut gone: Vec<Window> = Vec::new();
        for shard in body.shards() {
            gone.extend(shard.read().expired(kind, now));
            gone.sort_unstable();
            gone.dedup();
        }
        gone.truncate(EXPIRED_MAX);
        gone
    }

    /// Drops the windows `gone`, and the window without bounds if the board is idle. Returns
    /// whether the board is empty and may be deleted.
    pub fn expire(&self, kind: &Kind, gone: &[Window], now: Timestamp, log: &mut dyn Log) -> bool {
        self.expire_idle(kind, now, log);
        let body = self.body.read();
        let mut dropped = Vec::new();
        let mut empty = true;
        // A window that one shard drops is closed on all, even where it never had members.
        for (shard, held) in (0..).zip(body.shards()) {
            let mut held = held.write();
            if !gone.is_empty() {
                dropped.extend(held.take_windows(gone));
                log.record(Event::WindowsDropped {
                    incarnation: self.incarnation,
                    shard,
                    windows: gone.into(),
                });
            }
            empty &= held.is_empty(self.is_idle(kind, now));
        }
        // No shard has these windows any more.
        let values = self.distinct.as_ref().map(|distinct| distinct.take(gone));
        drop(body);
        // Freeing a large window takes a while: no lock is held.
        drop((dropped, values));
        empty
    }

    /// Empties the window without bounds if the board is idle: on all shards or on none, so that
    /// concurrent writers never find a part of it.
    fn expire_idle(&self, kind: &Kind, now: Timestamp, log: &mut dyn Log) {
        if !self.is_idle(kind, now) {
            return;
        }
        let mut body = self.body.write();
        let mut dropped = Vec::new();
        let mut values = None;
        if self.is_idle(kind, now) {
            let shards = body.shards_mut().iter_mut();
            dropped.extend(shards.filter_map(|shard| shard.get_mut().take_unbounded()));
            let distinct = self.distinct.as_ref();
            values = distinct.map(|distinct| distinct.take(&[Window::ALL_TIME]));
            if !dropped.is_empty() {
                log.record(Event::BoardEmptied {
                    incarnation: self.incarnation,
                });
            }
        }
        drop(body);
        drop((dropped, values));
    }

    /// Returns whether the board is to be deleted with all that it holds: it has expired, or nothing was
    /// written to it for the idle span of its own settings.
    pub fn is_over(&self, kind: &Kind, now: Timestamp) -> bool {
        !self.activity().is_always() && self.is_over_with(&self.body.read(), kind, now)
    }

    pub(super) fn is_over_with(&self, body: &Body, kind: &Kind, now: Timestamp) -> bool {
        let activity = self.activity();
        let is_in_use = || self.is_created() && !body.is_untouched();
        let is_idle = |idle| is_in_use() && now >= self.written().plus(idle);
        activity.has_expired(now) || activity.idle_span(kind).is_some_and(is_idle)
    }

    pub(super) fn is_idle(&self, kind: &Kind, now: Timestamp) -> bool {
        let written = self.written();
        kind.idle().is_some_and(|idle| now >= written.plus(idle))
    }
}
