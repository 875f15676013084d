//! Metrics of the current nodes: [`NodeCollector`].

use std::sync::Weak;

use metering::{Collector, DescriptorEncoder};
use tokio::time::Instant;

use crate::metrics::{NodeSample, encode_nodes};
use crate::store_clock;
use crate::topology::Topology;

/// Reports the nodes that exist when the metrics are read.
#[derive(Debug)]
pub(crate) struct NodeCollector(pub(crate) Weak<Topology>);

impl Collector for NodeCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let Some(topology) = self.0.upgrade() else {
            return Ok(());
        };
        let nodes = topology.nodes().into_iter().map(|(node, _)| {
            let link = node.link();
            let now = Instant::now();
            let clock = link.as_ref().map(|link| link.clock());
            let skew_us = clock.map(|clock| clock.skew_us(store_clock::own_us(), now));
            let distance_and_load = link.map(|link| link.distance_and_load());
            NodeSample::new(
                node.address(),
                skew_us,
                distance_and_load,
                node.metrics().clone(),
            )
        });
        encode_nodes(&mut encoder, &nodes.collect::<Vec<_>>())
    }
}
