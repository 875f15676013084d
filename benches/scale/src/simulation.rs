//! The simulation: what the model takes for an average is drawn from a seed.
//!
//! - A chunk of contributions arrives at a random moment. Each contribution is to a random board and shard; those to one
//!   shard are one call.
//! - A top is read at a random moment on a server. If the server's copy is too old, it takes the copy of another server,
//!   or merges the board, which calls all of its shards.
//! - A rank calls all shards of its board.
//! - A node does one call after the other, in the order of arrival.

use std::collections::HashMap;

use crate::cluster::nodes_of;
use crate::format::whole_number;
use crate::paper::{Estimate, NodeLoad};
use crate::random::Random;
use crate::scenario::{Scenario, float};
use crate::units::{NodeWork, UnitCosts, read_of_shard};

/// An interval in which a node does nothing: it has failed, and its replica is not yet the primary.
#[derive(Debug, Clone, Copy)]
pub struct Loss {
    /// When it begins, in seconds.
    pub from: f64,
    /// How long it lasts.
    pub seconds: f64,
}

/// The result.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// What the nodes did, per second. Memory, servers and single shards are not simulated.
    pub load: Estimate,
    /// The 99th percentile of the time that a call waits at its node, in seconds: of all nodes.
    pub wait_p99: f64,
    /// The same of the node with most work.
    pub hottest_wait_p99: f64,
    /// With a loss: how long after it calls to that node still waited, in seconds.
    pub drained_after: f64,
}

/// A call that arrived at a node.
#[derive(Clone, Copy)]
struct Arrival {
    at: f32,
    us: f32,
}

struct Run<'a> {
    scenario: &'a Scenario,
    units: &'a UnitCosts,
    random: Random,
    /// The sums of the boards' parts.
    sums: Vec<f64>,
    /// The nodes of the shards of each board that was drawn.
    placed: Vec<Vec<usize>>,
    nodes: Vec<NodeLoad>,
    arrivals: Vec<Vec<Arrival>>,
    seconds: f64,
}

/// Simulates so many seconds. With a loss, the node with most work fails.
#[must_use]
pub fn simulate(
    scenario: &Scenario,
    units: &UnitCosts,
    seconds: f64,
    loss: Option<Loss>,
) -> Simulated {
    let mut sum = 0.0;
    let sums = (1..=scenario.boards).map(|board| {
        sum += float(board).powf(-scenario.skew);
        sum
    });
    let mut run = Run {
        scenario,
        units,
        random: Random::new(1),
        sums: sums.collect(),
        placed: vec![Vec::new(); scenario.boards],
        nodes: vec![NodeLoad::default(); scenario.nodes],
        arrivals: vec![Vec::new(); scenario.nodes],
        seconds,
    };
    run.contributions();
    let (merges, taken) = run.tops();
    run.reads(2, scenario.ranks);
    run.reads(3, scenario.pages);
    let (nodes, mut arrivals) = (run.nodes, run.arrivals);
    let work = |node: &NodeLoad| node.whole().us;
    let hottest = (0..nodes.len()).max_by(|a, b| work(&nodes[*a]).total_cmp(&work(&nodes[*b])));
    let hottest = hottest.unwrap_or(0);
    let (mut waits, mut hottest_wait_p99, mut drained_after) = (Vec::new(), 0.0, 0.0);
    for (node, arrivals) in arrivals.iter_mut().enumerate() {
        let loss = loss.filter(|_| node == hottest);
        let (mut own, drained) = queue(arrivals, loss);
        if node == hottest {
            hottest_wait_p99 = p99(&mut own);
            drained_after = drained;
        }
        waits.append(&mut own);
    }
    let per_second = |mut node: NodeLoad| {
        for work in &mut node.work {
            *work = work.times(1.0 / seconds);
        }
        node
    };
    Simulated {
        load: Estimate {
            nodes: nodes.into_iter().map(per_second).collect(),
            merges: merges / seconds,
            taken: taken / seconds,
            ranks: 0.0,
            largest_shard: 0.0,
            server_cores: 0.0,
        },
        wait_p99: p99(&mut waits),
        hottest_wait_p99,
        drained_after,
    }
}

impl Run<'_> {
    /// Draws a board, counted from 1.
    fn board(&mut self) -> usize {
        let at = self.random.part() * self.sums[self.sums.len() - 1];
        let index = self.sums.partition_point(|sum| *sum <= at);
        index.min(self.sums.len() - 1) + 1
    }

    /// Returns the part of a board of all members and rates.
    fn part(&self, board: usize) -> f64 {
        float(board).powf(-self.scenario.skew) / self.sums[self.sums.len() - 1]
    }

    fn place(&mut self, board: usize) {
        if self.placed[board - 1].is_empty() {
            let shards = self.scenario.shards_of(board);
            self.placed[board - 1] = nodes_of(board, shards, self.scenario.nodes);
        }
    }

    fn moment(&mut self) -> f64 {
        self.random.part() * self.seconds
    }

    /// Returns how many events of this rate happen: the mean, rounded at random.
    fn count(&mut self, rate: f64) -> u64 {
        let expected = rate * self.seconds + self.random.part();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small count"
        )]
        let count = expected as u64;
        count
    }

    fn call(&mut self, board: usize, shard: usize, cause: usize, work: NodeWork, at: f64) {
        let node = self.placed[board - 1][shard];
        self.nodes[node].work[cause].add(work);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "microseconds of seconds are exact enough"
        )]
        let arrival = Arrival {
            at: at as f32,
            us: work.us as f32,
        };
        self.arrivals[node].push(arrival);
    }

    fn contributions(&mut self) {
        let chunks = self.count(self.scenario.contributions / self.scenario.chunk());
        let mut of_shard: HashMap<(usize, usize), f64> = HashMap::new();
        for _ in 0..chunks {
            let at = self.moment();
            for _ in 0..whole_number(self.scenario.chunk()) {
                let board = self.board();
                self.place(board);
                let is_hot = board == 1 && self.random.part() < self.scenario.hot_member;
                let shards = self.placed[board - 1].len();
                let shard = if is_hot { 0 } else { self.random.index(shards) };
                *of_shard.entry((board, shard)).or_default() += 1.0;
            }
            let mut calls: Vec<_> = of_shard.drain().collect();
            // The order of a hash map depends on the process.
            calls.sort_unstable_by_key(|(key, _)| *key);
            for ((board, shard), contributions) in calls {
                let work = self.units.apply(contributions);
                self.call(board, shard, 0, work, at);
            }
        }
    }

    /// Returns the numbers of merges and of tops that were taken.
    fn tops(&mut self) -> (f64, f64) {
        let scenario = self.scenario;
        let servers = if scenario.by_board {
            1
        } else {
            scenario.servers
        };
        let mut moments: Vec<f64> = (0..self.count(scenario.tops))
            .map(|_| self.moment())
            .collect();
        moments.sort_unstable_by(f64::total_cmp);
        // When the newest merge of each board began, and the one of which each server has a copy.
        let mut newest_of: Vec<Option<f64>> = vec![None; scenario.boards];
        let mut copies: HashMap<(usize, usize), f64> = HashMap::new();
        let (mut merges, mut taken) = (0.0, 0.0);
        for at in moments {
            let board = self.board();
            let server = self.random.index(servers);
            let reads = scenario.tops * self.part(board);
            let newest = newest_of[board - 1].unwrap_or_else(|| self.earlier_merge(reads));
            newest_of[board - 1] = Some(newest);
            let copy = if servers == 1 {
                newest
            } else {
                let drawn = self.random.part();
                *copies.entry((board, server)).or_insert_with(|| {
                    // Before the beginning this server may have taken it.
                    let has =
                        newest <= 0.0 && drawn < 1.0 - (reads / float(servers) * newest).exp();
                    if has { newest } else { f64::NEG_INFINITY }
                })
            };
            if at - copy <= scenario.staleness {
                continue;
            }
            self.place(board);
            let shards = self.placed[board - 1].len();
            let top = self
                .units
                .top(scenario.members * self.part(board), float(shards));
            if at - newest <= scenario.staleness {
                taken += 1.0;
                self.call(board, 0, 1, top.taken, at);
                copies.insert((board, server), newest);
                continue;
            }
            merges += 1.0;
            for shard in 0..shards {
                self.call(board, shard, 1, top.shard, at);
            }
            self.call(board, 0, 1, top.publish, at);
            newest_of[board - 1] = Some(at);
            if servers > 1 {
                copies.insert((board, server), at);
            }
        }
        (merges, taken)
    }

    /// Draws when the newest merge before the beginning began, for a board that is read at this rate.
    fn earlier_merge(&mut self, reads: f64) -> f64 {
        let of_age = reads * self.scenario.staleness;
        let is_fresh = self.random.part() < of_age / (1.0 + of_age);
        if is_fresh {
            -self.random.part() * self.scenario.staleness
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Reads that call all shards of a board.
    fn reads(&mut self, cause: usize, rate: f64) {
        let mut works = HashMap::new();
        for _ in 0..self.count(rate) {
            let (at, board) = (self.moment(), self.board());
            if cause == 2 {
                let asked = rate * self.part(board);
                if self.random.part() * asked >= self.scenario.ranks_of(self.part(board)) {
                    continue;
                }
            }
            self.place(board);
            let shards = self.placed[board - 1].len();
            let work = *works.entry(shards).or_insert_with(|| {
                let rows = if cause == 2 {
                    &self.units.member
                } else {
                    &self.units.page
                };
                read_of_shard(rows, float(shards)).0
            });
            for shard in 0..shards {
                self.call(board, shard, cause, work, at);
            }
        }
    }
}

/// Returns the wait of each call, and how long after a loss calls still waited for it.
fn queue(arrivals: &mut [Arrival], loss: Option<Loss>) -> (Vec<f32>, f64) {
    arrivals.sort_unstable_by(|a, b| a.at.total_cmp(&b.at));
    let (mut free, mut drained) = (0.0_f64, None);
    let mut waits = Vec::with_capacity(arrivals.len());
    for arrival in arrivals {
        let at = f64::from(arrival.at);
        let mut begin = free.max(at);
        if let Some(loss) = loss {
            let end = loss.from + loss.seconds;
            if begin >= loss.from && begin < end {
                begin = end;
            }
            // The queue of before is done once a call does not wait.
            if at > end && begin <= at && drained.is_none() {
                drained = Some(at - end);
            }
        }
        free = begin + f64::from(arrival.us) / 1e6;
        #[expect(clippy::cast_possible_truncation, reason = "a wait")]
        waits.push((begin - at) as f32);
    }
    (waits, drained.unwrap_or(0.0))
}

fn p99(waits: &mut [f32]) -> f64 {
    if waits.is_empty() {
        return 0.0;
    }
    let index = waits.len() * 99 / 100;
    let (_, wait, _) = waits.select_nth_unstable_by(index, f32::total_cmp);
    f64::from(*wait)
}
