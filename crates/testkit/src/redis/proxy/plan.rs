//! What is to go wrong, and what has come by: [`Plan`], which all connections of a proxy share.

use std::collections::BTreeMap;
use std::time::Duration;

use super::matching::{Matching, command_of, function_of};

/// What a proxy does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Passes it on, and its reply no sooner than after this time.
    Pass(Duration),
    /// Passes it on when nothing holds it any more.
    Hold,
    /// Ends the connection instead of passing it on.
    LoseRequest,
    /// Passes it on, and ends the connection instead of passing its reply on.
    LoseReply,
}

/// What a proxy has to lose, and what it has seen.
#[derive(Debug, Default)]
pub(super) struct Plan {
    losses: Vec<Loss>,
    delays: Vec<(Matching, Duration)>,
    holds: Vec<Matching>,
    /// Requests that wait because of them.
    pub(super) held: usize,
    /// By command.
    pub(super) requests: BTreeMap<String, u64>,
    /// By function.
    pub(super) calls: BTreeMap<String, u64>,
    pub(super) arrivals: u64,
    pub(super) connections: u64,
}

#[derive(Debug)]
struct Loss {
    matching: Matching,
    /// How many such requests come by before it happens.
    left: u64,
    fate: Fate,
}

impl Plan {
    /// Plans what happens to the nth request that matches from now on, the first being 1.
    pub(super) fn lose(&mut self, matching: &Matching, nth: u64, fate: Fate) {
        assert!(nth > 0, "the first request is number 1");
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

    /// Whether a request has to wait.
    pub(super) fn holds(&self, words: &[Vec<u8>]) -> bool {
        self.holds.iter().any(|matching| matching.picks(words))
    }

    pub(super) fn losses_to_come(&self) -> usize {
        self.losses.len()
    }

    /// Forgets what was planned.
    pub(super) fn heal(&mut self) {
        self.losses.clear();
        self.delays.clear();
        self.holds.clear();
    }

    /// Counts a request and says what becomes of it. Where several losses are due, the one that was
    /// planned first happens and the others wait for the next request that matches.
    pub(super) fn meet(&mut self, words: &[Vec<u8>]) -> Fate {
        self.count(words);
        let mut due = None;
        for (place, loss) in self.losses.iter_mut().enumerate() {
            if !loss.matching.picks(words) {
                continue;
            }
            if loss.left > 0 {
                loss.left -= 1;
            } else if due.is_none() {
                due = Some(place);
            }
        }
        if let Some(place) = due {
            return self.losses.remove(place).fate;
        }
        if self.holds(words) {
            return Fate::Hold;
        }
        let delays = self
            .delays
            .iter()
            .filter(|(matching, _)| matching.picks(words));
        Fate::Pass(delays.map(|(_, by)| *by).max().unwrap_or_default())
    }

    fn count(&mut self, words: &[Vec<u8>]) {
        *self.requests.entry(command_of(words)).or_default() += 1;
        if let Some(function) = function_of(words) {
            *self.calls.entry(function).or_default() += 1;
        }
    }
}
