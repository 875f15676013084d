//! Permits for connections: [`ConnectionPermits`].
//!
//! A connection waits for a permit for a limited time. Once no permit has been free for that time, further connections
//! get a spare permit or are closed at once, instead of waiting in a queue that does not move. The same applies at once
//! to connections of an address that has reached its limit. Spare permits are for probes only, and short, so a client
//! that holds all other permits cannot make the server look dead.
//!
//! A client that holds all spare permits cannot do so, either. If none is free, a new connection gets the permit of the
//! oldest spare connection on which no head of a probe has arrived, or arrived more than [`SPARE_ANSWER_TIME`] ago, and
//! that connection is closed. So a probe that sends its head at once and reads the response is served.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::per_address::{OfAddress, PerAddress};

/// The number of connections for probes, in addition to all others.
const SPARE_MAX: usize = 64;

/// The number of connections for probes from one address.
const SPARE_PER_ADDRESS_MAX: usize = 4;

/// The time for which a spare connection keeps its permit after the head of a probe has arrived.
const SPARE_ANSWER_TIME: Duration = Duration::from_secs(2);

/// Permits for connections.
#[derive(Debug)]
pub struct ConnectionPermits {
    permits: Arc<Semaphore>,
    of_addresses: PerAddress,
    spares: Arc<Spares>,
    wait: Duration,
    full_since: Option<Instant>,
}

/// The permit of one connection. It is released when this is dropped.
#[derive(Debug)]
pub struct ConnectionPermit {
    /// Permits all requests.
    _full: Option<(OwnedSemaphorePermit, Option<OfAddress>)>,
    /// Permits probes only.
    spare: Option<SparePermit>,
}

impl ConnectionPermit {
    /// Returns whether the connection is for probes only.
    #[must_use]
    pub const fn is_spare(&self) -> bool {
        self.spare.is_some()
    }

    /// Records that the head of a probe has arrived. The connection keeps its permit for `SPARE_ANSWER_TIME`.
    pub fn head_arrived(&self) {
        if let Some(spare) = &self.spare {
            spare.spares.keep(spare.number);
        }
    }

    /// Waits until a newer connection has got this permit.
    pub async fn withdrawn(&self) {
        match &self.spare {
            None => std::future::pending().await,
            Some(spare) => spare.withdrawn.notified().await,
        }
    }
}

/// The connections with a spare permit, the oldest first.
#[derive(Debug, Default)]
struct Spares(Mutex<SpareEntries>);

#[derive(Debug, Default)]
struct SpareEntries {
    next_number: u64,
    by_number: BTreeMap<u64, SpareEntry>,
}

#[derive(Debug)]
struct SpareEntry {
    address: Option<IpAddr>,
    head_arrived: Option<Instant>,
    withdrawn: Arc<Notify>,
}

/// A spare permit.
#[derive(Debug)]
struct SparePermit {
    spares: Arc<Spares>,
    number: u64,
    withdrawn: Arc<Notify>,
}

impl Spares {
    /// Returns a free permit, or that of the oldest connection that may be displaced. If the address has reached its
    /// limit, only its own connections may be displaced.
    fn enter(self: &Arc<Self>, address: Option<IpAddr>) -> Option<SparePermit> {
        let mut entries = self.0.lock();
        let of_address = |entry: &SpareEntry| entry.address.is_some() && entry.address == address;
        let count = entries
            .by_number
            .values()
            .filter(|entry| of_address(entry))
            .count();
        let is_address_full = count >= SPARE_PER_ADDRESS_MAX;
        if is_address_full || entries.by_number.len() >= SPARE_MAX {
            let may_displace = |entry: &SpareEntry| {
                let arrived = entry.head_arrived;
                arrived.is_none_or(|arrived| arrived.elapsed() >= SPARE_ANSWER_TIME)
            };
            let mut all = entries.by_number.iter();
            let (&oldest, _) = all.find(|(_, entry)| {
                may_displace(entry) && (!is_address_full || of_address(entry))
            })?;
            if let Some(entry) = entries.by_number.remove(&oldest) {
                entry.withdrawn.notify_one();
            }
        }
        let number = entries.next_number;
        entries.next_number += 1;
        let withdrawn = Arc::new(Notify::new());
        let entry = SpareEntry {
            address,
            head_arrived: None,
            withdrawn: withdrawn.clone(),
        };
        entries.by_number.insert(number, entry);
        drop(entries);
        Some(SparePermit {
            spares: self.clone(),
            number,
            withdrawn,
        })
    }

    fn keep(&self, number: u64) {
        if let Some(entry) = self.0.lock().by_number.get_mut(&number) {
            entry.head_arrived.get_or_insert_with(Instant::now);
        }
    }
}

impl Drop for SparePermit {
    fn drop(&mut self) {
        self.spares.0.lock().by_number.remove(&self.number);
    }
}

impl ConnectionPermits {
    /// Creates this number of permits, of which an address may have `per_address`. A connection waits for one for at
    /// most `wait`.
    #[must_use]
    pub fn new(permits: usize, per_address: usize, wait: Duration) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(permits)),
            of_addresses: PerAddress::up_to(per_address),
            spares: Arc::default(),
            wait,
            full_since: None,
        }
    }

    /// Returns a permit, or `None` if no permit and no spare permit is free in time. The connection counts for its
    /// `address`, if it has one.
    pub async fn permit(&mut self, address: Option<IpAddr>) -> Option<ConnectionPermit> {
        let of_address = address.map(|address| self.of_addresses.enter(address));
        let full = match of_address {
            Some(None) => None,
            of_address => {
                let permit = self.full_permit().await;
                permit.map(|permit| (permit, of_address.flatten()))
            }
        };
        let spare = match &full {
            Some(_) => None,
            None => Some(self.spares.enter(address)?),
        };
        Some(ConnectionPermit { _full: full, spare })
    }

    async fn full_permit(&mut self) -> Option<OwnedSemaphorePermit> {
        let permits = self.permits.clone();
        if let Ok(permit) = permits.clone().try_acquire_owned() {
            self.full_since = None;
            return Some(permit);
        }
        let since = *self.full_since.get_or_insert_with(|| {
            tracing::warn!("all permits for connections are taken");
            Instant::now()
        });
        // `full_since` is not reset by a permit that was waited for. Otherwise each connection would wait for the next
        // one that ends, and probes would wait behind all of them. The semaphore is never closed.
        let permit = timeout_at(since + self.wait, permits.acquire_owned()).await;
        permit.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    const WAIT: Duration = Duration::from_secs(1);

    fn address(number: usize) -> Option<IpAddr> {
        format!("10.0.0.{number}").parse().ok()
    }

    fn is_withdrawn(permit: &ConnectionPermit) -> bool {
        permit.withdrawn().now_or_never().is_some()
    }

    /// Returns permits that are all in use, and the connections that use them: one for all requests, and `spare` for
    /// probes, `per_address` of each address.
    async fn full(spare: usize, per_address: usize) -> (ConnectionPermits, Vec<ConnectionPermit>) {
        let mut permits = ConnectionPermits::new(1, usize::MAX, Duration::ZERO);
        let mut held = vec![permits.permit(None).await.unwrap()];
        assert!(!held[0].is_spare());
        for number in 0..spare {
            let permit = permits.permit(address(number / per_address)).await.unwrap();
            assert!(permit.is_spare());
            held.push(permit);
        }
        (permits, held)
    }

    #[tokio::test(start_paused = true)]
    async fn connections_are_refused_once_no_permit_has_been_free_for_too_long() {
        let mut permits = ConnectionPermits::new(1, usize::MAX, WAIT);
        let first = permits.permit(None).await;
        assert!(first.is_some_and(|permit| !permit.is_spare()));
        let first = permits.permit(None).await;
        let began = Instant::now();
        let mut spare = Vec::new();
        for _ in 0..1000 {
            if let Some(permit) = permits.permit(None).await {
                assert!(permit.is_spare());
                permit.head_arrived();
                spare.push(permit);
            }
        }
        assert_eq!(spare.len(), SPARE_MAX);
        // The total of all waits, not of each.
        assert_eq!(began.elapsed(), WAIT);
        drop(first);
        let second = permits.permit(None).await;
        assert!(second.is_some_and(|permit| !permit.is_spare()));
        let second = permits.permit(None).await;
        assert!(permits.permit(None).await.is_none());
        assert_eq!(began.elapsed(), 2 * WAIT);
        drop((second, spare));
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_connection_gets_the_next_free_permit() {
        let mut permits = ConnectionPermits::new(1, usize::MAX, WAIT);
        let first = permits.permit(None).await;
        let release = async {
            tokio::time::sleep(WAIT / 2).await;
            drop(first);
        };
        let (second, ()) = tokio::join!(permits.permit(None), release);
        assert!(second.is_some_and(|permit| !permit.is_spare()));
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_end_occasionally_do_not_make_all_others_wait() {
        const PERMITS: usize = 4;
        let mut permits = ConnectionPermits::new(PERMITS, usize::MAX, WAIT);
        let held = Arc::new(Mutex::new(Vec::new()));
        for _ in 0..PERMITS {
            let permit = permits.permit(None).await.unwrap();
            held.lock().push(permit);
        }
        let ending = held.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(WAIT / 2).await;
                drop(ending.lock().pop());
            }
        });
        let began = Instant::now();
        for _ in 0..1000 {
            if let Some(permit) = permits.permit(None).await
                && !permit.is_spare()
            {
                held.lock().push(permit);
            }
        }
        assert!(began.elapsed() <= 2 * WAIT, "{:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_has_its_own_limit_and_some_permits_for_probes() {
        let mut permits = ConnectionPermits::new(10, 3, WAIT);
        let mut held = Vec::new();
        for count in 0..20 {
            match permits.permit(address(1)).await {
                Some(permit) => {
                    assert_eq!(permit.is_spare(), count >= 3);
                    permit.head_arrived();
                    held.push(permit);
                }
                None => assert!(count >= 3 + SPARE_PER_ADDRESS_MAX),
            }
        }
        assert_eq!(held.len(), 3 + SPARE_PER_ADDRESS_MAX);
        assert!(!permits.permit(address(2)).await.unwrap().is_spare());
        held.clear();
        assert!(!permits.permit(address(1)).await.unwrap().is_spare());
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_whose_response_is_not_read_is_displaced_by_a_new_one() {
        let (mut permits, held) = full(SPARE_MAX, SPARE_PER_ADDRESS_MAX).await;
        for permit in &held {
            permit.head_arrived();
        }
        assert!(permits.permit(address(200)).await.is_none());
        tokio::time::sleep(SPARE_ANSWER_TIME).await;
        let new = permits.permit(address(200)).await;
        assert!(new.is_some_and(|permit| permit.is_spare()));
        let withdrawn = held.iter().filter(|permit| is_withdrawn(permit));
        assert_eq!(withdrawn.count(), 1);
    }

    #[tokio::test]
    async fn a_new_connection_displaces_the_oldest_spare_one_without_a_head() {
        let (mut permits, mut held) = full(SPARE_MAX, SPARE_PER_ADDRESS_MAX).await;
        held[1].head_arrived();
        let new = permits.permit(address(200)).await;
        assert!(new.is_some_and(|permit| permit.is_spare()));
        for (number, permit) in held.iter().enumerate() {
            assert_eq!(is_withdrawn(permit), number == 2, "{number}");
        }
        // The new one was dropped, so one permit is free. The withdrawn permit is not released again when its
        // connection ends.
        drop(held.remove(2));
        let another = permits.permit(address(200)).await;
        assert!(another.is_some());
        assert!(!held.iter().any(is_withdrawn));
        for permit in held.iter().chain(&another) {
            permit.head_arrived();
        }
        assert!(permits.permit(address(201)).await.is_none());
        assert!(!held.iter().any(is_withdrawn));
    }

    #[tokio::test]
    async fn an_address_at_its_limit_of_spare_permits_displaces_only_its_own() {
        let (mut permits, others) = full(4, 1).await;
        let mut own = Vec::new();
        for _ in 0..=SPARE_PER_ADDRESS_MAX {
            own.push(permits.permit(address(200)).await.unwrap());
        }
        assert!(!others.iter().any(is_withdrawn));
        for (number, permit) in own.iter().enumerate() {
            assert_eq!(is_withdrawn(permit), number == 0, "{number}");
            permit.head_arrived();
        }
        assert!(permits.permit(address(200)).await.is_none());
        assert!(permits.permit(address(201)).await.is_some());
    }
}
