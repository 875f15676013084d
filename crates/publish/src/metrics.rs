//! The metrics of each target in `GET /metrics`, with their names.
//!
//! A new metric is registered below. Targets are added and removed with kinds, so they are listed at each scrape. All
//! names get the prefix `megaboard_`, and counters end in `_total`.

use std::fmt;
use std::sync::{Arc, Weak};

use metering::{Collector, Counter, DescriptorEncoder, Labels, ScrapedMetric, encode_each, labels};

use crate::lane::Lane;
use crate::lanes::Lanes;

/// Collects the metrics of the targets that exist at a scrape.
pub(crate) struct TargetsCollector(pub(crate) Weak<Lanes>);

impl fmt::Debug for TargetsCollector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TargetsCollector")
    }
}

impl Collector for TargetsCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let Some(lanes) = self.0.upgrade() else {
            return Ok(());
        };
        let labelled: Vec<(Labels, Arc<Lane>)> = lanes
            .all()
            .into_iter()
            .map(|lane| (labels([("target", lane.target.name.as_str())]), lane))
            .collect();
        encode_each(
            &mut encoder,
            (
                "publish_up",
                "1 if the last attempt reached the target, otherwise 0.",
                None,
            ),
            labelled.iter().map(|(labels, lane)| {
                let is_up = !lane.is_unreachable();
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
                "Boards and windows that are pending, being published, or not yet allowed to be published again.",
                None,
            ),
            labelled.iter().map(|(labels, lane)| {
                let items = u32::try_from(lane.pending.len()).unwrap_or(u32::MAX);
                (labels, ScrapedMetric::gauge(move || f64::from(items)))
            }),
        )?;
        let results: Vec<(Labels, Counter)> = labelled
            .iter()
            .flat_map(|(labels, lane)| {
                lane.outcomes.by_result().map(|(result, counter)| {
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
                "Attempts to publish a window by their outcome: published, overtaken by another server, unreadable here, target unreachable (away), rejected by the target (refused), name invalid there (unnamed).",
                None,
            ),
            results
                .iter()
                .map(|(labels, counter)| (labels, counter.clone())),
        )
    }
}
