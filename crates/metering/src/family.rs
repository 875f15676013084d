//! Families of metrics, which differ by their labels.
//!
//! Use a family to register metrics and to create the handles of its members once. Do not look up members while
//! serving: that takes a lock.

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::family::MetricConstructor;

use crate::scale::Scale;
use crate::{Counter, Histogram, Unit};

/// Labels and their values, in a fixed order.
pub type Labels = Vec<(&'static str, String)>;

/// Returns labels with these values.
#[must_use]
pub fn labels<const N: usize>(values: [(&'static str, &str); N]) -> Labels {
    values
        .map(|(label, value)| (label, value.to_owned()))
        .to_vec()
}

/// Metrics by their labels.
pub type Family<M, C = fn() -> M> = prometheus_client::metrics::family::Family<Labels, M, C>;

/// Counters by their labels.
pub type CounterFamily = Family<Counter>;

/// Histograms of one scale by their labels.
pub type HistogramFamily = Family<Histogram, &'static Scale>;

impl MetricConstructor<Histogram> for &'static Scale {
    fn new_metric(&self) -> Histogram {
        Histogram::new(self)
    }
}

/// Encodes a family whose members are listed at each scrape, because they are added and removed. A family without
/// members is omitted.
pub fn encode_each<'a, M: EncodeMetric>(
    encoder: &mut DescriptorEncoder<'_>,
    (name, help, unit): (&str, &str, Option<&Unit>),
    members: impl IntoIterator<Item = (&'a Labels, M)>,
) -> Result<(), std::fmt::Error> {
    let mut members = members.into_iter().peekable();
    let Some((_, first)) = members.peek() else {
        return Ok(());
    };
    let kind = first.metric_type();
    let mut family = encoder.encode_descriptor(name, help, unit, kind)?;
    for (labels, member) in members {
        member.encode(family.encode_family(labels)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collector, Registry, ScrapedMetric, text};

    #[derive(Debug)]
    struct Doors(Vec<Labels>);

    impl Collector for Doors {
        fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
            let doors = self
                .0
                .iter()
                .map(|door| (door, ScrapedMetric::gauge(|| 1.0)));
            encode_each(&mut encoder, ("open", "Whether it is open.", None), doors)
        }
    }

    fn scrape(doors: Vec<Labels>) -> String {
        let mut registry = Registry::with_prefix("house");
        registry.register_collector(Box::new(Doors(doors)));
        let mut scraped = String::new();
        text::encode(&mut scraped, &registry).unwrap();
        scraped
    }

    #[test]
    fn current_members_are_encoded() {
        assert_eq!(scrape(Vec::new()), "# EOF\n");
        let doors = ["front", "a \"back\""].map(|door| labels([("door", door)]));
        assert_eq!(
            scrape(doors.to_vec()),
            "# HELP house_open Whether it is open.\n# TYPE house_open gauge\n\
             house_open{door=\"front\"} 1.0\nhouse_open{door=\"a \\\"back\\\"\"} 1.0\n# EOF\n"
        );
    }
}
