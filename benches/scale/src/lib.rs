//! What a Redis Cluster costs at scale: `docs/scale.md` is computed here.
//!
//! ```text
//! units        what one call, one read and one member cost, as measured
//! scenario     boards, rates, nodes and servers; cluster: which node has which shard
//! paper        the model: expected work of each node, by formulas
//! simulation   the same, drawn from seeds: batches, cached tops, queues at nodes, a node that is lost
//! plan         what nodes are planned for, and how many are needed
//! compared     scenarios on paper and simulated
//! tables       the tables of the document; document: puts them there
//! ```
//!
//! Nothing here reads a clock. Paper and simulation place shards as the store does: by the slots of their keys.

pub mod cluster;
pub mod compared;
pub mod document;
mod format;
pub mod paper;
pub mod plan;
pub mod random;
pub mod scenario;
pub mod simulation;
pub mod tables;
pub mod units;

#[cfg(test)]
mod tests;
