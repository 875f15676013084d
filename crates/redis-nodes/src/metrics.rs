//! Metrics of the nodes of a store on Redis, by address.

use std::fmt;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use metering::{
    CALLS, Counter, DescriptorEncoder, Gauge, Histogram, Labels, ScrapedMetric, Unit, encode_each,
    labels,
};

/// How a call to a node ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// With a reply.
    Answered,
    /// With an error of the node.
    Refused,
    /// It was not sent.
    NotSent,
    /// It was not sent, since too much waited before it.
    Overloaded,
    /// It was sent, and no reply arrived.
    Lost,
}

/// The metrics of one node.
#[derive(Debug)]
pub(crate) struct NodeMetrics {
    duration: Histogram,
    answered: Counter,
    refused: Counter,
    not_sent: Counter,
    overloaded: Counter,
    lost: Counter,
    under_way: Gauge,
    pub(crate) connections: Counter,
}

impl Default for NodeMetrics {
    fn default() -> Self {
        Self {
            duration: Histogram::new(&CALLS),
            answered: Counter::default(),
            refused: Counter::default(),
            not_sent: Counter::default(),
            overloaded: Counter::default(),
            lost: Counter::default(),
            under_way: Gauge::default(),
            connections: Counter::default(),
        }
    }
}

impl NodeMetrics {
    /// Counts a call from now on. Takes little more memory than the call itself.
    pub(crate) fn count<T>(
        &self,
        call: impl Future<Output = T>,
        end: impl FnOnce(&T) -> CallEnd,
    ) -> impl Future<Output = T> {
        let under_way = UnderWay::new(&self.under_way);
        let began = Instant::now();
        call.inspect(move |ended| {
            drop(under_way);
            self.duration.observe(began.elapsed());
            let counter = match end(ended) {
                CallEnd::Answered => &self.answered,
                CallEnd::Refused => &self.refused,
                CallEnd::NotSent => &self.not_sent,
                CallEnd::Overloaded => &self.overloaded,
                CallEnd::Lost => &self.lost,
            };
            counter.inc();
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

/// The values of a node.
pub(crate) struct NodeSample {
    labels: Labels,
    /// How far this process's clock is ahead of the node's; `None` while the node is not connected.
    skew_us: Option<i64>,
    /// The round trip, and the time that the node needs for what waits or is under way.
    distance_and_load: Option<(Duration, Duration)>,
    metrics: std::sync::Arc<NodeMetrics>,
}

impl NodeSample {
    pub(crate) fn new(
        address: impl fmt::Display,
        skew_us: Option<i64>,
        distance_and_load: Option<(Duration, Duration)>,
        metrics: std::sync::Arc<NodeMetrics>,
    ) -> Self {
        Self {
            labels: labels([("node", &address.to_string())]),
            skew_us,
            distance_and_load,
            metrics,
        }
    }

    fn up(&self) -> ScrapedMetric {
        let is_up = self.skew_us.is_some();
        ScrapedMetric::gauge(move || f64::from(u8::from(is_up)))
    }

    fn skew(&self) -> Option<(&Labels, ScrapedMetric)> {
        let skew = Duration::from_micros(self.skew_us?.unsigned_abs()).as_secs_f64();
        let skew = if self.skew_us? < 0 { -skew } else { skew };
        Some(self.seconds(skew))
    }

    fn round_trip(&self) -> Option<(&Labels, ScrapedMetric)> {
        Some(self.seconds(self.distance_and_load?.0.as_secs_f64()))
    }

    fn backlog(&self) -> Option<(&Labels, ScrapedMetric)> {
        Some(self.seconds(self.distance_and_load?.1.as_secs_f64()))
    }

    fn seconds(&self, seconds: f64) -> (&Labels, ScrapedMetric) {
        (&self.labels, ScrapedMetric::gauge(move || seconds))
    }

    /// The ends, and their numbers.
    fn ends(&self) -> [(Labels, Counter); 5] {
        let NodeMetrics {
            answered,
            refused,
            not_sent,
            overloaded,
            lost,
            ..
        } = &*self.metrics;
        let ends = [
            ("answered", answered),
            ("refused", refused),
            ("not_sent", not_sent),
            ("overloaded", overloaded),
            ("lost", lost),
        ];
        ends.map(|(end, counter)| {
            let mut labels = self.labels.clone();
            labels.push(("end", end.to_owned()));
            (labels, counter.clone())
        })
    }
}

/// Registers the metrics, and reports the values of each node.
pub(crate) fn encode_nodes(
    encoder: &mut DescriptorEncoder<'_>,
    nodes: &[NodeSample],
) -> Result<(), fmt::Error> {
    encode_each(
        encoder,
        (
            "redis_up",
            "1 while the node is connected and fit to be used, otherwise 0.",
            None,
        ),
        nodes.iter().map(|node| (&node.labels, node.up())),
    )?;
    encode_each(
        encoder,
        (
            "redis_clock_skew",
            "How far the clock of this process is ahead of the node's; negative where it is behind.",
            Some(&Unit::Seconds),
        ),
        nodes.iter().filter_map(NodeSample::skew),
    )?;
    encode_each(
        encoder,
        (
            "redis_round_trip",
            "The longest recent round trip to the node, measured while nothing was under way: its distance.",
            Some(&Unit::Seconds),
        ),
        nodes.iter().filter_map(NodeSample::round_trip),
    )?;
    encode_each(
        encoder,
        (
            "redis_backlog",
            "How long the node needs for the calls that wait to be sent or for its reply: its load.",
            Some(&Unit::Seconds),
        ),
        nodes.iter().filter_map(NodeSample::backlog),
    )?;
    let ends: Vec<(Labels, Counter)> = nodes.iter().flat_map(NodeSample::ends).collect();
    encode_each(
        encoder,
        (
            "redis_calls",
            "Function calls by how they ended at the node: answered, refused with an error, not sent, not sent for an overload, lost.",
            None,
        ),
        ends.iter()
            .map(|(labels, counter)| (labels, counter.clone())),
    )?;
    encode_each(
        encoder,
        (
            "redis_call_duration",
            "Function calls to the node, each attempt by itself, with its wait to be sent.",
            Some(&Unit::Seconds),
        ),
        nodes
            .iter()
            .map(|node| (&node.labels, node.metrics.duration.clone())),
    )?;
    encode_each(
        encoder,
        (
            "redis_calls_under_way",
            "Function calls that wait to be sent or for the node's answer.",
            None,
        ),
        nodes
            .iter()
            .map(|node| (&node.labels, node.metrics.under_way.clone())),
    )?;
    encode_each(
        encoder,
        (
            "redis_connections",
            "Times that a connection to the node was made: the first, and each reconnection.",
            None,
        ),
        nodes
            .iter()
            .map(|node| (&node.labels, node.metrics.connections.clone())),
    )
}
