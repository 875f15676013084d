//! The response of `GET /metrics`, parsed strictly: [`Exposition`].
//!
//! Reads the text format of `OpenMetrics` 1.0, as far as the service uses it, and panics with the
//! line for anything the format does not allow: a family without `HELP` and `TYPE`, a sample of
//! another family, a duplicate label or series, bucket counts that decrease.

use std::collections::{BTreeMap, BTreeSet};

use crate::server::Server;

/// Label names and their values.
pub type Labels = BTreeMap<String, String>;

/// All metrics of one response.
#[derive(Debug)]
pub struct Exposition {
    /// In the order of the response.
    pub families: Vec<Family>,
}

/// One metric family.
#[derive(Debug)]
pub struct Family {
    /// The name without the suffixes of the type.
    pub name: String,
    /// `counter`, `gauge` or `histogram`.
    pub kind: String,
    /// The text of `HELP`.
    pub help: String,
    unit: Option<String>,
    /// The samples.
    pub samples: Vec<Sample>,
}

/// One sample line.
#[derive(Debug)]
pub struct Sample {
    /// The name with the suffix of the type.
    pub name: String,
    /// The labels, including `le` for buckets.
    pub labels: Labels,
    /// The value.
    pub value: f64,
}

impl Family {
    /// Returns the name that documents use: the name of the samples, or of the family for a
    /// histogram.
    pub fn called(&self) -> String {
        match self.kind.as_str() {
            "counter" => format!("{}_total", self.name),
            _ => self.name.clone(),
        }
    }

    fn suffixes(&self) -> &'static [&'static str] {
        match self.kind.as_str() {
            "counter" => &["_total"],
            "gauge" => &[""],
            "histogram" => &["_bucket", "_sum", "_count"],
            other => panic!("{}: unknown type {other}", self.name),
        }
    }

    /// Checks what a single line does not show.
    fn check(&self) {
        let name = &self.name;
        assert!(!self.samples.is_empty(), "{name} has no samples");
        if let Some(unit) = &self.unit {
            assert!(name.ends_with(&format!("_{unit}")), "{name} is in {unit}");
        }
        let series: BTreeSet<_> = self.samples.iter().map(|s| (&s.name, &s.labels)).collect();
        assert_eq!(
            series.len(),
            self.samples.len(),
            "{name} has a duplicate series"
        );
        if self.kind == "histogram" {
            self.check_buckets();
        }
    }

    fn check_buckets(&self) {
        let mut by_labels: BTreeMap<Labels, Vec<(f64, f64)>> = BTreeMap::new();
        for bucket in self.samples.iter().filter(|s| s.name.ends_with("_bucket")) {
            let mut labels = bucket.labels.clone();
            let bound = labels.remove("le").unwrap().parse().unwrap();
            let buckets = by_labels.entry(labels).or_default();
            buckets.push((bound, bucket.value));
        }
        let counts = self.samples.iter().filter(|s| s.name.ends_with("_count"));
        for count in counts {
            let buckets = by_labels.remove(&count.labels).unwrap();
            let ascends = |(a, b): &(f64, f64), (c, d): &(f64, f64)| a < c && b <= d;
            assert!(buckets.is_sorted_by(ascends), "{}: {buckets:?}", self.name);
            assert_eq!(
                buckets.last(),
                Some(&(f64::INFINITY, count.value)),
                "{count:?}"
            );
        }
        assert!(
            by_labels.is_empty(),
            "{}: buckets without a count",
            self.name
        );
    }
}

impl Exposition {
    /// Scrapes a server.
    #[track_caller]
    pub fn of(server: &Server) -> Self {
        let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        let response = server.get("/metrics");
        assert_eq!(response.status, 200, "{}", response.body);
        assert_eq!(response.header("content-type"), media_type);
        Self::read(&response.body)
    }

    /// Parses a text.
    #[track_caller]
    pub fn read(text: &str) -> Self {
        let text = text
            .strip_suffix("# EOF\n")
            .expect("the text ends with # EOF");
        let mut families: Vec<Family> = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').expect(line);
                assert!(!help.trim().is_empty(), "{line}");
                families.push(Family {
                    name: name.to_owned(),
                    kind: String::new(),
                    help: help.to_owned(),
                    unit: None,
                    samples: Vec::new(),
                });
                continue;
            }
            let family = families.last_mut().expect(line);
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').expect(line);
                assert!(name == family.name && family.kind.is_empty(), "{line}");
                kind.clone_into(&mut family.kind);
            } else if let Some(rest) = line.strip_prefix("# UNIT ") {
                let (name, unit) = rest.split_once(' ').expect(line);
                assert!(name == family.name && family.samples.is_empty(), "{line}");
                family.unit = Some(unit.to_owned());
            } else {
                let sample = sample(line);
                let mut suffixes = family.suffixes().iter();
                let is_its = suffixes.any(|end| sample.name == format!("{}{end}", family.name));
                assert!(is_its, "{line}: not of {}", family.name);
                family.samples.push(sample);
            }
        }
        let names: BTreeSet<_> = families.iter().map(|family| &family.name).collect();
        assert_eq!(names.len(), families.len(), "duplicate family");
        families.iter().for_each(Family::check);
        Self { families }
    }

    /// Iterates over all samples.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.families.iter().flat_map(|family| &family.samples)
    }

    /// Returns the sum of all series with this name and at least these labels. Panics if there is
    /// none.
    #[track_caller]
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let has = |sample: &&Sample| {
            let mut wanted = labels.iter();
            wanted.all(|(label, value)| sample.labels.get(*label).is_some_and(|v| v == value))
        };
        let named = self.samples().filter(|sample| sample.name == name);
        let values: Vec<f64> = named.filter(has).map(|sample| sample.value).collect();
        assert!(!values.is_empty(), "there is no sample {name} {labels:?}");
        values.iter().sum()
    }
}

/// Parses `name{label="value",…} 1.0`.
fn sample(line: &str) -> Sample {
    let end = line.find(['{', ' ']).expect(line);
    let (name, mut rest) = line.split_at(end);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    assert!(!name.is_empty() && name.chars().all(is_plain), "{line}");
    let mut labels = Labels::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        while !rest.starts_with('}') {
            let (label, behind) = rest.split_once("=\"").expect(line);
            assert!(label.chars().all(is_plain), "{line}");
            let (value, behind) = quoted(behind, line);
            let before = labels.insert(label.to_owned(), value);
            assert!(before.is_none(), "{line}: {label} twice");
            rest = behind.strip_prefix(',').unwrap_or(behind);
        }
        rest = &rest[1..];
    }
    let value = rest.strip_prefix(' ').expect(line);
    Sample {
        name: name.to_owned(),
        labels,
        value: value.parse().expect(line),
    }
}

/// Returns a value up to its closing quote, and the text after it.
fn quoted<'a>(text: &'a str, line: &str) -> (String, &'a str) {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => return (value, &text[index + 1..]),
            '\\' => match chars.next().expect(line).1 {
                'n' => value.push('\n'),
                c @ ('\\' | '"') => value.push(c),
                c => panic!("{line}: \\{c}"),
            },
            c => value.push(c),
        }
    }
    panic!("{line}: a quote is open");
}
