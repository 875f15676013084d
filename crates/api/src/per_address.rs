//! How many of something each address has at once: [`PerAddress`].

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

/// Counts by address, up to a limit. Addresses with none are forgotten.
#[derive(Debug)]
pub(crate) struct PerAddress {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    max: usize,
}

/// Some of an address; not counted any more when this is dropped.
#[derive(Debug)]
pub(crate) struct OfAddress {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    address: IpAddr,
    amount: usize,
}

impl PerAddress {
    pub(crate) fn up_to(max: usize) -> Self {
        Self {
            counts: Arc::default(),
            max,
        }
    }

    /// How many each address may have.
    pub(crate) const fn max(&self) -> usize {
        self.max
    }

    /// Counts one more, where the address may have it.
    pub(crate) fn enter(&self, address: IpAddr) -> Option<OfAddress> {
        self.enter_with(address, 1)
    }

    /// Counts so many more, where the address may have them. An address without any may have any number.
    pub(crate) fn enter_with(&self, address: IpAddr, amount: usize) -> Option<OfAddress> {
        let mut counts = self.counts.lock();
        let count = counts.get(&address).copied().unwrap_or(0);
        if count > 0 && count.saturating_add(amount) > self.max {
            return None;
        }
        counts.insert(address, count.saturating_add(amount));
        drop(counts);
        Some(OfAddress {
            counts: self.counts.clone(),
            address,
            amount,
        })
    }
}

impl Drop for OfAddress {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        match counts.get_mut(&self.address) {
            Some(count) if *count > self.amount => *count -= self.amount,
            _ => {
                counts.remove(&self.address);
            }
        }
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
        let large = counts.enter_with(a, 50).unwrap();
        assert!(counts.enter_with(a, 1).is_none());
        let others = [7, 3].map(|amount| counts.enter_with(b, amount).unwrap());
        assert!(counts.enter_with(b, 1).is_none());
        drop(large);
        assert!(counts.enter_with(a, 10).is_some());
        let [seven, three] = others;
        drop(seven);
        assert!(counts.enter_with(b, 8).is_none());
        assert!(counts.enter_with(b, 7).is_some());
        drop(three);
        assert!(counts.counts.lock().is_empty());
    }
}
