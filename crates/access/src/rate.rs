//! Rate limits: budgets of requests for keys and addresses, and of wrong keys for addresses.
//!
//! What a request costs is known when it is done. A request that cost more than one leaves a debt,
//! which the next one has to pay first.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, NotUntil, Quota, RateLimiter};
use metering::Counter;
use moka::sync::Cache;
use parking_lot::Mutex;
use serde::Deserialize;

/// The number of addresses for which budgets are kept; those of rare addresses are dropped first.
const ADDRESSES_MAX: u64 = 100_000;

/// The minimum time for which the budget of an idle address is kept. If refilling the budget takes longer, it is kept
/// for that time.
const IDLE_MIN: Duration = Duration::from_mins(10);

/// Wrong keys that an address may send per minute.
const GUESSES_PER_MINUTE: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Wrong keys that an address may send at once.
const GUESSES_BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();

/// The settings of a rate limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateSettings {
    /// Defaults to no limit.
    pub requests_per_second: Option<NonZeroU32>,
    /// The number of requests that may be made at once. Defaults to those of a second.
    pub burst: Option<NonZeroU32>,
}

/// A burst is configured without a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BurstAlone;

impl RateSettings {
    /// Returns the quota; `None` if there is no limit.
    pub(crate) fn quota(self) -> Result<Option<Quota>, BurstAlone> {
        match (self.requests_per_second, self.burst) {
            (None, None) => Ok(None),
            (None, Some(_)) => Err(BurstAlone),
            (Some(rate), None) => Ok(Some(Quota::per_second(rate))),
            (Some(rate), Some(burst)) => Ok(Some(Quota::per_second(rate).allow_burst(burst))),
        }
    }
}

/// The time to wait until a budget permits another request.
pub(crate) type Wait = Duration;

/// One budget of requests.
#[derive(Debug)]
pub(crate) struct Budget {
    quota: Quota,
    left: DefaultDirectRateLimiter,
    /// Requests that are owed for others, which cost more than one.
    owed: Mutex<u32>,
}

impl Budget {
    pub(crate) fn new(quota: Quota) -> Self {
        Self {
            quota,
            left: RateLimiter::direct(quota),
            owed: Mutex::new(0),
        }
    }

    /// Returns the rate and the burst.
    pub(crate) const fn quota(&self) -> Quota {
        self.quota
    }

    /// Takes one request from the budget, and what is owed.
    pub(crate) fn take(&self) -> Result<(), Wait> {
        let mut owed = self.owed.lock();
        // As many at a time as the budget ever has.
        let burst = self.quota.burst_size();
        while let Some(paid) = NonZeroU32::new((*owed).min(burst.get())) {
            let taken = self.left.check_n(paid).expect("not more than the burst");
            taken.map_err(|until| wait_of(&until))?;
            *owed -= paid.get();
        }
        drop(owed);
        self.left.check().map_err(|until| wait_of(&until))
    }

    /// Counts what a request cost beside itself.
    pub(crate) fn owe(&self, requests: u32) {
        let mut owed = self.owed.lock();
        *owed = owed.saturating_add(requests);
    }
}

fn wait_of(until: &NotUntil<<DefaultClock as Clock>::Instant>) -> Wait {
    until.wait_time_from(DefaultClock::default().now())
}

/// A budget for each address.
#[derive(Debug)]
pub(crate) struct Budgets {
    quota: Quota,
    of: Cache<IpAddr, Arc<Budget>>,
}

impl Budgets {
    pub(crate) fn new(quota: Quota) -> Self {
        let refill = quota.replenish_interval() * quota.burst_size().get();
        let of = Cache::builder()
            .max_capacity(ADDRESSES_MAX)
            .time_to_idle(refill.max(IDLE_MIN))
            .build();
        Self { quota, of }
    }

    pub(crate) fn take(&self, address: IpAddr) -> Result<(), Wait> {
        self.of(address).take()
    }

    pub(crate) fn owe(&self, address: IpAddr, requests: u32) {
        self.of(address).owe(requests);
    }

    fn of(&self, address: IpAddr) -> Arc<Budget> {
        self.of
            .get_with(address, || Arc::new(Budget::new(self.quota)))
    }
}

/// Counts wrong keys by address. These budgets are separate from those of requests, so that neither evicts the other.
#[derive(Debug)]
pub(crate) struct Guesses {
    budgets: Budgets,
    /// Requests that were rejected because their address had sent too many wrong keys.
    refused: Counter,
}

impl Default for Guesses {
    fn default() -> Self {
        let quota = Quota::per_minute(GUESSES_PER_MINUTE).allow_burst(GUESSES_BURST);
        Self {
            budgets: Budgets::new(quota),
            refused: Counter::default(),
        }
    }
}

impl Guesses {
    pub(crate) const fn refused(&self) -> &Counter {
        &self.refused
    }

    /// Counts a wrong key. An error is the time for which the address has to wait.
    pub(crate) fn count(&self, address: IpAddr) -> Result<(), Wait> {
        self.budgets.take(address).inspect_err(|_| {
            self.refused.inc();
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(requests_per_second: u32, burst: u32) -> RateSettings {
        RateSettings {
            requests_per_second: NonZeroU32::new(requests_per_second),
            burst: NonZeroU32::new(burst),
        }
    }

    #[test]
    fn a_burst_needs_a_rate() {
        assert_eq!(settings(0, 0).quota(), Ok(None));
        assert_eq!(settings(0, 5).quota(), Err(BurstAlone));
        let of = |rate, burst| settings(rate, burst).quota().unwrap().unwrap();
        assert_eq!(of(3, 0).burst_size().get(), 3);
        assert_eq!(of(3, 5).burst_size().get(), 5);
    }

    #[test]
    fn addresses_have_budgets_of_their_own() {
        // The budget permits one request an hour.
        let quota = Quota::with_period(Duration::from_hours(1)).unwrap();
        let budgets = Budgets::new(quota);
        let (one, other) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        assert_eq!(budgets.take(one), Ok(()));
        let wait = budgets.take(one).unwrap_err();
        assert!(wait > Duration::from_mins(50), "{wait:?}");
        assert_eq!(budgets.take(other), Ok(()));
    }

    #[test]
    fn what_a_request_cost_is_paid_before_the_next_one() {
        let burst = NonZeroU32::new(4).unwrap();
        let hourly = Quota::with_period(Duration::from_hours(1))
            .unwrap()
            .allow_burst(burst);
        let budget = Budget::new(hourly);
        budget.take().unwrap();
        budget.owe(2);
        // The one that is left pays nothing by itself.
        budget.take().unwrap();
        let hours = |wait: Duration| wait.as_secs().div_ceil(3600);
        assert_eq!(budget.take().map_err(hours), Err(1));
        budget.owe(10);
        assert_eq!(budget.take().map_err(hours), Err(4));
        assert_eq!(*budget.owed.lock(), 10, "nothing was taken");
    }

    #[test]
    fn only_the_address_that_guesses_has_to_wait() {
        let guesses = Guesses::default();
        let (one, other) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        for guess in 0..GUESSES_BURST.get() {
            assert_eq!(guesses.count(one), Ok(()), "{guess}");
        }
        let wait = guesses.count(one).unwrap_err();
        assert!(wait <= Duration::from_secs(6), "{wait:?}");
        assert_eq!(guesses.count(other), Ok(()));
    }

    #[test]
    fn the_number_of_budgets_is_limited() {
        let budgets = Budgets::new(Quota::per_second(GUESSES_BURST));
        let more = u32::try_from(ADDRESSES_MAX).unwrap() + 50_000;
        for address in 0..more {
            let taken = budgets.take(IpAddr::V4(address.into()));
            assert_eq!(taken, Ok(()));
        }
        budgets.of.run_pending_tasks();
        assert!(budgets.of.entry_count() <= ADDRESSES_MAX);
    }
}
