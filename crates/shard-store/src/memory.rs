//! [`Memory`]: the memory limit of this process, and whether it is reached.
//!
//! What kills a process is its resident set, so the limit applies to that: its measurements are
//! reported here ([`Memory::report_resident`]), and at the limit everything that needs memory is
//! rejected. But an allocator keeps much of what is freed, so the resident set alone would reject
//! for ever what would fit again. So the weight of the boards is measured, too: each sweep measures
//! all of it, and additions between two sweeps are counted. While boards weigh less than they did
//! when the limit was reached, the difference may be added, unless the resident set grows well past
//! the limit: then the weight of that moment counts. A store that keeps no boards in this process
//! uses the weight of its calls in progress instead ([`Memory::hold`]): their maximum since the
//! limit was last reached. The memory of requests and streams is added to the weight of the boards
//! ([`Memory::add_weigher`]): if they caused the limit to be reached, there is memory again once
//! they have ended.
//!
//! Weights are estimates, and are only compared with one another.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use metering::{Counter, Registry, ScrapedMetric, Unit, as_float};
use parking_lot::Mutex;

use crate::contract::StoreError;

/// Approximate bytes of an empty board.
pub const BOARD_WEIGHT: u64 = 1_000;

/// Approximate bytes of a member in one window.
pub const STANDING_WEIGHT: u64 = 100;

/// Approximate bytes of a profile besides its text.
pub const PROFILE_WEIGHT: u64 = 100;

/// The fraction (1/32) of the limit, and of weights, by which the use has to fall before there is
/// memory again.
const MARGIN_PART: u64 = 32;

/// The fraction (1/16) of the limit by which freed memory may be exceeded when it is used again.
const REUSE_PART: u64 = 16;

/// Returns what else is held.
type Weigh = Box<dyn Fn() -> u64 + Send + Sync>;

/// The memory limit of this process. Without a limit nothing is rejected.
pub struct Memory {
    limit_bytes: Option<u64>,
    resident_bytes: AtomicU64,
    is_full: AtomicBool,
    /// Weight added since the boards were last measured.
    added: AtomicU64,
    /// While the limit is reached: the maximum of `added`.
    added_max: AtomicU64,
    /// The maximum of `added`, including calls in progress, since the limit was reached.
    held_peak: AtomicU64,
    weighed: Mutex<Weighed>,
    others: OnceLock<Weigh>,
    refused: Counter,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("limit_bytes", &self.limit_bytes)
            .field("resident_bytes", &self.resident_bytes)
            .field("is_full", &self.is_full)
            .finish_non_exhaustive()
    }
}

/// The weight of a call in progress; subtracted on drop.
#[derive(Debug)]
pub struct HeldWeight {
    memory: Arc<Memory>,
    weight: u64,
}

impl Drop for HeldWeight {
    fn drop(&mut self) {
        self.memory.added.fetch_sub(self.weight, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
struct Weighed {
    /// At the last sweep.
    last: u64,
    /// When the limit was reached.
    when_full: u64,
    /// The maximum resident set since the limit was reached.
    resident_peak: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self::of(None)
    }
}

impl Memory {
    /// Creates a limit of this many bytes.
    #[must_use]
    pub fn with_limit(limit_bytes: u64) -> Self {
        Self::of(Some(limit_bytes))
    }

    fn of(limit_bytes: Option<u64>) -> Self {
        Self {
            limit_bytes,
            resident_bytes: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            added: AtomicU64::new(0),
            added_max: AtomicU64::new(0),
            held_peak: AtomicU64::new(0),
            weighed: Mutex::default(),
            others: OnceLock::new(),
            refused: Counter::default(),
        }
    }

    /// Returns the limit, if there is one.
    #[must_use]
    pub const fn limit_bytes(&self) -> Option<u64> {
        self.limit_bytes
    }

    /// Sets a function that returns the bytes of other memory of this process, to be added to the
    /// weight of the boards. Only the first call has an effect.
    pub fn add_weigher(&self, weigh: impl Fn() -> u64 + Send + Sync + 'static) {
        let _ = self.others.set(Box::new(weigh));
    }

    fn others(&self) -> u64 {
        self.others.get().map_or(0, |weigh| weigh())
    }

    /// Returns whether the limit is reached.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Returns whether additions are rejected.
    fn is_refusing(&self) -> bool {
        let has_room =
            || self.added.load(Ordering::Relaxed) < self.added_max.load(Ordering::Relaxed);
        self.is_full() && !has_room()
    }

    /// Reports the current resident set.
    pub fn report_resident(&self, bytes: u64) {
        let Some(limit) = self.limit_bytes else {
            return;
        };
        self.resident_bytes.store(bytes, Ordering::Relaxed);
        if !self.is_full() && bytes < limit {
            return;
        }
        let mut weighed = self.weighed.lock();
        if !self.is_full() {
            tracing::warn!(
                resident_bytes = bytes,
                limit_bytes = limit,
                "the memory limit is reached: what needs more memory is rejected"
            );
            self.fill(&mut weighed, bytes);
        } else if bytes < limit - limit / MARGIN_PART {
            tracing::info!(
                resident_bytes = bytes,
                limit_bytes = limit,
                "there is memory again"
            );
            self.is_full.store(false, Ordering::Relaxed);
        } else if bytes > weighed.resident_peak.max(limit + limit / REUSE_PART) {
            // Freed memory is not the memory that is being used again.
            self.fill(&mut weighed, bytes);
        }
    }

    /// Rejects additions until the boards weigh less than now.
    fn fill(&self, weighed: &mut Weighed, resident_bytes: u64) {
        let added = self.added.load(Ordering::Relaxed);
        // Calls may have ended between the peak and now.
        let peak = self.held_peak.swap(added, Ordering::Relaxed);
        weighed.when_full = weighed.last + added.max(peak) + self.others();
        weighed.resident_peak = resident_bytes;
        self.added_max.store(0, Ordering::Relaxed);
        self.is_full.store(true, Ordering::Relaxed);
    }

    /// Returns what has been added since the boards were last measured. Read it before a
    /// measurement, for [`report_weight`](Self::report_weight).
    pub fn added(&self) -> u64 {
        self.added.load(Ordering::Relaxed)
    }

    /// Reports the weight of the boards; `added_before` is [`added`](Self::added) from when the
    /// measurement began.
    pub fn report_weight(&self, weight: u64, added_before: u64) {
        let mut weighed = self.weighed.lock();
        weighed.last = weight;
        self.added.fetch_sub(added_before, Ordering::Relaxed);
        if self.is_full() {
            let less = weighed.when_full - weighed.when_full / MARGIN_PART;
            let room = less.saturating_sub(weight + self.others());
            self.added_max.store(room, Ordering::Relaxed);
        }
    }

    /// Counts what a call adds.
    pub fn add(&self, weight: u64) {
        if self.limit_bytes.is_some() {
            self.added.fetch_add(weight, Ordering::Relaxed);
        }
    }

    /// Counts the memory of a call until the result is dropped.
    pub fn hold(self: &Arc<Self>, weight: u64) -> HeldWeight {
        let added = self.added.fetch_add(weight, Ordering::Relaxed) + weight;
        self.held_peak.fetch_max(added, Ordering::Relaxed);
        HeldWeight {
            memory: self.clone(),
            weight,
        }
    }

    /// Checks that there is memory for additions.
    pub fn check(&self) -> Result<(), StoreError> {
        if !self.is_refusing() {
            return Ok(());
        }
        self.refused.inc();
        let limit = self.limit_bytes.unwrap_or(u64::MAX);
        let resident = self.resident_bytes.load(Ordering::Relaxed);
        Err(StoreError::Unavailable(format!(
            "the server's memory limit is reached ({resident} of {limit} bytes are in use): delete boards \
             or members, or raise memory_limit"
        )))
    }

    /// Registers the metrics.
    pub fn register_metrics(self: &Arc<Self>, registry: &mut Registry) {
        let limit = as_float(self.limit_bytes.unwrap_or(0));
        registry.register_with_unit(
            "memory_limit",
            "Memory that this process may have before it refuses what needs more; 0: there is no limit",
            Unit::Bytes,
            ScrapedMetric::gauge(move || limit),
        );
        let memory = self.clone();
        registry.register(
            "memory_full",
            "Whether the memory limit has been reached, and nothing was freed since: 1 or 0",
            ScrapedMetric::gauge(move || f64::from(u8::from(memory.is_refusing()))),
        );
        registry.register(
            "memory_refusals",
            "Boards, standings, ids and profiles that were refused at the memory limit",
            self.refused.clone(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 32_000;

    /// Returns a full memory with boards of this weight.
    fn full(weight: u64) -> Memory {
        let memory = Memory::with_limit(LIMIT);
        memory.report_weight(weight, 0);
        memory.report_resident(LIMIT);
        memory
    }

    #[test]
    fn without_a_limit_nothing_is_rejected() {
        let memory = Memory::default();
        memory.report_resident(u64::MAX);
        memory.add(1);
        assert!(memory.check().is_ok());
        assert_eq!((memory.is_full(), memory.added()), (false, 0));
    }

    #[test]
    fn additions_are_rejected_at_the_limit_and_accepted_below_it() {
        let memory = Memory::with_limit(LIMIT);
        memory.report_resident(LIMIT - 1);
        assert!(memory.check().is_ok());
        memory.report_resident(LIMIT);
        let refused = memory.check().unwrap_err().to_string();
        assert!(
            refused.contains("memory limit") && refused.contains("32000"),
            "{refused}"
        );
        // Slightly less makes no difference.
        memory.report_resident(LIMIT - LIMIT / MARGIN_PART);
        assert!(memory.check().is_err());
        memory.report_resident(LIMIT - LIMIT / MARGIN_PART - 1);
        assert!(memory.check().is_ok());
        assert_eq!(memory.refused.get(), 2);
    }

    #[test]
    fn freed_memory_may_be_used_again_though_it_stays_resident() {
        let memory = full(6_400);
        memory.report_weight(6_400, 0);
        assert!(memory.check().is_err(), "nothing was freed");
        memory.report_weight(6_000, 0);
        // 6,400 minus a 32nd of it.
        memory.add(199);
        assert!(memory.check().is_ok());
        memory.add(1);
        assert!(memory.check().is_err());
        let before = memory.added();
        memory.add(50);
        memory.report_weight(6_000, before);
        assert_eq!(memory.added(), 50, "what came while they were weighed");
        assert!(memory.check().is_ok());
    }

    #[test]
    fn other_memory_that_caused_the_limit_makes_room_when_it_is_freed() {
        let memory = Memory::with_limit(LIMIT);
        let held = Arc::new(AtomicU64::new(6_400));
        let others = held.clone();
        memory.add_weigher(move || others.load(Ordering::Relaxed));
        memory.report_weight(3_200, 0);
        memory.report_resident(LIMIT);
        memory.report_weight(3_200, 0);
        assert!(memory.check().is_err(), "they still hold it");
        held.store(0, Ordering::Relaxed);
        memory.report_resident(LIMIT);
        memory.report_weight(3_200, 0);
        assert!(memory.check().is_ok() && !memory.is_refusing());
        // 9,600 minus a 32nd of it.
        memory.add(9_300 - 3_200);
        assert!(memory.check().is_err());
    }

    #[test]
    fn additions_since_the_last_measurement_count_when_the_limit_is_reached() {
        let memory = Memory::with_limit(LIMIT);
        memory.report_weight(1_000, 0);
        memory.add(5_400);
        memory.report_resident(LIMIT);
        memory.report_weight(6_000, 5_400);
        assert!(memory.check().is_ok());
    }

    #[test]
    fn calls_are_accepted_when_fewer_are_in_progress_though_their_memory_stays_resident() {
        let memory = Arc::new(Memory::with_limit(LIMIT));
        let calls = [(); 32].map(|()| memory.hold(100));
        memory.report_resident(LIMIT);
        assert!(memory.check().is_err());
        drop(calls);
        memory.report_resident(LIMIT);
        memory.report_weight(0, 0);
        let calls = [(); 30].map(|()| memory.hold(100));
        assert!(memory.check().is_ok());
        // 3,200 minus a 32nd of it.
        let last = memory.hold(100);
        assert!(memory.check().is_err());
        drop((calls, last));
        assert!(memory.check().is_ok());
        // Beyond the limit, too many calls are rejected.
        let calls = [(); 20].map(|()| memory.hold(100));
        memory.report_resident(LIMIT + LIMIT / REUSE_PART + 1);
        drop(calls);
        memory.report_resident(2 * LIMIT);
        memory.report_weight(0, 0);
        let _calls = [(); 20].map(|()| memory.hold(100));
        assert!(memory.check().is_err());
    }

    #[test]
    fn growth_past_the_limit_on_freed_memory_is_rejected_again() {
        let memory = full(6_400);
        memory.report_weight(3_200, 0);
        memory.report_resident(LIMIT + LIMIT / REUSE_PART);
        assert!(memory.check().is_ok());
        memory.add(100);
        memory.report_resident(LIMIT + LIMIT / REUSE_PART + 1);
        assert!(memory.check().is_err());
        // From now on 3,300 is full.
        memory.report_weight(3_250, 100);
        assert!(memory.check().is_err());
        memory.report_weight(3_000, 0);
        assert!(memory.check().is_ok());
        memory.report_resident(LIMIT + LIMIT / REUSE_PART + 1);
        assert!(memory.check().is_ok(), "it has not grown since");
    }
}
