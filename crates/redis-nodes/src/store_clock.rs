//! The store's time: [`StoreClock`], with which this process's clock is compared.
//!
//! Windows open and close, ids are forgotten, boards become idle and are dropped by the time: a
//! server with a wrong clock would do all that to the boards of all servers that share the store.
//! Within a limit, `clock_skew_max`, and within a minute, every server uses the store's time as its
//! `now`; otherwise a window would be final on one server while it is open on another.
//!
//! **Invariant:** a server with a wrong clock writes nothing and drops nothing. While this
//! process's clock differs from the store's time by more than the limit, `apply`, `create_board`,
//! `put_settings` and `drop_expired` are rejected, and reads use the earlier of the two.
//!
//! The store's time is the median of its nodes' clocks, so that one wrong node among three has no
//! effect. With an even number of nodes that of the registry counts twice: all servers see the same
//! one. A node that is unreachable continues to count as it was seen last.
//!
//! What is stored depends on the caller's `now`; what expires by itself (deadlines of calls,
//! freezes, leases, times to live) depends on the node's clock. Clocks are compared only here.
//!
//! The check compares the current clock with a time that continues with the monotonic clock. So the
//! first call after a jump of the clock notices it, not the next reading of the nodes' clocks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use crate::node_clock::NodeClock;
use crate::redis_link::Address;
use crate::topology::Topology;

/// How often the nodes' clocks are collected: as often as they are read.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The maximum difference, in microseconds, between the store's time and this process's clock at
/// which the store's time is used.
const FOLLOWED_MAX_US: i64 = 60_000_000;

/// The store's time, and how far this process's clock may be from it.
#[derive(Debug)]
pub(crate) struct StoreClock {
    topology: Arc<Topology>,
    skew_max: Duration,
    time: ArcSwapOption<NodeClock>,
    /// The latest time that was used.
    latest_us: AtomicI64,
    seen: Mutex<NodeClocks>,
}

/// What was last seen of the nodes, and logged.
#[derive(Debug, Default)]
struct NodeClocks {
    clocks: HashMap<Address, NodeClock>,
    outliers: HashSet<Address>,
    is_wrong: bool,
}

impl StoreClock {
    pub(crate) fn new(topology: Arc<Topology>, skew_max: Duration) -> Self {
        let clock = Self {
            topology,
            skew_max,
            time: ArcSwapOption::empty(),
            latest_us: AtomicI64::new(i64::MIN),
            seen: Mutex::default(),
        };
        clock.look();
        clock
    }

    /// Collects the nodes' clocks as long as the store is open.
    pub(crate) async fn keep_looking(self: Arc<Self>) {
        loop {
            sleep(LOOK_EVERY).await;
            self.look();
        }
    }

    /// Returns why this process's clock cannot be trusted, if it cannot.
    pub(crate) fn trouble(&self) -> Option<String> {
        let skew_us = self.skew_us(own_us())?;
        self.exceeds(skew_us).then(|| {
            format!(
                "this server's clock is {} the Redis nodes' (clock_skew_max is {}): it writes and drops nothing until the clock is right",
                distance(skew_us),
                seconds(self.skew_max.as_micros()),
            )
        })
    }

    /// Returns the time to use when this process's clock shows `own_us`.
    ///
    /// If the two differ by more than the limit, either may be wrong: then it is the earlier one,
    /// so that nothing counts as over before it is by both. Within the limit it is the store's,
    /// which pauses rather than goes back, for example when another node becomes the median. But a
    /// limit of more than [`FOLLOWED_MAX_US`] means that servers may differ, and a clock that
    /// differs by more than that is used itself.
    pub(crate) fn time_us(&self, own_us: i64) -> i64 {
        let Some(skew_us) = self.skew_us(own_us) else {
            return own_us;
        };
        let time_us = own_us.saturating_sub(skew_us);
        if self.exceeds(skew_us) {
            time_us.min(own_us)
        } else if skew_us.abs() <= FOLLOWED_MAX_US {
            let latest_us = self.latest_us.fetch_max(time_us, Ordering::Relaxed);
            // A previous value at another distance does not block any caller.
            if latest_us.saturating_sub(time_us) > FOLLOWED_MAX_US {
                time_us
            } else {
                latest_us.max(time_us)
            }
        } else {
            own_us
        }
    }

    fn exceeds(&self, skew_us: i64) -> bool {
        u128::from(skew_us.unsigned_abs()) > self.skew_max.as_micros()
    }

    /// Returns how far a clock that shows `own_us` is ahead of the store's time, once that is
    /// known.
    fn skew_us(&self, own_us: i64) -> Option<i64> {
        let time = self.time.load();
        let now = Instant::now();
        time.as_ref().map(|time| time.skew_us(own_us, now))
    }

    fn look(&self) {
        let nodes = self.topology.nodes();
        let registry = self.topology.route(self.topology.registry());
        let registry = registry.ok().map(|node| node.address().clone());
        let mut seen = self.seen.lock();
        for node in &nodes {
            if let Some(link) = node.link() {
                seen.clocks.insert(node.address().clone(), link.clock());
            }
        }
        let is_node = |address: &Address| nodes.iter().any(|node| node.address() == address);
        seen.clocks.retain(|address, _| is_node(address));
        let now = Instant::now();
        let clocks = seen.clocks.iter();
        let clocks = clocks.map(|(address, clock)| (*clock, Some(address) == registry.as_ref()));
        // While no node is known, for example between two primaries, the time continues as it was.
        if let Some(time) = median(clocks.collect(), now) {
            self.time.store(Some(Arc::new(time)));
            self.log_outliers(&mut seen, time, now);
        }
        self.log_own(&mut seen);
    }

    /// Logs which nodes have begun to differ from the others, and which agree again.
    fn log_outliers(&self, seen: &mut NodeClocks, time: NodeClock, now: Instant) {
        let time_us = i64::try_from(time.at(now)).unwrap_or(i64::MAX);
        let mut outliers = HashSet::new();
        for (address, clock) in &seen.clocks {
            // How far the median is ahead of the node.
            let skew_us = clock.skew_us(time_us, now);
            if !self.exceeds(skew_us) {
                continue;
            }
            if !seen.outliers.contains(address) {
                tracing::warn!(
                    node = %address,
                    "the node's clock is {} the other nodes': it is ignored",
                    distance(-skew_us)
                );
            }
            outliers.insert(address.clone());
        }
        for address in seen.outliers.difference(&outliers) {
            tracing::info!(node = %address, "the node's clock agrees with the other nodes' again");
        }
        seen.outliers = outliers;
    }

    fn log_own(&self, seen: &mut NodeClocks) {
        let trouble = self.trouble();
        match (&trouble, seen.is_wrong) {
            (Some(why), false) => tracing::warn!("{why}"),
            (None, true) => {
                tracing::info!("this server's clock is right again: it writes and drops");
            }
            _ => {}
        }
        seen.is_wrong = trouble.is_some();
    }
}

/// Returns what this process's clock shows.
pub(crate) fn own_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let us = since.unwrap_or_default().as_micros();
    i64::try_from(us).unwrap_or(i64::MAX)
}

/// Returns the median of some clocks, by what they show now. If their number is even, the
/// registry's, marked by the flag, counts twice; if it is not among them, the earlier of the middle
/// two is used.
fn median(mut clocks: Vec<(NodeClock, bool)>, now: Instant) -> Option<NodeClock> {
    if clocks.len().is_multiple_of(2)
        && let Some(registry) = clocks.iter().find(|(_, is_registry)| *is_registry)
    {
        clocks.push(*registry);
    }
    clocks.sort_unstable_by_key(|(clock, _)| clock.at(now));
    let middle = clocks.len().checked_sub(1)? / 2;
    Some(clocks[middle].0)
}

/// `259200.0 s ahead of`, `90.0 s behind`.
fn distance(skew_us: i64) -> String {
    let side = if skew_us < 0 { "behind" } else { "ahead of" };
    format!("{} {side}", seconds(skew_us.unsigned_abs().into()))
}

fn seconds(us: u128) -> String {
    format!("{}.{} s", us / 1_000_000, us % 1_000_000 / 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the median of clocks that show these times, with the registry's at `registry`.
    fn median_of(shown: &[u64], registry: Option<usize>) -> Option<u64> {
        let now = Instant::now();
        let clocks = shown.iter().enumerate();
        let clocks = clocks.map(|(i, us)| (NodeClock::new(*us, now, now), registry == Some(i)));
        median(clocks.collect(), now).map(|clock| clock.at(now))
    }

    #[test]
    fn the_median_decides_and_of_an_even_number_the_registry() {
        assert_eq!(median_of(&[], None), None);
        assert_eq!(median_of(&[7], Some(0)), Some(7));
        assert_eq!(median_of(&[7, 900], Some(1)), Some(900));
        assert_eq!(median_of(&[900, 7], Some(1)), Some(7));
        assert_eq!(median_of(&[900, 7], None), Some(7));
        for registry in 0..3 {
            assert_eq!(median_of(&[900, 8, 7], Some(registry)), Some(8));
        }
        // Two of four are wrong: the two that include the registry decide.
        assert_eq!(median_of(&[7, 8, 900, 901], Some(0)), Some(8));
        assert_eq!(median_of(&[7, 8, 900, 901], Some(3)), Some(900));
        assert_eq!(median_of(&[7, 8, 9, 901], Some(3)), Some(9));
    }

    #[test]
    fn distances_are_written_in_seconds() {
        assert_eq!(distance(259_200_000_000), "259200.0 s ahead of");
        assert_eq!(distance(-90_123_456), "90.1 s behind");
    }
}
