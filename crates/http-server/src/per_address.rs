//! Limits the amount of something that each address has at once: [`PerAddress`].

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::share::within;

/// Counts amounts by address, up to a limit. Addresses with an amount of zero are removed.
#[derive(Debug)]
pub struct PerAddress {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    max: usize,
}

/// An amount of an address. It is counted until this is dropped.
#[derive(Debug)]
pub struct OfAddress {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    max: usize,
    address: IpAddr,
    amount: usize,
}

impl PerAddress {
    /// Creates a counter with this limit for each address.
    #[must_use]
    pub fn up_to(max: usize) -> Self {
        Self {
            counts: Arc::default(),
            max,
        }
    }

    /// Returns the limit of each address.
    #[must_use]
    pub const fn max(&self) -> usize {
        self.max
    }

    /// Returns an amount of zero.
    #[must_use]
    pub fn hold(&self, address: IpAddr) -> OfAddress {
        OfAddress {
            counts: self.counts.clone(),
            max: self.max,
            address,
            amount: 0,
        }
    }

    /// Counts one more of the address; `None` if it has reached its limit.
    #[must_use]
    pub fn enter(&self, address: IpAddr) -> Option<OfAddress> {
        let mut one = self.hold(address);
        one.resize(1).then_some(one)
    }
}

impl OfAddress {
    /// Returns the address.
    #[must_use]
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// Changes the amount. Returns `false`, and changes nothing, if the address would exceed its limit.
    pub fn resize(&mut self, amount: usize) -> bool {
        self.resize_within(amount, self.max)
    }

    /// Changes the amount like [`resize`](Self::resize). `leaves_reserve` excludes the reserve, which is the same part
    /// of this limit as of that of a share.
    pub fn resize_leaving(&mut self, amount: usize, leaves_reserve: bool) -> bool {
        self.resize_within(amount, within(self.max, leaves_reserve))
    }

    fn resize_within(&mut self, amount: usize, max: usize) -> bool {
        if amount == self.amount {
            return true;
        }
        let mut counts = self.counts.lock();
        let all = counts.get(&self.address).copied().unwrap_or(0);
        let all = all.saturating_sub(self.amount).saturating_add(amount);
        if amount > self.amount && all > max {
            return false;
        }
        if all > 0 {
            counts.insert(self.address, all);
        } else {
            counts.remove(&self.address);
        }
        self.amount = amount;
        true
    }
}

impl Drop for OfAddress {
    fn drop(&mut self) {
        self.resize(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_counted_separately_and_removed_at_zero() {
        let counts = PerAddress::up_to(2);
        let [a, b]: [IpAddr; 2] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap());
        let held: Vec<_> = [a, a, b]
            .map(|address| counts.enter(address).unwrap())
            .into();
        assert!(counts.enter(a).is_none());
        let other = counts.enter(b).unwrap();
        drop(held);
        assert!(counts.enter(a).is_some());
        drop(other);
        assert!(counts.counts.lock().is_empty());
    }

    #[test]
    fn all_amounts_of_an_address_are_within_its_limit() {
        let counts = PerAddress::up_to(10);
        let [a, b]: [IpAddr; 2] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap());
        let (mut first, mut second) = (counts.hold(a), counts.hold(a));
        assert!(!first.resize(11), "not even if it is the only one");
        assert!(first.resize(7) && second.resize(3));
        assert!(!second.resize(4) && !first.resize(8));
        assert!(first.resize(6) && second.resize(4));
        let mut other = counts.hold(b);
        assert!(other.resize(10));
        drop((first, second, other));
        assert!(counts.counts.lock().is_empty());
    }

    #[test]
    fn the_reserve_is_part_of_the_limit_of_an_address() {
        let counts = PerAddress::up_to(100);
        let address = "10.0.0.1".parse().unwrap();
        let (mut first, mut second) = (counts.hold(address), counts.hold(address));
        assert!(first.resize_leaving(50, true) && second.resize_leaving(25, true));
        assert!(!second.resize_leaving(26, true));
        assert!(second.resize_leaving(50, false) && !second.resize(51));
        assert!(second.resize_leaving(40, true), "a decrease always fits");
    }
}
