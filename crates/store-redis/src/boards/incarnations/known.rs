//! One incarnation of a board as the registry returned it, and how long that may be used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use board::{Activity, Timestamp};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::boards::registry::CurrentIncarnation;
use crate::boards::retention::untouched_max;
use redis_nodes::ServerId;
use shard_store::StoreError;

/// How long a record is used without reading it again.
const SOFT_LEASE: Duration = Duration::from_mins(1);

/// How long it is used while the registry is unreachable: half of the time that tombstones are
/// kept.
const HARD_LEASE: Duration = Duration::from_hours(12);

/// The interval of attempts to reach an unreachable registry.
const ASKED_AGAIN: Duration = Duration::from_secs(5);

/// An incarnation that exists, as the registry returned it.
#[derive(Debug)]
pub(super) struct KnownIncarnation {
    pub(super) servers: Arc<[ServerId]>,
    /// The activity of a created board.
    pub(super) activity: Activity,
    /// Whether the board is not created yet: only its settings exist.
    pub(super) uncreated: bool,
    touched: AtomicI64,
    /// When the sweep visits the board next; unknown after that.
    pub(super) due: AtomicI64,
    read_at: Instant,
    epoch: u64,
    /// When the registry was last unreachable.
    pub(super) missed: Mutex<Option<Instant>>,
    /// Whether the record is being read again in the background.
    pub(super) asking: AtomicBool,
    pub(super) touching: tokio::sync::Mutex<()>,
    touch_failed: Mutex<Option<FailedTouch>>,
}

/// A touch that failed.
#[derive(Debug, Clone)]
pub(super) struct FailedTouch {
    at: Instant,
    pub(super) error: StoreError,
    /// Whether the board is being emptied: it must be empty before a write.
    pub(super) is_emptying: bool,
}

/// Whether a record may be used.
pub(super) enum Lease {
    Fresh,
    /// It may, and is to be read again.
    Ending,
    Ended,
}

impl KnownIncarnation {
    pub(super) fn new(held: &CurrentIncarnation, servers: Arc<[ServerId]>, epoch: u64) -> Self {
        let record = held.record.as_ref();
        let touched = record.map(|record| record.touched.millis());
        Self {
            servers,
            activity: record.map_or(Activity::ALWAYS, |record| record.board.activity),
            uncreated: touched.is_none(),
            touched: AtomicI64::new(touched.unwrap_or(i64::MIN)),
            due: AtomicI64::new(due_of(held)),
            read_at: Instant::now(),
            epoch,
            missed: Mutex::default(),
            asking: AtomicBool::new(false),
            touching: tokio::sync::Mutex::default(),
            touch_failed: Mutex::default(),
        }
    }

    pub(super) fn lease(&self, epoch: u64) -> Lease {
        let age = self.read_at.elapsed();
        if age >= HARD_LEASE {
            return Lease::Ended;
        }
        let missed = || {
            self.missed
                .lock()
                .is_some_and(|at| at.elapsed() < ASKED_AGAIN)
        };
        if self.epoch != epoch {
            // The registry may have lost its latest changes, and decided otherwise since.
            return if missed() { Lease::Fresh } else { Lease::Ended };
        }
        if age >= SOFT_LEASE && !missed() {
            Lease::Ending
        } else {
            Lease::Fresh
        }
    }

    /// Returns whether the record may be used while the registry is unreachable.
    pub(super) fn may_outlast_the_registry(&self) -> bool {
        self.read_at.elapsed() < HARD_LEASE
    }

    /// Returns whether a write has to touch the board first. A touch that has just failed is not
    /// repeated before that is necessary: each waits for the registry.
    pub(super) fn wants_touch(&self, idle: Duration, now: Timestamp) -> bool {
        let touched = Timestamp::from_millis(self.touched.load(Ordering::Acquire));
        let failed = || {
            let failed = self.touch_failed.lock();
            let failed = failed.as_ref().filter(|failed| !failed.is_emptying);
            failed.is_some_and(|failed| failed.at.elapsed() < ASKED_AGAIN)
        };
        now >= touched.plus(untouched_max(idle)) && (self.may_be_idle(idle, now) || !failed())
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

    /// Returns whether a touch has failed since then.
    pub(super) fn touch_failed_since(&self, since: Instant) -> Option<FailedTouch> {
        let failed = self.touch_failed.lock();
        failed.clone().filter(|failed| failed.at >= since)
    }

    /// Returns whether the sweep may find the board idle by then.
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

    fn read_before(ago: Duration) -> KnownIncarnation {
        let held = CurrentIncarnation {
            record: None,
            due: None,
        };
        KnownIncarnation {
            read_at: Instant::now().checked_sub(ago).unwrap(),
            ..KnownIncarnation::new(&held, Arc::default(), 1)
        }
    }

    #[test]
    fn a_lease_lasts_longer_while_the_registry_is_unreachable() {
        let second = Duration::from_secs(1);
        assert!(matches!(
            read_before(SOFT_LEASE.saturating_sub(second)).lease(1),
            Lease::Fresh
        ));
        let old = read_before(SOFT_LEASE + second);
        assert!(matches!(old.lease(1), Lease::Ending));
        *old.missed.lock() = Some(Instant::now());
        assert!(
            matches!(old.lease(1), Lease::Fresh),
            "asked in vain just now"
        );
        let other = read_before(second);
        assert!(
            matches!(other.lease(2), Lease::Ended),
            "another process answers"
        );
        *other.missed.lock() = Some(Instant::now());
        assert!(matches!(other.lease(2), Lease::Fresh), "it cannot be asked");
        let last = read_before(HARD_LEASE);
        *last.missed.lock() = Some(Instant::now());
        assert!(matches!(last.lease(1), Lease::Ended));
    }
}
