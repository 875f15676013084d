//! Metrics of the nodes of a store on Redis, by address: [`NodeMetrics`], reported by [`NodeCollector`].

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt as _;
use metering::{
    CALLS, Collector, Counter, DescriptorEncoder, EncodeMetric, Gauge, Histogram, Labels,
    ScrapedMetric, Unit, encode_each, labels,
};
use tokio::time::Instant;

use crate::node::Node;
use crate::redis_link::CommandError;
use crate::store_clock;
use crate::topology::Topology;

/// How a call to a node ended, as a label.
const ENDS: [&str; 5] = ["answered", "refused", "not_sent", "overloaded", "lost"];

/// The metrics of one node.
#[derive(Debug)]
pub(crate) struct NodeMetrics {
    duration: Histogram,
    /// In the order of [`ENDS`].
    ends: [Counter; ENDS.len()],
    under_way: Gauge,
    pub(crate) connections: Counter,
}

impl Default for NodeMetrics {
    fn default() -> Self {
        Self {
            duration: Histogram::new(&CALLS),
            ends: Default::default(),
            under_way: Gauge::default(),
            connections: Counter::default(),
        }
    }
}

impl NodeMetrics {
    /// Counts a call from now on. Takes little more memory than the call itself.
    pub(crate) fn count<T>(
        &self,
        call: impl Future<Output = Result<T, CommandError>>,
    ) -> impl Future<Output = Result<T, CommandError>> {
        let under_way = UnderWay::new(&self.under_way);
        let began = Instant::now();
        call.inspect(move |ended| {
            drop(under_way);
            self.duration.observe(began.elapsed());
            let end = match ended {
                Ok(_) => 0,
                Err(CommandError::Redis(_)) => 1,
                Err(CommandError::NotSent(_)) => 2,
                Err(CommandError::Overloaded(_)) => 3,
                Err(CommandError::Lost(_)) => 4,
            };
            self.ends[end].inc();
        })
    }
}

/// Counted until it is dropped, also when its caller has gone.
struct UnderWay<'a>(&'a Gauge);

impl<'a> UnderWay<'a> {
    fn new(gauge: &'a Gauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Reports the nodes that exist when the metrics are read.
#[derive(Debug)]
pub(crate) struct NodeCollector(pub(crate) Weak<Topology>);

/// A node, and its label.
type LabelledNode = (Labels, Arc<Node>);

/// Returns how far this process's clock is ahead of that of a connected node, in seconds.
fn skew(node: &Node) -> Option<f64> {
    let clock = node.link()?.clock();
    let skew_us = clock.skew_us(store_clock::own_us(), Instant::now());
    let skew = Duration::from_micros(skew_us.unsigned_abs()).as_secs_f64();
    Some(if skew_us < 0 { -skew } else { skew })
}

impl Collector for NodeCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let Some(topology) = self.0.upgrade() else {
            return Ok(());
        };
        let label = |node: &Arc<Node>| labels([("node", &node.address().to_string())]);
        let nodes = topology.nodes().into_iter();
        let nodes: Vec<LabelledNode> = nodes.map(|node| (label(&node), node)).collect();
        let mut report = Report {
            encoder: &mut encoder,
            nodes: &nodes,
        };
        report.each(
            "redis_up",
            "1 while the node is connected and fit to be used, otherwise 0.",
            None,
            |node| Some(gauge(f64::from(u8::from(node.link().is_some())))),
        )?;
        report.each(
            "redis_clock_skew",
            "How far the clock of this process is ahead of the node's; negative where it is behind.",
            Some(&Unit::Seconds),
            |node| skew(node).map(gauge),
        )?;
        report.each(
            "redis_round_trip",
            "The longest recent round trip to the node, measured while nothing was under way: its distance.",
            Some(&Unit::Seconds),
            |node| Some(gauge(node.link()?.distance_and_load().0.as_secs_f64())),
        )?;
        report.each(
            "redis_backlog",
            "How long the node needs for the calls that wait to be sent or for its reply: its load.",
            Some(&Unit::Seconds),
            |node| Some(gauge(node.link()?.distance_and_load().1.as_secs_f64())),
        )?;
        report.ends()?;
        report.each(
            "redis_call_duration",
            "Function calls to the node, each attempt by itself, with its wait to be sent.",
            Some(&Unit::Seconds),
            |node| Some(node.metrics().duration.clone()),
        )?;
        report.each(
            "redis_calls_under_way",
            "Function calls that wait to be sent or for the node's answer.",
            None,
            |node| Some(node.metrics().under_way.clone()),
        )?;
        report.each(
            "redis_connections",
            "Times that a connection to the node was made: the first, and each reconnection.",
            None,
            |node| Some(node.metrics().connections.clone()),
        )
    }
}

fn gauge(value: f64) -> ScrapedMetric {
    ScrapedMetric::gauge(move || value)
}

struct Report<'a, 'e> {
    encoder: &'a mut DescriptorEncoder<'e>,
    nodes: &'a [LabelledNode],
}

impl Report<'_, '_> {
    fn each<M: EncodeMetric>(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
        value: impl Fn(&Node) -> Option<M>,
    ) -> Result<(), fmt::Error> {
        let nodes = self.nodes.iter();
        let values = nodes.filter_map(|(labels, node)| Some((labels, value(node)?)));
        encode_each(self.encoder, (name, help, unit), values)
    }

    fn ends(&mut self) -> Result<(), fmt::Error> {
        let ends = self.nodes.iter().flat_map(|(labels, node)| {
            let ends = ENDS.iter().zip(&node.metrics().ends);
            ends.map(|(end, counter)| {
                let mut labels = labels.clone();
                labels.push(("end", (*end).to_owned()));
                (labels, counter.clone())
            })
        });
        let ends: Vec<(Labels, Counter)> = ends.collect();
        let help = "Function calls by how they ended at the node: answered, refused with an error, not sent, not sent for an overload, lost.";
        let ends = ends
            .iter()
            .map(|(labels, counter)| (labels, counter.clone()));
        encode_each(self.encoder, ("redis_calls", help, None), ends)
    }
}
