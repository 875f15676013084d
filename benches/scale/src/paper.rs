//! The model on paper: the expected work of each node, by the formulas of `docs/scale.md`.

use crate::cluster::nodes_of;
use crate::scenario::{HEAD, Scenario, float};
use crate::units::{NodeWork, UnitCosts, read_of_shard};

/// What a node works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Calls of contributions.
    Contributions,
    /// Merges of tops, and tops that other servers have merged.
    Tops,
    /// Ranks of members.
    Ranks,
    /// Pages.
    Pages,
}

impl Cause {
    /// All causes, in the order of [`NodeLoad::work`].
    pub const ALL: [Self; 4] = [Self::Contributions, Self::Tops, Self::Ranks, Self::Pages];

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contributions => "contributions",
            Self::Tops => "tops",
            Self::Ranks => "ranks",
            Self::Pages => "pages",
        }
    }
}

/// The work of a node per second, and what it holds.
#[derive(Debug, Clone, Default)]
pub struct NodeLoad {
    /// By cause.
    pub work: [NodeWork; 4],
    /// Bytes of members and boards.
    pub memory: f64,
}

impl NodeLoad {
    /// Returns the work of all causes.
    #[must_use]
    pub fn whole(&self) -> NodeWork {
        let mut whole = NodeWork::default();
        for work in self.work {
            whole.add(work);
        }
        whole
    }

    /// Returns the used part of a core.
    #[must_use]
    pub fn cpu(&self) -> f64 {
        self.whole().us / 1e6
    }
}

/// The work of all nodes and servers per second.
#[derive(Debug, Clone, Default)]
pub struct Estimate {
    /// By node.
    pub nodes: Vec<NodeLoad>,
    /// Cores of all servers.
    pub server_cores: f64,
    /// Merges.
    pub merges: f64,
    /// Tops taken from other servers' merges.
    pub taken: f64,
    /// Ranks that are not refused.
    pub ranks: f64,
    /// The part of a core that the largest shard uses.
    pub largest_shard: f64,
}

impl Estimate {
    /// Returns the node with most CPU.
    #[must_use]
    pub fn hottest(&self) -> &NodeLoad {
        let hottest = self.nodes.iter().max_by(|a, b| a.cpu().total_cmp(&b.cpu()));
        hottest.unwrap_or(&self.nodes[0])
    }

    /// Returns the work of all nodes.
    #[must_use]
    pub fn whole(&self) -> NodeWork {
        let mut whole = NodeWork::default();
        for node in &self.nodes {
            whole.add(node.whole());
        }
        whole
    }

    /// Returns the mean of the used part of a core.
    #[must_use]
    pub fn mean_cpu(&self) -> f64 {
        self.whole().us / 1e6 / float(self.nodes.len())
    }
}

/// The nodes of the shards of the first boards, which are placed one by one.
#[derive(Debug, Clone)]
pub struct Placement(Vec<Vec<usize>>);

impl Placement {
    /// Places the first boards of a scenario.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let boards = 1..=HEAD.min(scenario.boards);
        Self(
            boards
                .map(|board| nodes_of(board, scenario.shards_of(board), scenario.nodes))
                .collect(),
        )
    }
}

/// How often tops of one board are merged and taken per second.
#[derive(Debug, Clone, Copy)]
pub struct TopRates {
    /// Merges by any server.
    pub merges: f64,
    /// Tops that a server takes from another one's merge.
    pub taken: f64,
}

impl TopRates {
    /// Returns the rates of a board whose top is read this often per second.
    ///
    /// A merge is followed by its age of `staleness`, and then by the wait for the next read. During that age each of
    /// the other servers takes the merge once, if it is asked at all.
    #[must_use]
    pub fn of(reads: f64, scenario: &Scenario) -> Self {
        let servers = if scenario.by_board {
            1.0
        } else {
            float(scenario.servers)
        };
        let of_age = reads * scenario.staleness;
        let merges = reads / (1.0 + of_age);
        Self {
            merges,
            taken: merges * (servers - 1.0) * (1.0 - (-of_age / servers).exp()),
        }
    }
}

/// Returns the calls to a shard per second and the contributions of each, for a shard that gets this part of all.
#[must_use]
pub fn calls_of(part: f64, scenario: &Scenario) -> (f64, f64) {
    let chunk = scenario.chunk();
    let expected = chunk * part;
    let any = 1.0 - (-expected).exp();
    if any <= 0.0 {
        return (0.0, 1.0);
    }
    (scenario.contributions / chunk * any, expected / any)
}

/// Computes the expected work.
#[must_use]
pub fn estimate(scenario: &Scenario, placement: &Placement, units: &UnitCosts) -> Estimate {
    let mut nodes = vec![NodeLoad::default(); scenario.nodes];
    let mut even = NodeLoad::default();
    let mut whole = Estimate::default();
    let mut server_us =
        scenario.contributions * units.server.line_us + scenario.tops * units.server.cached_top_us;
    let mut reads = (0.0, [(NodeWork::default(), 0.0); 2]);
    for group in scenario.groups() {
        let shards = f64::from(scenario.shards_of(group.first));
        let rates = TopRates::of(scenario.tops * group.part, scenario);
        let top = units.top(scenario.members * group.part, shards);
        if shards.total_cmp(&reads.0).is_ne() {
            let rows = [&units.member, &units.page];
            reads = (shards, rows.map(|rows| read_of_shard(rows, shards)));
        }
        let [(rank, rank_server_us), (page, page_server_us)] = reads.1;
        let ranks = scenario.ranks_of(group.part);
        let pages = scenario.pages * group.part;
        let hot = if group.first == 1 {
            scenario.hot_member
        } else {
            0.0
        };
        whole.merges += rates.merges * group.count;
        whole.taken += rates.taken * group.count;
        whole.ranks += ranks * group.count;
        server_us += group.count
            * (rates.merges * top.merged_server_us
                + rates.taken * top.taken_server_us
                + ranks * rank_server_us
                + pages * page_server_us);
        let mut load_of = |shard: usize| {
            let mut part = group.part * (1.0 - hot) / shards;
            if shard == 0 {
                part += group.part * hot;
            }
            let (calls, contributions) = calls_of(part, scenario);
            server_us += group.count * calls * units.server.call_us;
            let mut of_tops = top.shard.times(rates.merges);
            if shard == 0 {
                of_tops.add(top.publish.times(rates.merges));
                of_tops.add(top.taken.times(rates.taken));
            }
            NodeLoad {
                work: [
                    units.apply(contributions).times(calls),
                    of_tops,
                    rank.times(ranks),
                    page.times(pages),
                ],
                memory: scenario.members * group.part / shards * units.memory.member_bytes
                    + units.memory.board_bytes,
            }
        };
        let count = usize::from(scenario.shards_of(group.first));
        // Shard 0 has most: the hot member, and the copies of tops.
        whole.largest_shard = whole.largest_shard.max(load_of(0).cpu());
        if let Some(of_board) = placement.0.get(group.first - 1) {
            for (shard, node) in of_board.iter().enumerate() {
                add(&mut nodes[*node], &load_of(shard), 1.0);
            }
        } else {
            for shard in 0..count {
                add(
                    &mut even,
                    &load_of(shard),
                    group.count / float(scenario.nodes),
                );
            }
        }
    }
    for node in &mut nodes {
        add(node, &even, 1.0);
        node.memory += units.memory.node_bytes;
    }
    whole.nodes = nodes;
    whole.server_cores = server_us / 1e6;
    whole
}

fn add(node: &mut NodeLoad, load: &NodeLoad, times: f64) {
    for (work, more) in node.work.iter_mut().zip(load.work) {
        work.add(more.times(times));
    }
    node.memory += load.memory * times;
}
