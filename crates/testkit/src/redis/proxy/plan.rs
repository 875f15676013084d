//! The planned faults and the counts of requests: [`Plan`], shared by all connections of a proxy.

use std::collections::BTreeMap;
use std::time::Duration;

use super::matching::{Matching, command_of, function_of};

/// What the proxy does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Pass the request on, and its reply no earlier than after this time.
    Pass(Duration),
    /// Pass the request on once it is released.
    Hold,
    /// End the connection instead of passing the request on.
    LoseRequest,
    /// Pass the request on, and end the connection instead of passing the reply on.
    LoseReply,
}

/// The planned faults of a proxy, and what it has counted.
#[derive(Debug, Default)]
pub(super) struct Plan {
    losses: Vec<Loss>,
    delays: Vec<(Matching, Duration)>,
    holds: Vec<Matching>,
    /// The number of requests being held.
    pub(super) held: usize,
    /// Requests by command.
    pub(super) requests: BTreeMap<String, u64>,
    /// Calls by function.
    pub(super) calls: BTreeMap<String, u64>,
    pub(super) arrivals: u64,
    pub(super) connections: u64,
}

#[derive(Debug)]
struct Loss {
    matching: Matching,
    /// How many matching requests pass before the loss.
    left: u64,
    fate: Fate,
}

impl Plan {
    /// Plans the fate of the nth request (counted from 1) that matches from now on.
    pub(super) fn lose(&mut self, matching: &Matching, nth: u64, fate: Fate) {
        assert!(nth > 0, "requests are counted from 1");
        self.losses.push(Loss {
            matching: matching.clone(),
            left: nth - 1,
            fate,
        });
    }

    pub(super) fn delay(&mut self, matching: &Matching, by: Duration) {
        self.delays.push((matching.clone(), by));
    }

    pub(super) fn hold(&mut self, matching: &Matching) {
        self.holds.push(matching.clone());
    }

    /// Returns whether a request must wait.
    pub(super) fn holds(&self, words: &[Vec<u8>]) -> bool {
        self.holds.iter().any(|matching| matching.picks(words))
    }

    pub(super) fn losses_to_come(&self) -> usize {
        self.losses.len()
    }

    /// Cancels all plans.
    pub(super) fn heal(&mut self) {
        self.losses.clear();
        self.delays.clear();
        self.holds.clear();
    }

    /// Counts a request and returns its fate. If several losses are due, the one planned first
    /// applies, and the others wait for the next matching request.
    pub(super) fn meet(&mut self, words: &[Vec<u8>]) -> Fate {
        self.count(words);
        let mut due = None;
        for (index, loss) in self.losses.iter_mut().enumerate() {
            if !loss.matching.picks(words) {
                continue;
            }
            if loss.left > 0 {
                loss.left -= 1;
            } else if due.is_none() {
                due = Some(index);
            }
        }
        if let Some(index) = due {
            return self.losses.remove(index).fate;
        }
        if self.holds(words) {
            return Fate::Hold;
        }
        let delays = self.delays.iter();
        let delays = delays.filter(|(matching, _)| matching.picks(words));
        Fate::Pass(delays.map(|(_, by)| *by).max().unwrap_or_default())
    }

    fn count(&mut self, words: &[Vec<u8>]) {
        *self.requests.entry(command_of(words)).or_default() += 1;
        if let Some(function) = function_of(words) {
            *self.calls.entry(function).or_default() += 1;
        }
    }
}
