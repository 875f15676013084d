//! [`Scenario`]: boards, rates, nodes and servers.

/// What is asked of a cluster, and what it has.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name in the tables.
    pub name: &'static str,
    /// Primaries.
    pub nodes: usize,
    /// Megaboard servers.
    pub servers: usize,
    /// Boards. Board i, from 1, has the part 1 / i^`skew` of members and rates.
    pub boards: usize,
    /// The exponent of the skew.
    pub skew: f64,
    /// Members of all boards.
    pub members: f64,
    /// Shards by board: of boards up to this one. The last tier has all others.
    pub shards: &'static [(usize, u16)],
    /// Contributions per second.
    pub contributions: f64,
    /// The most contributions that a server sends together.
    pub chunk_max: f64,
    /// Tops per second.
    pub tops: f64,
    /// Ranks of members, with neighbours, per second.
    pub ranks: f64,
    /// The most ranks per second of one board: beyond that they are refused.
    pub ranks_a_board: f64,
    /// Pages of 100 per second.
    pub pages: f64,
    /// Maximum age of a top, in seconds.
    pub staleness: f64,
    /// Whether the load balancer sends all reads of a board to the same server.
    pub by_board: bool,
    /// The part of the contributions to board 1 that are of one member.
    pub hot_member: f64,
}

/// 100M members, 1M boards, 1M contributions/s and 5M reads/s: 2/3 tops, 2/9 ranks, 1/9 of members' surroundings, which
/// cost as much as ranks.
pub const GOAL: Scenario = Scenario {
    name: "goal",
    nodes: 1,
    servers: 100,
    boards: 1_000_000,
    skew: 1.0,
    members: 1e8,
    shards: &[(10, 16), (1_000, 4), (usize::MAX, 1)],
    contributions: 1e6,
    chunk_max: 1_000.0,
    tops: 5e6 * 6.0 / 9.0,
    ranks: 5e6 * 3.0 / 9.0,
    ranks_a_board: 2_000.0,
    pages: 0.0,
    staleness: 1.0,
    by_board: true,
    hot_member: 0.0,
};

impl Scenario {
    /// Returns the scenario with this part of all rates and members, on other nodes.
    #[must_use]
    pub fn part(&self, part: f64, nodes: usize) -> Self {
        Self {
            nodes,
            members: self.members * part,
            contributions: self.contributions * part,
            tops: self.tops * part,
            ranks: self.ranks * part,
            pages: self.pages * part,
            ..self.clone()
        }
    }

    /// Returns the contributions that a server sends together: those of 100 ms, if they are not too many.
    #[must_use]
    pub fn chunk(&self) -> f64 {
        let received = self.contributions / float(self.servers) * CHUNK_SECONDS;
        received.round().clamp(1.0, self.chunk_max)
    }

    /// Returns the ranks per second of a board with this part of all reads, without those that are refused.
    #[must_use]
    pub fn ranks_of(&self, part: f64) -> f64 {
        (self.ranks * part).min(self.ranks_a_board)
    }

    /// Returns the shards of a board, counted from 1.
    #[must_use]
    pub fn shards_of(&self, board: usize) -> u16 {
        let tier = self.shards.iter().find(|(last, _)| board <= *last);
        tier.map_or(1, |(_, shards)| *shards)
    }

    /// Returns the part of each group of boards: for the first ones of each its own, then for wider and wider groups
    /// the mean. A group is its first board, the number of its boards, and the part of one of them.
    #[must_use]
    pub fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        let (mut first, mut sum) = (1, 0.0);
        while first <= self.boards {
            let wide = if first <= HEAD { 1 } else { first / 50 };
            let tier = self
                .shards
                .iter()
                .map(|(last, _)| *last)
                .find(|last| first <= *last);
            let end = (first + wide)
                .min(self.boards + 1)
                .min(tier.unwrap_or(usize::MAX).saturating_add(1));
            let count = float(end - first);
            let middle = f64::midpoint(float(first), float(end - 1));
            let part = middle.powf(-self.skew);
            sum += part * count;
            groups.push(Group { first, count, part });
            first = end;
        }
        for group in &mut groups {
            group.part /= sum;
        }
        groups
    }
}

/// How long a server waits for contributions that it sends together.
const CHUNK_SECONDS: f64 = 0.1;

/// Boards that are considered one by one: their shards are placed on nodes. All others are spread evenly.
pub const HEAD: usize = 10_000;

/// Boards with about the same part of members and rates.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The first board.
    pub first: usize,
    /// The number of boards.
    pub count: f64,
    /// The part of one board.
    pub part: f64,
}

/// Converts a count to a float.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2^53")]
pub const fn float(count: usize) -> f64 {
    count as f64
}
