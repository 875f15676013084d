//! What is counted of each target, and what it is called in `GET /metrics`: the one item for names.
//!
//! A new metric is a field of [`LaneMetrics`], registered below. Targets come and go with kinds, so they are
//! gone through at each scrape. All names get the prefix `megaboard_`, counters end in `_total`.

use std::fmt;
use std::sync::{Arc, Weak};

use metering::{Collector, Counter, DescriptorEncoder, Labels, ScrapedMetric, encode_each, labels};

use crate::lane::Lane;
use crate::publication::Outcome;
use crate::publisher::Service;
use crate::target::Fault;

/// What became of the tries to publish at one target.
#[derive(Debug, Default)]
pub(crate) struct LaneMetrics {
    published: Counter,
    overtaken: Counter,
    unreadable: Counter,
    away: Counter,
    refused: Counter,
    unnamed: Counter,
}

impl LaneMetrics {
    /// Counts a try. Finding the windows of a board, or that it is not published here, does not count as one.
    pub(crate) fn count(&self, outcome: &Outcome) {
        let counter = match outcome {
            Outcome::Published(_) => &self.published,
            Outcome::Overtaken(_) => &self.overtaken,
            Outcome::Unreadable(_) => &self.unreadable,
            Outcome::Failed(Fault::Away(_)) => &self.away,
            Outcome::Failed(Fault::Refused(_)) => &self.refused,
            Outcome::Unnamed(_) => &self.unnamed,
            Outcome::NotHere | Outcome::Spread(_) => return,
        };
        counter.inc();
    }

    fn results(&self) -> [(&'static str, &Counter); 6] {
        [
            ("published", &self.published),
            ("overtaken", &self.overtaken),
            ("unreadable", &self.unreadable),
            ("away", &self.away),
            ("refused", &self.refused),
            ("unnamed", &self.unnamed),
        ]
    }
}

/// The targets that there are when they are asked for.
pub(crate) struct Targets(pub(crate) Weak<Service>);

impl fmt::Debug for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Targets")
    }
}

impl Collector for Targets {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let Some(service) = self.0.upgrade() else {
            return Ok(());
        };
        let lanes = service.lanes();
        let named: Vec<(Labels, Arc<Lane>)> = lanes
            .into_iter()
            .map(|lane| (labels([("target", lane.name().as_str())]), lane))
            .collect();
        encode_each(
            &mut encoder,
            (
                "publish_up",
                "1 while the target was reached when it was last tried, otherwise 0.",
                None,
            ),
            named.iter().map(|(labels, lane)| {
                let is_up = !lane.is_away();
                (
                    labels,
                    ScrapedMetric::gauge(move || f64::from(u8::from(is_up))),
                )
            }),
        )?;
        encode_each(
            &mut encoder,
            (
                "publish_places",
                "Boards and windows that wait to be published, are being, or rest until they may be again.",
                None,
            ),
            named.iter().map(|(labels, lane)| {
                let places = u32::try_from(lane.marks.len()).unwrap_or(u32::MAX);
                (labels, ScrapedMetric::gauge(move || f64::from(places)))
            }),
        )?;
        let results: Vec<(Labels, Counter)> = named
            .iter()
            .flat_map(|(labels, lane)| {
                lane.metrics().results().map(|(result, counter)| {
                    let mut labels = labels.clone();
                    labels.push(("result", result.to_owned()));
                    (labels, counter.clone())
                })
            })
            .collect();
        encode_each(
            &mut encoder,
            (
                "publish_tries",
                "Tries to publish a window by what became of them: published, overtaken by another server, unreadable here, target away, refused by the target, without a name there.",
                None,
            ),
            results
                .iter()
                .map(|(labels, counter)| (labels, counter.clone())),
        )
    }
}
