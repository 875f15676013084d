//! [`FeedReaders`]: how many entries the readers of a feed are sent, and which addresses they have.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http_server::{OfAddress, PerAddress};
use parking_lot::Mutex;
use wire::problem::Problem;

/// `Retry-After` for an address that has the maximum number of tops.
const TOPS_WAIT: Duration = Duration::from_secs(1);

/// The readers of a feed.
#[derive(Debug, Default)]
pub(crate) struct FeedReaders(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    by_n: BTreeMap<usize, usize>,
    /// With the feed's count in each address.
    by_address: HashMap<IpAddr, (usize, OfAddress)>,
}

/// One reader, until it is dropped.
#[derive(Debug)]
pub(crate) struct FeedReader {
    all: Arc<FeedReaders>,
    n: usize,
    address: Option<IpAddr>,
}

impl FeedReaders {
    /// Adds a reader of the first `n` entries, unless its address has the maximum number of tops.
    pub(super) fn enter(
        self: &Arc<Self>,
        n: usize,
        address: Option<IpAddr>,
        tops: &PerAddress,
    ) -> Result<FeedReader, Problem> {
        let mut counts = self.0.lock();
        if let Some(address) = address {
            if let Some((count, _)) = counts.by_address.get_mut(&address) {
                *count += 1;
            } else {
                let top = tops.enter(address).ok_or_else(|| {
                    let max = tops.max();
                    let what = format_args!("address {address} has streams of {max} tops open");
                    Problem::too_many_requests(what, TOPS_WAIT)
                })?;
                counts.by_address.insert(address, (1, top));
            }
        }
        *counts.by_n.entry(n).or_default() += 1;
        drop(counts);
        let all = self.clone();
        Ok(FeedReader { all, n, address })
    }

    /// Returns the most entries that any reader is sent.
    pub(crate) fn width(&self) -> usize {
        let counts = self.0.lock();
        counts.by_n.last_key_value().map_or(0, |(n, _)| *n)
    }
}

impl FeedReader {
    /// Creates a reader of no feed.
    #[cfg(test)]
    pub(crate) fn alone(n: usize) -> Self {
        let readers = Arc::<FeedReaders>::default();
        let reader = readers.enter(n, None, &PerAddress::up_to(0));
        reader.expect("it has no address")
    }

    /// Returns how many entries it is sent.
    pub(crate) const fn n(&self) -> usize {
        self.n
    }
}

impl Drop for FeedReader {
    fn drop(&mut self) {
        let mut counts = self.all.0.lock();
        if let Some(count) = counts.by_n.get_mut(&self.n) {
            *count -= 1;
            if *count == 0 {
                counts.by_n.remove(&self.n);
            }
        }
        let Some(address) = self.address else { return };
        if let Some((count, _)) = counts.by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                counts.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_is_that_of_the_reader_who_is_sent_most() {
        let (readers, tops) = (Arc::<FeedReaders>::default(), PerAddress::up_to(1));
        let mut all = [10, 100, 10].map(|n| Some(readers.enter(n, None, &tops).unwrap()));
        assert_eq!(readers.width(), 100);
        for (leaves, width) in [(1, 10), (0, 10), (2, 0)] {
            all[leaves] = None;
            assert_eq!(readers.width(), width);
        }
    }

    #[test]
    fn an_address_has_a_limit_of_tops_and_not_of_readers_of_one() {
        let tops = PerAddress::up_to(2);
        let [here, there]: [Option<IpAddr>; 2] =
            ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().ok());
        let feeds = [(); 3].map(|()| Arc::<FeedReaders>::default());
        let enter = |feed: usize, address| feeds[feed].enter(1, address, &tops);
        let mut first: Vec<_> = (0..3).map(|_| enter(0, here).unwrap()).collect();
        let second = enter(1, here).unwrap();
        let refused = enter(2, here).unwrap_err();
        assert!(
            refused.detail.contains("10.0.0.1 has streams of 2 tops"),
            "{refused:?}"
        );
        let other = enter(2, there).unwrap();
        first.truncate(1);
        assert!(enter(2, here).is_err());
        first.clear();
        let third = enter(2, here).unwrap();
        assert!(enter(0, here).is_err());
        drop((second, third, other));
        assert!(enter(0, here).is_ok() && enter(1, there).is_ok());
    }
}
