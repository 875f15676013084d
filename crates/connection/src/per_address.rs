//! How many of something each address has at once: [`PerAddress`].

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::pool;

/// Counts by address, up to a limit. Addresses with none are forgotten.
#[derive(Debug)]
pub struct PerAddress {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    max: usize,
}

/// Some of an address; not counted any more when this is dropped.
#[derive(Debug)]
pub struct OfAddress {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    max: usize,
    address: IpAddr,
    amount: usize,
}

impl PerAddress {
    /// No amounts yet, and this limit for each address.
    #[must_use]
    pub fn up_to(max: usize) -> Self {
        Self {
            counts: Arc::default(),
            max,
        }
    }

    /// Returns how many each address may have.
    #[must_use]
    pub const fn max(&self) -> usize {
        self.max
    }

    /// Counts none of the address yet.
    #[must_use]
    pub fn hold(&self, address: IpAddr) -> OfAddress {
        OfAddress {
            counts: self.counts.clone(),
            max: self.max,
            address,
            amount: 0,
        }
    }

    /// Counts one more, where the address may have it.
    #[must_use]
    pub fn enter(&self, address: IpAddr) -> Option<OfAddress> {
        let mut one = self.hold(address);
        one.resize(1).then_some(one)
    }
}

impl OfAddress {
    /// Counts so many in place of those that it counted. Returns `false` if the address may not have them: then it
    /// counts what it counted. An address without any others may have any number.
    pub fn resize(&mut self, amount: usize) -> bool {
        self.resize_within(amount, self.max)
    }

    /// The same with the reserve or without, which is the same part of a share as of a pool.
    pub fn resize_leaving(&mut self, amount: usize, leaves_reserve: bool) -> bool {
        self.resize_within(amount, pool::within(self.max, leaves_reserve))
    }

    fn resize_within(&mut self, amount: usize, max: usize) -> bool {
        if amount == self.amount {
            return true;
        }
        let mut counts = self.counts.lock();
        let all = counts.get(&self.address).copied().unwrap_or(0);
        let others = all.saturating_sub(self.amount);
        let all = others.saturating_add(amount);
        if amount > self.amount && others > 0 && all > max {
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
    fn each_address_has_its_own_and_none_stays() {
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
    fn amounts_add_up_and_one_alone_may_be_any() {
        let counts = PerAddress::up_to(10);
        let [a, b]: [IpAddr; 2] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap());
        let (mut large, mut other) = (counts.hold(a), counts.hold(a));
        assert!(large.resize(50) && large.resize(60));
        assert!(!other.resize(1));
        let (mut first, mut second) = (counts.hold(b), counts.hold(b));
        assert!(first.resize(7) && second.resize(3));
        assert!(!second.resize(4) && !first.resize(8));
        assert!(first.resize(6) && second.resize(4));
        drop(large);
        assert!(other.resize(10));
        drop((first, second, other));
        assert!(counts.counts.lock().is_empty());
    }

    #[test]
    fn the_reserve_of_a_share_is_left_by_what_may_be_refused() {
        let counts = PerAddress::up_to(100);
        let address = "10.0.0.1".parse().unwrap();
        let (mut first, mut second) = (counts.hold(address), counts.hold(address));
        assert!(first.resize_leaving(50, true) && second.resize_leaving(25, true));
        assert!(!second.resize_leaving(26, true));
        assert!(second.resize_leaving(50, false) && !second.resize(51));
        assert!(second.resize_leaving(40, true), "what shrinks always fits");
    }
}
