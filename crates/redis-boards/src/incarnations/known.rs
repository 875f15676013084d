//! One incarnation of a board as the registry returned it, and for how long that may be used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use board::Timestamp;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::registry::CurrentIncarnation;
use redis_nodes::ServerId;
use shard_store::StoreError;

/// How long what is known is gone by without asking.
const SOFT_LEASE: Duration = Duration::from_mins(1);

/// How long it is gone by while the registry cannot be asked: half of what tombstones are kept for.
const HARD_LEASE: Duration = Duration::from_hours(12);

/// How soon a registry that could not be asked is asked again.
const ASKED_AGAIN: Duration = Duration::from_secs(5);

/// An incarnation that exists, as the registry returned it.
#[derive(Debug)]
pub(super) struct KnownIncarnation {
    pub(super) servers: Arc<[ServerId]>,
    /// Only settings are kept of it.
    pub(super) uncreated: bool,
    touched: AtomicI64,
    /// When the sweep visits the board next; unknown after that.
    pub(super) due: AtomicI64,
    told: Instant,
    epoch: u64,
    /// When the registry was asked in vain.
    pub(super) missed: Mutex<Option<Instant>>,
    /// It is being asked in the background.
    pub(super) asking: AtomicBool,
    pub(super) touching: tokio::sync::Mutex<()>,
    touch_failed: Mutex<Option<FailedTouch>>,
}

/// A touch in vain.
#[derive(Debug, Clone)]
pub(super) struct FailedTouch {
    at: Instant,
    pub(super) error: StoreError,
    /// The board is being emptied: nothing may be written before it is empty.
    pub(super) is_emptying: bool,
}

/// Whether an incarnation may be gone by.
pub(super) enum Lease {
    Fresh,
    /// It is, and is to be asked for again.
    Ending,
    Ended,
}

impl KnownIncarnation {
    pub(super) fn new(held: &CurrentIncarnation, servers: Arc<[ServerId]>, epoch: u64) -> Self {
        let touched = held.record.as_ref().map(|record| record.touched.millis());
        Self {
            servers,
            uncreated: touched.is_none(),
            touched: AtomicI64::new(touched.unwrap_or(i64::MIN)),
            due: AtomicI64::new(due_of(held)),
            told: Instant::now(),
            epoch,
            missed: Mutex::default(),
            asking: AtomicBool::new(false),
            touching: tokio::sync::Mutex::default(),
            touch_failed: Mutex::default(),
        }
    }

    pub(super) fn lease(&self, epoch: u64) -> Lease {
        let age = self.told.elapsed();
        if age >= HARD_LEASE {
            return Lease::Ended;
        }
        let missed = || {
            self.missed
                .lock()
                .is_some_and(|at| at.elapsed() < ASKED_AGAIN)
        };
        if self.epoch != epoch {
            // What was decided may be lost, and decided otherwise.
            return if missed() { Lease::Fresh } else { Lease::Ended };
        }
        if age >= SOFT_LEASE && !missed() {
            Lease::Ending
        } else {
            Lease::Fresh
        }
    }

    /// Whether what is known may still be gone by, should the registry be away.
    pub(super) fn may_outlast_the_registry(&self) -> bool {
        self.told.elapsed() < HARD_LEASE
    }

    /// Whether a write has to touch the board before. One that failed a moment ago is not repeated before it has to
    /// be: each waits for the registry.
    pub(super) fn wants_touch(&self, idle: Duration, now: Timestamp) -> bool {
        let touched = Timestamp::from_millis(self.touched.load(Ordering::Acquire));
        let failed = || {
            let failed = self.touch_failed.lock();
            let failed = failed.as_ref().filter(|failed| !failed.is_emptying);
            failed.is_some_and(|failed| failed.at.elapsed() < ASKED_AGAIN)
        };
        now >= touched.plus(idle / 8) && (self.may_be_idle(idle, now) || !failed())
    }

    pub(super) fn note_failed_touch(&self, error: StoreError, is_emptying: bool) -> FailedTouch {
        let at = Instant::now();
        let failed = FailedTouch {
            at,
            error,
            is_emptying,
        };
        *self.touch_failed.lock() = Some(failed.clone());
        failed
    }

    /// Whether it was touched in vain since then.
    pub(super) fn touch_failed_since(&self, since: Instant) -> Option<FailedTouch> {
        let failed = self.touch_failed.lock();
        failed.clone().filter(|failed| failed.at >= since)
    }

    /// Whether it may be found idle by then.
    pub(super) fn may_be_idle(&self, idle: Duration, now: Timestamp) -> bool {
        let touched = Timestamp::from_millis(self.touched.load(Ordering::Acquire));
        now >= touched.plus(idle)
    }

    pub(super) fn note(&self, held: &CurrentIncarnation) {
        if let Some(record) = &held.record {
            let touched = record.touched.millis();
            self.touched.fetch_max(touched, Ordering::AcqRel);
        }
        self.due.store(due_of(held), Ordering::Release);
    }
}

fn due_of(held: &CurrentIncarnation) -> i64 {
    held.due.map_or(i64::MAX, Timestamp::millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ago: Duration) -> KnownIncarnation {
        let held = CurrentIncarnation {
            record: None,
            due: None,
        };
        KnownIncarnation {
            told: Instant::now().checked_sub(ago).unwrap(),
            ..KnownIncarnation::new(&held, Arc::default(), 1)
        }
    }

    #[test]
    fn a_lease_ends_slowly_while_the_registry_is_away() {
        let second = Duration::from_secs(1);
        assert!(matches!(
            told(SOFT_LEASE.saturating_sub(second)).lease(1),
            Lease::Fresh
        ));
        let old = told(SOFT_LEASE + second);
        assert!(matches!(old.lease(1), Lease::Ending));
        *old.missed.lock() = Some(Instant::now());
        assert!(
            matches!(old.lease(1), Lease::Fresh),
            "asked in vain just now"
        );
        let other = told(second);
        assert!(
            matches!(other.lease(2), Lease::Ended),
            "another process answers"
        );
        *other.missed.lock() = Some(Instant::now());
        assert!(matches!(other.lease(2), Lease::Fresh), "it cannot be asked");
        let last = told(HARD_LEASE);
        *last.missed.lock() = Some(Instant::now());
        assert!(matches!(last.lease(1), Lease::Ended));
    }
}
