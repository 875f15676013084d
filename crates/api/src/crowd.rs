//! Permits for connections, and what becomes of those for which there is none.
//!
//! A connection waits for a permit for a while; once none has been free for that long, further ones get a
//! spare permit, or are ended at once, so that nobody waits in a line that does not move. The same happens
//! at once to the connections of an address that has all it may have. Spare connections are for probes
//! alone, and short: whoever holds all others cannot have the server taken for dead.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::per_address::{OfAddress, PerAddress};

/// Connections for probes, beside all others.
const SPARE_MAX: usize = 64;

/// Of them those of one address.
const SPARE_PER_ADDRESS_MAX: usize = 4;

/// Permits for connections.
#[derive(Debug)]
pub(crate) struct Crowd {
    places: Arc<Semaphore>,
    of_addresses: PerAddress,
    spare: Arc<Semaphore>,
    spare_of_addresses: PerAddress,
    wait: Duration,
    full_since: Option<Instant>,
}

/// The permit of one connection; free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    _of_address: Option<OfAddress>,
    is_spare: bool,
}

impl Place {
    /// Whether it is for a probe alone.
    pub(crate) const fn is_spare(&self) -> bool {
        self.is_spare
    }
}

impl Crowd {
    pub(crate) fn new(places: usize, per_address: usize, wait: Duration) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            of_addresses: PerAddress::up_to(per_address),
            spare: Arc::new(Semaphore::new(SPARE_MAX)),
            spare_of_addresses: PerAddress::up_to(SPARE_PER_ADDRESS_MAX),
            wait,
            full_since: None,
        }
    }

    /// A permit, where one is free before it has been too long. A connection counts for its `address`,
    /// where it has one.
    pub(crate) async fn place(&mut self, address: Option<IpAddr>) -> Option<Place> {
        let of_address = match address {
            None => None,
            Some(address) => {
                let Some(of_address) = self.of_addresses.enter(address) else {
                    return self.spare(Some(address));
                };
                Some(of_address)
            }
        };
        match self.permit().await {
            Some(permit) => Some(Place {
                _permit: permit,
                _of_address: of_address,
                is_spare: false,
            }),
            None => self.spare(address),
        }
    }

    async fn permit(&mut self) -> Option<OwnedSemaphorePermit> {
        let places = self.places.clone();
        if let Ok(permit) = places.clone().try_acquire_owned() {
            self.full_since = None;
            return Some(permit);
        }
        let since = *self.full_since.get_or_insert_with(|| {
            tracing::warn!("all places for connections are taken");
            Instant::now()
        });
        // The semaphore is never closed.
        let permit = timeout_at(since + self.wait, places.acquire_owned()).await;
        let permit = permit.ok()?.ok()?;
        self.full_since = None;
        Some(permit)
    }

    fn spare(&self, address: Option<IpAddr>) -> Option<Place> {
        let of_address = match address {
            None => None,
            Some(address) => Some(self.spare_of_addresses.enter(address)?),
        };
        let permit = self.spare.clone().try_acquire_owned().ok()?;
        Some(Place {
            _permit: permit,
            _of_address: of_address,
            is_spare: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: Duration = Duration::from_secs(1);

    async fn is_spare(crowd: &mut Crowd, address: Option<IpAddr>) -> Option<(Place, bool)> {
        let place = crowd.place(address).await?;
        let is_spare = place.is_spare();
        Some((place, is_spare))
    }

    #[tokio::test(start_paused = true)]
    async fn the_line_is_let_go_once_it_has_stood_too_long() {
        let mut crowd = Crowd::new(1, usize::MAX, WAIT);
        let first = crowd.place(None).await;
        assert!(first.is_some_and(|place| !place.is_spare()));
        let first = crowd.place(None).await;
        let began = Instant::now();
        let mut spare = Vec::new();
        for _ in 0..1000 {
            match is_spare(&mut crowd, None).await {
                Some((place, true)) => spare.push(place),
                other => assert!(other.is_none(), "{other:?}"),
            }
        }
        assert_eq!(spare.len(), SPARE_MAX);
        // All of them together, not each.
        assert_eq!(began.elapsed(), WAIT);
        drop(first);
        let second = crowd.place(None).await;
        assert!(second.is_some_and(|place| !place.is_spare()));
        let second = crowd.place(None).await;
        assert!(crowd.place(None).await.is_none());
        assert_eq!(began.elapsed(), 2 * WAIT);
        drop((second, spare));
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_gets_the_place_that_comes_free() {
        let mut crowd = Crowd::new(1, usize::MAX, WAIT);
        let first = crowd.place(None).await;
        let leaves = async {
            tokio::time::sleep(WAIT / 2).await;
            drop(first);
        };
        let (second, ()) = tokio::join!(crowd.place(None), leaves);
        assert!(second.is_some_and(|place| !place.is_spare()));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_has_its_share_and_some_for_probes_and_others_have_theirs() {
        let mut crowd = Crowd::new(10, 3, WAIT);
        let [greedy, other]: [Option<IpAddr>; 2] =
            ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().ok());
        let mut held = Vec::new();
        for count in 0..20 {
            match is_spare(&mut crowd, greedy).await {
                Some((place, is_spare)) => {
                    assert_eq!(is_spare, count >= 3);
                    held.push(place);
                }
                None => assert!(count >= 3 + SPARE_PER_ADDRESS_MAX),
            }
        }
        assert_eq!(held.len(), 3 + SPARE_PER_ADDRESS_MAX);
        let (_, is_spare_of_other) = is_spare(&mut crowd, other).await.unwrap();
        assert!(!is_spare_of_other);
        held.clear();
        let (_, is_spare_again) = is_spare(&mut crowd, greedy).await.unwrap();
        assert!(!is_spare_again);
    }
}
