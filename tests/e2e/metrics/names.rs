//! The dashboard, the alerts and the documents refer to existing metrics, and document all of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use testkit::redis::RedisOptions;
use testkit::{Exposition, Labels, Server, eventually};

use crate::redis::serve;

const DASHBOARD: &str = include_str!("../../../deploy/grafana/megaboard.json");
const ALERTS: &str = include_str!("../../../deploy/prometheus/alerts.yaml");
const OPERATIONS: &str = include_str!("../../../docs/operations.md");

/// Labels added by Prometheus.
const ADDED: [&str; 2] = ["job", "instance"];

/// All exposed metrics, over all stores: names, types, and the labels of each sample.
#[derive(Default)]
struct Exposed {
    families: BTreeMap<String, String>,
    series: BTreeMap<String, Vec<Labels>>,
}

impl Exposed {
    fn add(&mut self, exposition: Exposition) {
        for family in exposition.families {
            self.families.insert(family.called(), family.kind);
            for sample in family.samples {
                self.series
                    .entry(sample.name)
                    .or_default()
                    .push(sample.labels);
            }
        }
    }

    /// Scrapes a server on a folder that publishes, and one on Redis.
    fn on_all_stores() -> Self {
        let redis = RedisOptions::new().start();
        let other = RedisOptions::new().start();
        let published = format!(
            "[kinds.gifts]\nwindows = [\"all\"]\npublish = {{ target = \"readers\", key = \"k:{{subject}}\" }}\n\
             [publish.targets.readers]\nurl = \"{}\"\n",
            other.url()
        );
        let servers = [Server::durable(&published), serve(&redis.url(), "")];
        let mut all = Self::default();
        for server in &servers {
            let one = json!({"board": "gifts/a", "member": "u", "points": 1});
            server.contribute(&one).ok();
            server.get("/v1/boards/gifts/a/top").ok();
        }
        eventually("the board is published", || {
            let exposed = Exposition::of(&servers[0]);
            let mut tries = exposed
                .samples()
                .filter(|s| s.name == "megaboard_publish_tries_total");
            tries
                .any(|s| s.labels["result"] == "published" && s.value > 0.0)
                .then_some(())
        });
        for server in &servers {
            all.add(Exposition::of(server));
        }
        all
    }

    /// Asserts that all of our metrics and labels in an expression are exposed. Returns the number
    /// of metrics.
    fn check(&self, expression: &str) -> usize {
        let mut found = 0;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        let mut rest = expression;
        while let Some(start) = rest.find(is_name) {
            rest = &rest[start..];
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            rest = behind;
            if !name.starts_with("megaboard_") && !name.starts_with("process_") {
                continue;
            }
            let series = self.series.get(name);
            let series = series.unwrap_or_else(|| panic!("{name} in {expression} is not exposed"));
            found += 1;
            if let Some(inside) = rest.strip_prefix('{') {
                // A route label contains braces, in quotes.
                let matchers = matchers(inside);
                let is_exposed = series.iter().any(|labels| {
                    matchers.iter().all(|(label, value)| match value {
                        _ if ADDED.contains(&label.as_str()) => true,
                        Some(value) => labels.get(label) == Some(value),
                        None => labels.contains_key(label),
                    })
                });
                assert!(
                    is_exposed,
                    "{name} is never exposed with {matchers:?}: {expression}"
                );
                rest = behind_matchers(inside);
            }
        }
        found
    }
}

/// Parses `label="value"`, and `label=~"…"` without its value, up to the closing brace.
fn matchers(inside: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    let mut rest = inside;
    while !rest.starts_with('}') {
        let (label, behind) = rest.split_once('"').unwrap();
        let (value, behind) = behind.split_once('"').unwrap();
        let exact = label
            .strip_suffix('=')
            .filter(|label| !label.ends_with('!'));
        let name = label.trim_end_matches(['=', '~', '!']).to_owned();
        found.push((name, exact.map(|_| value.to_owned())));
        rest = behind.strip_prefix(',').unwrap_or(behind);
    }
    found
}

fn behind_matchers(inside: &str) -> &str {
    let mut is_quoted = false;
    let end = inside.find(|c| {
        is_quoted ^= c == '"';
        c == '}' && !is_quoted
    });
    &inside[end.unwrap()..]
}

/// Returns the expressions of a dashboard, in panels and variables.
fn expressions(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, value)| match value {
                Value::String(text) if key == "expr" || key == "query" => vec![text.clone()],
                value => expressions(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(expressions).collect(),
        _ => Vec::new(),
    }
}

/// Returns the metrics in the table, with their types.
fn documented() -> BTreeMap<String, String> {
    let rows = OPERATIONS.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        let is_metric = name.starts_with("megaboard_") || name.starts_with("process_");
        let (kind, _) = rest.split_once(" | ")?;
        is_metric.then(|| (name.to_owned(), kind.to_owned()))
    });
    rows.collect()
}

/// Returns the anchors of the headings.
fn anchors() -> BTreeSet<String> {
    let headings = OPERATIONS.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .replace(' ', "-")
        })
        .collect()
}

/// Returns the fields of each alert.
fn alerts() -> Vec<(&'static str, BTreeMap<&'static str, &'static str>)> {
    let alerts = ALERTS.split("- alert: ").skip(1);
    alerts
        .map(|text| {
            let (name, rest) = text.split_once('\n').unwrap();
            let lines = rest.lines().filter_map(|line| line.trim().split_once(": "));
            (name.trim(), lines.collect())
        })
        .collect()
}

#[test]
fn documented_metrics_are_exposed_and_exposed_ones_documented() {
    let exposed = Exposed::on_all_stores();
    assert_eq!(
        documented(),
        exposed.families,
        "documented in docs/operations.md, and exposed"
    );

    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let asked = expressions(&dashboard);
    let found: usize = asked
        .iter()
        .map(|expression| exposed.check(expression))
        .sum();
    assert!(found >= 60, "{found} names in the dashboard");
    let shown = asked.join("\n");
    for family in exposed.families.keys() {
        assert!(shown.contains(family), "no panel shows {family}");
    }

    let of_prometheus = [
        "up{job=\"megaboard\"} == 0",
        "absent(up{job=\"megaboard\"})",
    ];
    for (name, alert) in alerts() {
        let expression = alert["expr"].trim_matches('\'');
        let found = exposed.check(expression);
        assert_eq!(found == 0, of_prometheus.contains(&expression), "{name}");
    }
}

#[test]
fn every_alert_has_a_severity_a_description_and_a_runbook() {
    let anchors = anchors();
    let alerts = alerts();
    assert!(alerts.len() >= 20, "{alerts:?}");
    for (name, alert) in &alerts {
        for part in [
            "expr",
            "for",
            "severity",
            "summary",
            "description",
            "runbook",
        ] {
            assert!(alert.contains_key(part), "{name} has no {part}");
        }
        let (page, anchor) = alert["runbook"].split_once('#').unwrap();
        assert_eq!(page, "docs/operations.md");
        assert_eq!(anchor, name.to_lowercase());
        assert!(
            anchors.contains(anchor),
            "{name}: docs/operations.md has no {anchor}"
        );
        assert!(["page", "ticket"].contains(&alert["severity"]), "{name}");
    }
    let sections = OPERATIONS
        .lines()
        .filter_map(|line| line.strip_prefix("### "));
    let named: BTreeSet<&str> = alerts.iter().map(|(name, _)| *name).collect();
    assert_eq!(sections.collect::<BTreeSet<_>>(), named);
}
