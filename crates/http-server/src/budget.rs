//! The memory budget of a server: [`MemoryBudget`].
//!
//! It divides the memory limit into shares, each for one purpose, which one list declares. A share is reserved: it is
//! never used for another purpose, so probes and scrapes are served while all other shares are full. Bytes count in a
//! [`Share`] as long as a [`HeldBytes`] has them. A part of each share is a reserve for requests that are worse to
//! reject: those of an open stream rather than of a new one, writes rather than reads. Caches, replies of Redis and
//! remembered ids are counted where they are held, and have only their limit from here.
//!
//! **Invariant:** bytes that do not fit into their share are not held.
//!
//! **Invariant:** the parts of all shares, without that of remembered ids, sum to at most 1. These ids belong to the
//! boards of a store, which use the memory that remains: a store refuses boards by the resident memory of the process.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use metering::{
    Collector, Counter, DescriptorEncoder, Labels, Registry, ScrapedMetric, Unit, as_float,
    encode_each, labels,
};
use tokio::sync::{Mutex, Notify};
use wire::BOARDS_MAX;

use crate::body::memory_of_body;

/// The memory of one write with its future and its outcome, rounded up.
pub const WRITE_BYTES: usize = 2 << 10;

/// The default limit of a JSON body.
const BODY_BYTES_MAX: usize = 16 << 20;

/// The default limit of the unread responses to an address is one part in this many of all.
const ADDRESS_PART: usize = 4;

/// The reserve of a share is one part in this many.
const RESERVE_PART: usize = 4;

const MIB: usize = 1 << 20;

const HALF: Option<u64> = Some(2);
const EIGHTH: Option<u64> = Some(8);
const SIXTEENTH: Option<u64> = Some(16);

/// Returns a limit with or without its reserve.
pub(crate) const fn within(max: usize, leaves_reserve: bool) -> usize {
    if leaves_reserve {
        max - max / RESERVE_PART
    } else {
        max
    }
}

/// Returns a part of the memory limit: at most `max`, which is also the share of a server without a limit.
fn part_of(limit_bytes: Option<u64>, part: Option<u64>, max: usize) -> usize {
    let bytes = limit_bytes.zip(part).map(|(limit, part)| limit / part);
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.map_or(max, |bytes| bytes.min(max))
}

/// Settings of a [`MemoryBudget`], in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemorySettings {
    /// The memory limit of the process, if it has one.
    pub limit: Option<u64>,
    /// The maximum of one JSON body.
    pub body: Option<usize>,
    /// The maximum of the share of responses.
    pub responses: Option<usize>,
    /// The limit of unread responses to one address.
    pub responses_per_address: Option<usize>,
    /// The share of remembered ids.
    pub remembered_ids: Option<usize>,
}

/// Declares the shares, each with its part of the memory limit and its maximum: those whose bytes are counted here, in
/// metrics under their name, and those that are only limits.
macro_rules! shares {
    (
        counted { $($(#[$doc:meta])+ $name:ident: $part:expr, $max:expr;)+ }
        limits { $($(#[$limit_doc:meta])+ $limit:ident: $limit_part:expr, $limit_max:expr;)+ }
    ) => {
        /// The memory limit, divided into shares. Clones count in the same shares.
        #[derive(Debug, Clone)]
        pub struct MemoryBudget {
            settings: MemorySettings,
            $($(#[$doc])+ pub $name: Share,)+
            $($(#[$limit_doc])+ pub $limit: usize,)+
        }

        impl MemoryBudget {
            /// Creates empty shares of the size that they have unless settings change it.
            fn of(settings: MemorySettings) -> Self {
                Self {
                    settings,
                    $($name: Share::up_to(part_of(settings.limit, $part, $max)),)+
                    $($limit: part_of(settings.limit, $limit_part, $limit_max),)+
                }
            }

            /// Returns the names of the shares whose bytes are counted here, and the shares.
            fn counted(&self) -> Vec<(&'static str, &Share)> {
                vec![$((stringify!($name), &self.$name)),+]
            }

            /// Returns the names and limits of all shares.
            #[cfg(test)]
            fn limits(&self) -> Vec<(&'static str, usize)> {
                let limits = [$((stringify!($limit), self.$limit)),+];
                let counted = self.counted().into_iter();
                counted.map(|(name, share)| (name, share.bytes_max())).chain(limits).collect()
            }
        }
    };
}

shares! {
    counted {
        /// Responses of more than 16 KiB, until their connections have written them.
        responses: EIGHTH, 256 * MIB;
        /// JSON bodies, values parsed from them, and incomplete lines. At least one body fits.
        bodies: EIGHTH, 256 * MIB;
        /// Contributions that are being written. At least one fits.
        writes: EIGHTH, 256 * MIB;
        /// Events of streams.
        streams: EIGHTH, 256 * MIB;
        /// Heads, and bytes that connections have read and no request has consumed.
        read_ahead: SIXTEENTH, 128 * MIB;
        /// Details of contributions that were not applied.
        receipts: SIXTEENTH, 128 * MIB;
        /// Responses that are prepared for repeated reads.
        prepared: SIXTEENTH, 32 * MIB;
        /// Responses to scrapes: a few dozen, whatever the limit is.
        scrapes: None, 4 * MIB;
    }
    limits {
        /// Cached boards.
        cached_boards: EIGHTH, 512 * MIB;
        /// Cached tops with profiles.
        profiled_tops: SIXTEENTH, 256 * MIB;
        /// Incomplete replies of Redis.
        redis_replies: EIGHTH, 256 * MIB;
        /// Ids that the boards of a local store remember.
        remembered_ids: HALF, 2048 * MIB;
    }
}

impl Default for MemoryBudget {
    /// The budget of a server without a memory limit.
    fn default() -> Self {
        Self::new(MemorySettings::default())
    }
}

impl MemoryBudget {
    /// Divides the memory limit.
    #[must_use]
    pub fn new(settings: MemorySettings) -> Self {
        let mut budget = Self::of(settings);
        if let Some(bytes) = settings.responses {
            let bytes = part_of(settings.limit, EIGHTH, bytes);
            budget.responses = Share::up_to(bytes);
        }
        if let Some(bytes) = settings.remembered_ids {
            budget.remembered_ids = bytes;
        }
        let body_bytes_max = budget.body_bytes_max();
        for (share, least) in [
            (&mut budget.bodies, memory_of_body(body_bytes_max)),
            (&mut budget.writes, BOARDS_MAX * WRITE_BYTES),
        ] {
            *share = Share::up_to(share.bytes_max().max(least));
        }
        budget
    }

    /// Returns the maximum bytes of a JSON body.
    #[must_use]
    pub fn body_bytes_max(&self) -> usize {
        self.settings.body.unwrap_or(BODY_BYTES_MAX)
    }

    /// Returns the maximum bytes of unread responses to one address.
    #[must_use]
    pub fn responses_per_address_max(&self) -> usize {
        let default = self.responses.bytes_max() / ADDRESS_PART;
        self.settings.responses_per_address.unwrap_or(default)
    }

    /// Returns the bytes that requests, responses and streams hold. Stores count themselves what they write.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        let counted = self.counted().into_iter();
        let held = counted.filter(|(_, share)| !share.is(&self.writes));
        held.map(|(_, share)| share.bytes() as u64).sum()
    }

    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
    }
}

impl Collector for MemoryBudget {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let counted: Vec<(Labels, &Share)> = self
            .counted()
            .into_iter()
            .map(|(name, share)| (labels([("pool", name)]), share))
            .collect();
        for (name, help, bytes_of) in [
            (
                "pool",
                "Memory that the server holds for clients, by purpose.",
                Share::bytes as fn(&Share) -> usize,
            ),
            ("pool_limit", "Limit of that memory.", Share::bytes_max),
        ] {
            let gauges = counted.iter().map(|(labels, share)| {
                let bytes = as_float(bytes_of(share) as u64);
                (labels, ScrapedMetric::gauge(move || bytes))
            });
            encode_each(&mut encoder, (name, help, Some(&Unit::Bytes)), gauges)?;
        }
        encode_each(
            &mut encoder,
            (
                "pool_refusals",
                "Times that a request or a stream was rejected, ended or shortened because of this limit.",
                None,
            ),
            counted
                .iter()
                .map(|(labels, share)| (labels, share.0.refused.clone())),
        )
    }
}

/// Counts bytes up to a limit. Clones are the same share.
#[derive(Debug, Clone)]
pub struct Share(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    bytes: AtomicUsize,
    bytes_max: usize,
    refused: Counter,
    /// Those who wait for bytes.
    waiting: AtomicUsize,
    /// Locked by the first of those that wait for bytes. It gives the others their turns in the order of their arrival.
    turn: Mutex<()>,
    /// Wakes the first one when bytes are released.
    released: Notify,
}

/// Bytes that are counted until this is dropped.
#[derive(Debug)]
pub struct HeldBytes {
    share: Share,
    bytes: usize,
}

impl Share {
    /// Creates an empty share with this limit.
    #[must_use]
    pub fn up_to(bytes_max: usize) -> Self {
        Self(Arc::new(Counts {
            bytes: AtomicUsize::new(0),
            bytes_max,
            refused: Counter::default(),
            waiting: AtomicUsize::new(0),
            turn: Mutex::default(),
            released: Notify::new(),
        }))
    }

    /// Returns the limit.
    #[must_use]
    pub fn bytes_max(&self) -> usize {
        self.0.bytes_max
    }

    /// Returns the bytes that are held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Returns whether the reserve is in use.
    #[must_use]
    pub fn is_in_reserve(&self) -> bool {
        self.bytes() > within(self.bytes_max(), true)
    }

    /// Returns a counter of zero bytes.
    #[must_use]
    pub fn hold(&self) -> HeldBytes {
        HeldBytes {
            share: self.clone(),
            bytes: 0,
        }
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn release(&self, bytes: usize) {
        self.0.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.0.released.notify_one();
    }

    /// Counts a rejection.
    pub fn refuse(&self) {
        self.0.refused.inc();
    }
}

impl HeldBytes {
    /// Returns the number of bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes the number of bytes. If they do not fit, changes nothing, counts a rejection and returns `false`.
    pub fn resize(&mut self, bytes: usize) -> bool {
        let fits = self.resize_within(bytes, self.share.bytes_max());
        if !fits {
            self.share.refuse();
        }
        fits
    }

    /// Changes the number of bytes without using the reserve. Counts no rejection.
    pub fn resize_unreserved(&mut self, bytes: usize) -> bool {
        self.resize_leaving(bytes, true)
    }

    /// Changes the number of bytes, with or without the reserve. Counts no rejection.
    pub(crate) fn resize_leaving(&mut self, bytes: usize, leaves_reserve: bool) -> bool {
        self.resize_within(bytes, within(self.share.bytes_max(), leaves_reserve))
    }

    /// Changes the number of bytes if the new total of the share is at most `all_bytes_max`.
    fn resize_within(&mut self, bytes: usize, all_bytes_max: usize) -> bool {
        if bytes > self.bytes {
            let counted = &self.share.0.bytes;
            let more = bytes - self.bytes;
            let fits = |all: &usize| *all <= all_bytes_max;
            let grown = |all: usize| all.checked_add(more).filter(fits);
            let grown = counted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
            if grown.is_err() {
                return false;
            }
        } else if bytes < self.bytes {
            self.share.release(self.bytes - bytes);
        }
        self.bytes = bytes;
        true
    }

    /// Adds bytes like [`resize`](Self::resize).
    pub fn grow(&mut self, more: usize) -> bool {
        self.resize(self.bytes.saturating_add(more))
    }

    /// Adds bytes, unless others wait for theirs. Counts no rejection.
    pub fn grow_in_turn(&mut self, more: usize) -> bool {
        self.share.0.waiting.load(Ordering::Relaxed) == 0
            && self.resize_leaving(self.bytes.saturating_add(more), false)
    }

    /// Waits until others have released the bytes that are missing, and adds these bytes. Those who wait get theirs in
    /// the order of their arrival.
    pub async fn wait_to_grow(&mut self, more: usize) {
        let share = self.share.clone();
        let _waiting = Waiting::of(&share.0.waiting);
        let _turn = share.0.turn.lock().await;
        while !self.resize_leaving(self.bytes.saturating_add(more), false) {
            share.0.released.notified().await;
        }
    }
}

/// Counts one that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn of(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.share.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    /// A limit of which each share is less than its maximum.
    const LIMIT: usize = 256 * MIB;

    /// Returns the rows of the documentation: name, part and maximum of each share.
    fn documented() -> Vec<[String; 3]> {
        let text = include_str!("../../../docs/operations.md");
        let rows = text
            .lines()
            .skip_while(|line| !line.starts_with("| share |"));
        let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
        let rows = rows.map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let max = cells[4].split(" (").next().unwrap();
            [cells[1].trim_matches('`'), cells[3], max].map(str::to_owned)
        });
        rows.collect()
    }

    #[test]
    fn the_documentation_has_the_shares() {
        let limited = MemoryBudget::new(MemorySettings {
            limit: Some(LIMIT as u64),
            ..MemorySettings::default()
        });
        let (unlimited, limited) = (MemoryBudget::default().limits(), limited.limits());
        let shares = unlimited.into_iter().zip(limited);
        let shares = shares.map(|((name, max), (_, bytes))| {
            let part = match LIMIT / bytes {
                _ if bytes == max => "-".to_owned(),
                part => format!("1/{part}"),
            };
            let max = match max / MIB {
                mib if mib % 1024 == 0 => format!("{} GiB", mib / 1024),
                mib => format!("{mib} MiB"),
            };
            [name.to_owned(), part, max]
        });
        let mut shares: Vec<_> = shares.collect();
        let mut documented = documented();
        shares.sort();
        documented.sort();
        assert_eq!(shares, documented);
    }

    #[test]
    fn the_parts_sum_to_the_whole_without_those_of_boards() {
        let budget = MemoryBudget::new(MemorySettings {
            limit: Some(LIMIT as u64),
            ..MemorySettings::default()
        });
        // That of scrapes is no part of the limit.
        let others = budget.remembered_ids + budget.scrapes.bytes_max();
        let all: usize = budget.limits().iter().map(|(_, bytes)| bytes).sum();
        assert!(all - others <= LIMIT, "{}", all - others);
    }

    #[test]
    fn settings_change_their_shares_and_one_request_always_fits() {
        let budget = MemoryBudget::new(MemorySettings {
            limit: Some(800),
            body: Some(1000),
            responses: Some(50),
            responses_per_address: None,
            remembered_ids: Some(5000),
        });
        assert_eq!(
            (budget.streams.bytes_max(), budget.receipts.bytes_max()),
            (100, 50)
        );
        assert_eq!(
            (budget.responses.bytes_max(), budget.remembered_ids),
            (50, 5000)
        );
        assert_eq!(budget.responses_per_address_max(), 12);
        assert!(budget.bodies.bytes_max() > 1000);
        assert_eq!(budget.writes.bytes_max(), BOARDS_MAX * WRITE_BYTES);
        let settings = MemorySettings {
            limit: Some(800),
            responses: Some(5000),
            ..MemorySettings::default()
        };
        let responses = MemoryBudget::new(settings).responses.bytes_max();
        assert_eq!(responses, 100, "an eighth of the limit");
    }

    #[tokio::test]
    async fn those_who_wait_get_bytes_in_the_order_of_their_arrival() {
        let share = Share::up_to(100);
        let [mut first, mut second, mut third] = [(); 3].map(|()| share.hold());
        assert!(first.grow_in_turn(60) && !second.grow_in_turn(60));
        let mut second_waits = Box::pin(second.wait_to_grow(60));
        assert!(second_waits.as_mut().now_or_never().is_none());
        // There are enough bytes, which the second one waits for.
        assert!(!third.grow_in_turn(10));
        let mut third_waits = Box::pin(third.wait_to_grow(10));
        assert!(third_waits.as_mut().now_or_never().is_none());
        assert!(first.resize(30));
        assert!(third_waits.as_mut().now_or_never().is_none());
        second_waits.await;
        third_waits.await;
        assert_eq!((share.bytes(), share.0.refused.get()), (100, 0));
        drop(second);
        assert!(third.grow_in_turn(60));
    }

    #[tokio::test]
    async fn one_that_gives_up_waiting_lets_the_next_one_have_the_bytes() {
        let share = Share::up_to(100);
        let [mut first, mut second, mut third] = [(); 3].map(|()| share.hold());
        assert!(first.resize(100));
        let mut second_waits = Box::pin(second.wait_to_grow(100));
        assert!(second_waits.as_mut().now_or_never().is_none());
        let mut third_waits = Box::pin(third.wait_to_grow(50));
        assert!(third_waits.as_mut().now_or_never().is_none());
        drop(first);
        drop(second_waits);
        third_waits.await;
        assert_eq!(share.bytes(), 50);
    }

    #[test]
    fn the_limit_is_shared_and_dropped_bytes_are_released() {
        let share = Share::up_to(100);
        let (mut first, mut second) = (share.hold(), share.hold());
        assert!(first.resize(60) && second.grow(40));
        assert!(!second.grow(1) && !first.resize(61));
        assert_eq!((share.bytes(), share.0.refused.get()), (100, 2));
        assert!(first.resize(10) && second.grow(50));
        drop(first);
        assert_eq!(share.bytes(), 90);
        drop(second);
        assert_eq!(share.bytes(), 0);
    }

    #[test]
    fn unreserved_bytes_do_not_use_the_reserve() {
        let share = Share::up_to(100);
        let mut held = share.hold();
        assert!(!held.resize_unreserved(76));
        assert!(held.resize_unreserved(75) && !share.is_in_reserve());
        assert!(held.resize(100) && share.is_in_reserve());
        assert!(held.resize_unreserved(80), "a decrease always fits");
        assert_eq!((share.bytes(), share.0.refused.get()), (80, 0));
    }
}
