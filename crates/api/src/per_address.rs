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

/// One of an address; not counted any more when this is dropped.
#[derive(Debug)]
pub(crate) struct OfAddress {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    address: IpAddr,
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
        let mut counts = self.counts.lock();
        let count = counts.get(&address).copied().unwrap_or(0);
        if count >= self.max {
            return None;
        }
        counts.insert(address, count + 1);
        drop(counts);
        Some(OfAddress {
            counts: self.counts.clone(),
            address,
        })
    }
}

impl Drop for OfAddress {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        match counts.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
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
}
