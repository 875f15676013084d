//! `GET /metrics` responds in the requested format.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use testkit::{Exposition, Server};

/// The `Accept` header of Prometheus 3.
const PROMETHEUS: &str = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
    application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,\
    text/plain;version=0.0.4;q=0.3,*/*;q=0.2";

/// Returns the series of a text in the Prometheus format 0.0.4, and asserts that each belongs to
/// the family above it.
fn series(text: &str) -> BTreeSet<String> {
    let mut kinds = BTreeMap::new();
    let mut helped = "";
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            helped = help.split_once(' ').expect(line).0;
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect(line);
            assert_eq!(name, helped, "{line}");
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert_eq!(kinds.insert(name, kind), None, "{line}: a second time");
        } else {
            assert!(!line.starts_with('#'), "{line}");
            let (series, _) = line.rsplit_once(' ').expect(line);
            let name = series.split('{').next().unwrap();
            let mut ends = ["_bucket", "_sum", "_count"].iter();
            let family = match kinds[helped] {
                "histogram" => ends.find_map(|end| name.strip_suffix(end)),
                _ => Some(name),
            };
            assert_eq!(family, Some(helped), "{line}");
            assert!(found.insert(series.to_owned()), "{line}: a second time");
        }
    }
    found
}

#[test]
fn old_scrapers_get_plain_text_with_the_same_series() {
    let server = Server::start();
    let item = json!([{"board": "gifts/a", "member": "u", "points": 1}]);
    server.contribute(&item).ok();
    // A scrape is counted in the next one.
    for accept in [PROMETHEUS, "text/plain"] {
        server.get_with("/metrics", &[("accept", accept)]);
    }
    let text = server.get_with("/metrics", &[("accept", "text/plain;version=0.0.4")]);
    assert_eq!(text.status, 200);
    assert_eq!(
        text.header("content-type"),
        "text/plain; version=0.0.4; charset=utf-8"
    );
    assert_eq!(text.header("vary"), "accept");
    let open_metrics = server.get_with("/metrics", &[("accept", PROMETHEUS)]);
    assert_eq!(
        open_metrics.header("content-type"),
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    );
    let samples = Exposition::read(&open_metrics.body).samples().count();
    let series = series(&text.body);
    assert_eq!(series.len(), samples);
    assert!(series.contains("megaboard_ready"), "{series:?}");
    // Without `Accept` the response is plain text.
    let plain = server.get("/metrics");
    assert_eq!(plain.header("content-type"), text.header("content-type"));
}
