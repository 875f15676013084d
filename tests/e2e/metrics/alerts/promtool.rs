//! [`Story`]: what Prometheus would have scraped, on which `promtool test rules` evaluates alerts and panels.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use testkit::{Exposition, Sample, Server};

const RULES: &str = include_str!("../../../../deploy/prometheus/alerts.yaml");
const DASHBOARD: &str = include_str!("../../../../deploy/grafana/megaboard.json");

/// The interval of scrapes.
const EVERY: &str = "15s";

/// The scrapes that follow those of a story.
const LATER: usize = 400;

/// When the alerts are looked at: all later scrapes are before it.
const AT: &str = "100m";

/// Returns the names of all alerts.
pub(super) fn alerts() -> Vec<&'static str> {
    let lines = RULES.lines();
    let names = lines.filter_map(|line| line.trim().strip_prefix("- alert: "));
    names.collect()
}

/// Returns the expressions of all panels, for the job and the server of stories.
fn panels() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels
        .filter_map(|panel| panel["targets"].as_array())
        .flatten();
    let expressions = targets.map(|target| target["expr"].as_str().unwrap());
    let variables = [
        ("$job", "megaboard"),
        ("$instance", "a"),
        ("$__rate_interval", "1m"),
    ];
    let replaced = |expression: &str| {
        let all = variables.iter();
        all.fold(expression.to_owned(), |text, (name, value)| {
            text.replace(name, value)
        })
    };
    expressions.map(replaced).collect()
}

/// What happens after the last scrape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Later {
    /// Counters grow by as much each time as between the last two scrapes.
    GoesOn,
    /// Nothing changes.
    Stays,
}

/// The scrapes of one server; `None` if it did not respond.
pub(super) struct Story {
    scrapes: Vec<Option<Exposition>>,
    later: Later,
}

impl Story {
    /// A situation that lasts.
    pub(super) fn goes_on(before: Exposition, after: Exposition) -> Self {
        Self {
            scrapes: vec![Some(before), Some(after)],
            later: Later::GoesOn,
        }
    }

    /// What has happened once.
    pub(super) fn stays(scrapes: Vec<Option<Exposition>>) -> Self {
        Self {
            scrapes,
            later: Later::Stays,
        }
    }

    /// Asserts that each of these alerts fires at some time.
    #[track_caller]
    pub(super) fn fires(&self, names: &[&str]) {
        let firing = |name: &&str| {
            json!({
                "expr": format!("group(count_over_time(ALERTS{{alertname=\"{name}\", alertstate=\"firing\"}}[2h]))"),
                "eval_time": AT,
                "exp_samples": [{"labels": "{}", "value": 1}],
            })
        };
        self.evaluate(&names.iter().map(firing).collect::<Vec<_>>());
    }

    /// Asserts that no alert fires at any time.
    #[track_caller]
    pub(super) fn fires_nothing(&self) {
        self.evaluate(&[json!({
            "expr": "group by (alertname) (count_over_time(ALERTS{alertstate=\"firing\"}[2h]))",
            "eval_time": AT,
            "exp_samples": [],
        })]);
    }

    /// Adds the metrics of another server, which has the same number of scrapes.
    pub(super) fn with(mut self, other: Self) -> Self {
        for (scrape, other) in self.scrapes.iter_mut().flatten().zip(other.scrapes) {
            scrape.families.extend(other.unwrap().families);
        }
        self
    }

    /// Asserts that every panel has something to show.
    #[track_caller]
    pub(super) fn fills_all_panels(&self) {
        let shown = |expression: String| {
            json!({
                "expr": format!("group({expression})"),
                "eval_time": "10m",
                "exp_samples": [{"labels": "{}", "value": 1}],
            })
        };
        self.evaluate(&panels().into_iter().map(shown).collect::<Vec<_>>());
    }

    #[track_caller]
    fn evaluate(&self, tests: &[Value]) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("alerts.yaml"), RULES).unwrap();
        // JSON is YAML, too.
        let file = json!({
            "rule_files": ["alerts.yaml"],
            "evaluation_interval": EVERY,
            "tests": [{"interval": EVERY, "input_series": self.series(), "promql_expr_test": tests}],
        });
        std::fs::write(path("tests.yaml"), file.to_string()).unwrap();
        let run = Command::new(program())
            .args(["test", "rules"])
            .arg(path("tests.yaml"))
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            run.status.success(),
            "{}{}",
            text(&run.stdout),
            text(&run.stderr)
        );
    }

    /// Returns the series that the rules and panels read, in promtool's notation.
    fn series(&self) -> Vec<Value> {
        let mut values: BTreeMap<String, (bool, Vec<Option<f64>>)> = BTreeMap::new();
        let count = self.scrapes.len();
        let mut add = |name: String, is_counter: bool, scrape: usize, value: f64| {
            let none = || (is_counter, vec![None; count]);
            values.entry(name).or_insert_with(none).1[scrape] = Some(value);
        };
        for (number, scrape) in self.scrapes.iter().enumerate() {
            let up = "up{job=\"megaboard\", instance=\"a\"}".to_owned();
            add(up, false, number, f64::from(u8::from(scrape.is_some())));
            for family in scrape.iter().flat_map(|scrape| &scrape.families) {
                let is_counter = ["counter", "histogram"].contains(&family.kind.as_str());
                let samples = family.samples.iter();
                let is_read = |name: &str| RULES.contains(name) || DASHBOARD.contains(name);
                for sample in samples.filter(|sample| is_read(&sample.name)) {
                    add(series_of(sample), is_counter, number, sample.value);
                }
            }
        }
        let series = values.into_iter().map(|(name, (is_counter, values))| {
            let grows = is_counter && self.later == Later::GoesOn;
            json!({"series": name, "values": notation(&values, grows)})
        });
        series.collect()
    }
}

/// Returns the name and the labels of a sample, with those that Prometheus adds.
fn series_of(sample: &Sample) -> String {
    let own = sample.labels.iter();
    let own = own.map(|(label, value)| format!("{label}={value:?}"));
    let added = ["job=\"megaboard\"", "instance=\"a\""].map(str::to_owned);
    let labels: Vec<String> = own.chain(added).collect();
    format!("{}{{{}}}", sample.name, labels.join(", "))
}

/// Returns the values, and those of later scrapes.
fn notation(values: &[Option<f64>], grows: bool) -> String {
    let (last, before) = values.split_last().unwrap();
    let text =
        |value: &Option<f64>| value.map_or_else(|| "_".to_owned(), |value| value.to_string());
    let mut words: Vec<String> = before.iter().map(text).collect();
    words.push(match last {
        Some(value) => {
            let previous = before.last().copied().flatten().unwrap_or(0.0);
            let step = if grows { value - previous } else { 0.0 };
            format!("{value}+{step}x{LATER}")
        }
        None => "_".to_owned(),
    });
    words.join(" ")
}

/// Returns the path of promtool: that of the system, or the one that `tests/run` has put into the target directory.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    let own = target.join("promtool/usr/bin/promtool");
    if own.exists() {
        return own;
    }
    let has_one = Command::new("promtool").arg("--version").output().is_ok();
    assert!(
        has_one,
        "promtool is missing: tests/run gets it (Debian, Ubuntu: package prometheus)"
    );
    "promtool".into()
}

/// Returns the sum of series, or `None` if there are none yet.
fn value(scrape: &Exposition, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let has = |sample: &&Sample| {
        let mut labels = labels.iter();
        sample.name == name
            && labels.all(|(label, value)| sample.labels.get(*label).is_some_and(|it| it == value))
    };
    let found: Vec<f64> = scrape
        .samples()
        .filter(has)
        .map(|sample| sample.value)
        .collect();
    (!found.is_empty()).then(|| found.iter().sum())
}

/// A metric, labels of its series, and a value that their sum is to exceed.
pub(super) type Above<'a> = (&'a str, &'a [(&'a str, &'a str)], f64);

/// Scrapes until all values are above their bounds.
#[track_caller]
pub(super) fn scrape_until(server: &Server, above: &[Above<'_>]) -> Exposition {
    let names: BTreeSet<&str> = above.iter().map(|(name, ..)| *name).collect();
    testkit::eventually(&format!("{names:?}"), || {
        let scrape = Exposition::of(server);
        let mut above = above.iter();
        let holds = above.all(|(name, labels, bound)| {
            value(&scrape, name, labels).is_some_and(|it| it > *bound)
        });
        holds.then_some(scrape)
    })
}
