//! The memory that this process may have, and whether there is any left: [`Memory`].
//!
//! What ends a process is its resident set, so that is what the limit is held against: whoever measures
//! it reports it here ([`Memory::note_resident`]), and at the limit everything that needs memory is
//! refused. But an allocator keeps much of what is freed, so the resident set alone would refuse for ever
//! what there is room for again. So what the boards hold is weighed, too: a sweep weighs it whole, and
//! between two sweeps what is added is counted. While boards weigh less than they did when the limit was
//! met, that much may be added, unless the resident set grows well past the limit: then the weight of
//! that moment counts. A store that keeps no boards in this process holds the weight of its calls under
//! way instead ([`Memory::hold`]): the most of them at once since the limit was met before. What requests and streams
//! hold is weighed with the boards ([`Memory::weigh_also`]): if it was they that met the limit, there is room again once
//! they have gone.
//!
//! Weights are estimates, and are only compared with one another.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use metering::{Counter, Pulled, Registry, Unit, as_float};
use parking_lot::Mutex;

use crate::contract::StoreError;

/// About what an empty board takes, in bytes.
pub const BOARD_WEIGHT: u64 = 1_000;

/// About what a member takes in one window, in bytes.
pub const STANDING_WEIGHT: u64 = 100;

/// The part of the limit, and of weights, by which less has to be used before there is room again.
const MARGIN_PART: u64 = 32;

/// The part of the limit by which freed memory may be exceeded when it is used again.
const REUSE_PART: u64 = 16;

/// Returns what else is held.
type Weigh = Box<dyn Fn() -> u64 + Send + Sync>;

/// How much memory this process may have. Without a limit nothing is refused.
pub struct Memory {
    limit_bytes: Option<u64>,
    resident_bytes: AtomicU64,
    is_full: AtomicBool,
    /// Weight added since the boards were weighed.
    added: AtomicU64,
    /// While it is full: what may be added since then.
    added_max: AtomicU64,
    /// The most that `added` has been with what calls hold, since the limit was met.
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

/// What a call holds while it is under way; given back when this is dropped.
#[derive(Debug)]
pub struct Held {
    memory: Arc<Memory>,
    weight: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.added.fetch_sub(self.weight, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
struct Weighed {
    /// At the last sweep.
    last: u64,
    /// When the limit was met.
    when_full: u64,
    /// The most that was resident since the limit was met.
    resident_peak: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self::of(None)
    }
}

impl Memory {
    /// A process that may have so many bytes.
    #[must_use]
    pub fn up_to(limit_bytes: u64) -> Self {
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

    /// The limit, if there is one.
    #[must_use]
    pub const fn limit_bytes(&self) -> Option<u64> {
        self.limit_bytes
    }

    /// Weighs what else is held in this process with the boards, in bytes. Only the first call counts.
    pub fn weigh_also(&self, weigh: impl Fn() -> u64 + Send + Sync + 'static) {
        let _ = self.others.set(Box::new(weigh));
    }

    fn others(&self) -> u64 {
        self.others.get().map_or(0, |weigh| weigh())
    }

    /// Whether the limit has been met.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Whether what needs memory is refused.
    fn is_refusing(&self) -> bool {
        let has_room =
            || self.added.load(Ordering::Relaxed) < self.added_max.load(Ordering::Relaxed);
        self.is_full() && !has_room()
    }

    /// Notes how much is resident now.
    pub fn note_resident(&self, bytes: u64) {
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
                "the memory limit is reached: what needs more is refused"
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
            // What was freed is not what is used again.
            self.fill(&mut weighed, bytes);
        }
    }

    /// Nothing may be added until the boards weigh less than now.
    fn fill(&self, weighed: &mut Weighed, resident_bytes: u64) {
        let added = self.added.load(Ordering::Relaxed);
        // Calls may have ended between the moment of most memory and this one.
        let peak = self.held_peak.swap(added, Ordering::Relaxed);
        weighed.when_full = weighed.last + added.max(peak) + self.others();
        weighed.resident_peak = resident_bytes;
        self.added_max.store(0, Ordering::Relaxed);
        self.is_full.store(true, Ordering::Relaxed);
    }

    /// What has been added since the boards were weighed; for [`note_weight`](Self::note_weight), from
    /// before they are weighed again.
    pub fn added(&self) -> u64 {
        self.added.load(Ordering::Relaxed)
    }

    /// Notes what the boards weigh; `added_before` was counted when the weighing began.
    pub fn note_weight(&self, weight: u64, added_before: u64) {
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

    /// Counts what a call holds while it is under way.
    pub fn hold(self: &Arc<Self>, weight: u64) -> Held {
        let added = self.added.fetch_add(weight, Ordering::Relaxed) + weight;
        self.held_peak.fetch_max(added, Ordering::Relaxed);
        Held {
            memory: self.clone(),
            weight,
        }
    }

    /// Whether there is memory for more; an error says why not.
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

    /// Names what is counted; `memory` is who counts.
    pub fn register_metrics(self: &Arc<Self>, registry: &mut Registry) {
        let limit = as_float(self.limit_bytes.unwrap_or(0));
        registry.register_with_unit(
            "memory_limit",
            "Memory that this process may have before it refuses what needs more; 0: there is no limit",
            Unit::Bytes,
            Pulled::gauge(move || limit),
        );
        let memory = self.clone();
        registry.register(
            "memory_full",
            "Whether the memory limit has been reached, and nothing was freed since: 1 or 0",
            Pulled::gauge(move || f64::from(u8::from(memory.is_refusing()))),
        );
        registry.register(
            "memory_refusals",
            "Boards, standings and ids that were refused at the memory limit",
            self.refused.clone(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 32_000;

    /// Full, with boards that weigh so much.
    fn full(weight: u64) -> Memory {
        let memory = Memory::up_to(LIMIT);
        memory.note_weight(weight, 0);
        memory.note_resident(LIMIT);
        memory
    }

    #[test]
    fn without_a_limit_nothing_is_refused() {
        let memory = Memory::default();
        memory.note_resident(u64::MAX);
        memory.add(1);
        assert!(memory.check().is_ok());
        assert_eq!((memory.is_full(), memory.added()), (false, 0));
    }

    #[test]
    fn at_the_limit_more_is_refused_and_below_it_not() {
        let memory = Memory::up_to(LIMIT);
        memory.note_resident(LIMIT - 1);
        assert!(memory.check().is_ok());
        memory.note_resident(LIMIT);
        let refused = memory.check().unwrap_err().to_string();
        assert!(
            refused.contains("memory limit") && refused.contains("32000"),
            "{refused}"
        );
        // A little less is the same.
        memory.note_resident(LIMIT - LIMIT / MARGIN_PART);
        assert!(memory.check().is_err());
        memory.note_resident(LIMIT - LIMIT / MARGIN_PART - 1);
        assert!(memory.check().is_ok());
        assert_eq!(memory.refused.get(), 2);
    }

    #[test]
    fn what_was_freed_may_be_used_again_though_it_stays_resident() {
        let memory = full(6_400);
        memory.note_weight(6_400, 0);
        assert!(memory.check().is_err(), "nothing was freed");
        memory.note_weight(6_000, 0);
        // 6,400 less a 32nd of it.
        memory.add(199);
        assert!(memory.check().is_ok());
        memory.add(1);
        assert!(memory.check().is_err());
        let before = memory.added();
        memory.add(50);
        memory.note_weight(6_000, before);
        assert_eq!(memory.added(), 50, "what came while they were weighed");
        assert!(memory.check().is_ok());
    }

    #[test]
    fn what_others_held_when_the_limit_was_met_makes_room_when_it_has_gone() {
        let memory = Memory::up_to(LIMIT);
        let held = Arc::new(AtomicU64::new(6_400));
        let others = held.clone();
        memory.weigh_also(move || others.load(Ordering::Relaxed));
        memory.note_weight(3_200, 0);
        memory.note_resident(LIMIT);
        memory.note_weight(3_200, 0);
        assert!(memory.check().is_err(), "they hold it still");
        held.store(0, Ordering::Relaxed);
        memory.note_resident(LIMIT);
        memory.note_weight(3_200, 0);
        assert!(memory.check().is_ok() && !memory.is_refusing());
        // 9,600 less a 32nd of it.
        memory.add(9_300 - 3_200);
        assert!(memory.check().is_err());
    }

    #[test]
    fn what_was_added_since_they_were_weighed_counts_when_the_limit_is_met() {
        let memory = Memory::up_to(LIMIT);
        memory.note_weight(1_000, 0);
        memory.add(5_400);
        memory.note_resident(LIMIT);
        memory.note_weight(6_000, 5_400);
        assert!(memory.check().is_ok());
    }

    #[test]
    fn calls_go_on_when_fewer_are_under_way_though_their_memory_stays_resident() {
        let memory = Arc::new(Memory::up_to(LIMIT));
        let calls = [(); 32].map(|()| memory.hold(100));
        memory.note_resident(LIMIT);
        assert!(memory.check().is_err());
        drop(calls);
        memory.note_resident(LIMIT);
        memory.note_weight(0, 0);
        let calls = [(); 30].map(|()| memory.hold(100));
        assert!(memory.check().is_ok());
        // 3,200 less a 32nd of it.
        let last = memory.hold(100);
        assert!(memory.check().is_err());
        drop((calls, last));
        assert!(memory.check().is_ok());
        // Past the limit fewer at once are too many.
        let calls = [(); 20].map(|()| memory.hold(100));
        memory.note_resident(LIMIT + LIMIT / REUSE_PART + 1);
        drop(calls);
        memory.note_resident(2 * LIMIT);
        memory.note_weight(0, 0);
        let _calls = [(); 20].map(|()| memory.hold(100));
        assert!(memory.check().is_err());
    }

    #[test]
    fn who_grows_past_the_limit_on_what_was_freed_is_refused_again() {
        let memory = full(6_400);
        memory.note_weight(3_200, 0);
        memory.note_resident(LIMIT + LIMIT / REUSE_PART);
        assert!(memory.check().is_ok());
        memory.add(100);
        memory.note_resident(LIMIT + LIMIT / REUSE_PART + 1);
        assert!(memory.check().is_err());
        // From now on 3,300 is what fills it.
        memory.note_weight(3_250, 100);
        assert!(memory.check().is_err());
        memory.note_weight(3_000, 0);
        assert!(memory.check().is_ok());
        memory.note_resident(LIMIT + LIMIT / REUSE_PART + 1);
        assert!(memory.check().is_ok(), "it has not grown since");
    }
}
