//! [`Format`]: the formats of `GET /metrics`, chosen by `Accept`.
//!
//! Metrics are written as `OpenMetrics` 1.0. For scrapers that do not accept it, they are converted line by line to the
//! text format of Prometheus, 0.0.4.

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};

/// A format of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `OpenMetrics` 1.0.
    OpenMetrics,
    /// The text format of Prometheus, 0.0.4, which every scraper reads.
    Text,
}

/// The media types of the formats, as `Accept` names them.
const OPEN_METRICS: &str = "application/openmetrics-text";
const TEXT: &str = "text/plain";

/// Versions of `OpenMetrics` that a scraper may name; Prometheus up to 2.38 named 1.0.0 as 0.0.1.
const VERSIONS: [&str; 2] = ["1.0.0", "0.0.1"];

impl Format {
    /// Returns the format for a request: `OpenMetrics` only if it is named, and not with a lower quality than plain
    /// text.
    #[must_use]
    pub fn wanted(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(ACCEPT).iter();
        let accepted = accepted.filter_map(|value| value.to_str().ok());
        let (mut open_metrics, mut text) = (0.0_f32, 0.0_f32);
        for range in accepted.flat_map(|value| value.split(',')) {
            let range = Range::read(range);
            if range.is(OPEN_METRICS) && range.version.is_none_or(|v| VERSIONS.contains(&v)) {
                open_metrics = open_metrics.max(range.quality);
            } else if range.is(TEXT) {
                text = text.max(range.quality);
            }
        }
        if open_metrics > 0.0 && open_metrics >= text {
            Self::OpenMetrics
        } else {
            Self::Text
        }
    }

    /// Returns the value of `Content-Type`.
    #[must_use]
    pub const fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
        })
    }

    /// Converts `OpenMetrics` to this format.
    #[must_use]
    pub fn write(self, open_metrics: String) -> String {
        match self {
            Self::OpenMetrics => open_metrics,
            Self::Text => text_of(&open_metrics),
        }
    }
}

/// One media range of `Accept`.
struct Range<'a> {
    media_type: &'a str,
    version: Option<&'a str>,
    quality: f32,
}

impl<'a> Range<'a> {
    fn read(range: &'a str) -> Self {
        let mut parts = range.split(';').map(str::trim);
        let mut read = Self {
            media_type: parts.next().unwrap_or_default(),
            version: None,
            quality: 1.0,
        };
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "q" => read.quality = value.parse().unwrap_or(0.0),
                "version" => read.version = Some(value),
                _ => {}
            }
        }
        read
    }

    const fn is(&self, media_type: &str) -> bool {
        self.media_type.eq_ignore_ascii_case(media_type)
    }
}

/// Converts to the text format of Prometheus: a family has the name of its samples, an info is a gauge, and there are
/// neither units nor an end.
fn text_of(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = "";
    for line in open_metrics.lines() {
        if let Some(text) = line.strip_prefix("# HELP ") {
            // Written when the type is known.
            help = text;
        } else if let Some((name, kind)) = type_of(line) {
            let (suffix, kind) = match kind {
                "counter" => ("_total", kind),
                "info" => ("_info", "gauge"),
                "unknown" => ("", "untyped"),
                _ => ("", kind),
            };
            let help = help.strip_prefix(name).unwrap_or_default();
            text.extend(["# HELP ", name, suffix, help, "\n"]);
            text.extend(["# TYPE ", name, suffix, " ", kind, "\n"]);
        } else if !line.starts_with('#') {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

fn type_of(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("# TYPE ")?.split_once(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counter, Histogram, Info, Registry, SIZES, Unit, text};

    fn wanted(accept: &[&str]) -> Format {
        let accept = accept.iter();
        let accept = accept.map(|value| (ACCEPT, HeaderValue::from_str(value).unwrap()));
        Format::wanted(&accept.collect())
    }

    #[test]
    fn open_metrics_is_for_scrapers_that_name_it() {
        for accept in [
            &["application/openmetrics-text"][..],
            &[
                "application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            ],
            &[
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
               application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,\
               text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
            ],
            &[
                "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;q=0.7,\
               Application/OpenMetrics-Text; Version=\"1.0.0\"; Q=0.6",
            ],
            &["text/plain;q=0.5", "application/openmetrics-text"],
        ] {
            assert_eq!(wanted(accept), Format::OpenMetrics, "{accept:?}");
        }
    }

    #[test]
    fn other_scrapers_get_plain_text() {
        for accept in [
            &[][..],
            &[""],
            &["*/*"],
            &["text/html,application/xhtml+xml,*/*;q=0.8"],
            &["text/plain;version=0.0.4;q=1,*/*;q=0.1"],
            &["text/plain, application/openmetrics-text;q=0.5"],
            &["application/openmetrics-text;q=0"],
            &["application/openmetrics-text;q=high"],
            &["application/openmetrics-text; version=2.0.0"],
            &["application/*"],
        ] {
            assert_eq!(wanted(accept), Format::Text, "{accept:?}");
        }
    }

    #[test]
    fn families_of_plain_text_have_the_names_of_their_samples() {
        let mut registry = Registry::default();
        let (counter, sizes) = (Counter::default(), Histogram::new(&SIZES));
        counter.inc();
        sizes.observe_count(2);
        registry.register_with_unit("busy", "Time at work", Unit::Seconds, counter);
        registry.register("build", "The binary", Info::new([("version", "1.0")]));
        registry.register("sizes", "Sizes # of \\ all", sizes);
        let mut encoded = String::new();
        text::encode(&mut encoded, &registry).unwrap();
        assert!(encoded.contains("# UNIT busy_seconds seconds\n") && encoded.ends_with("# EOF\n"));
        assert_eq!(Format::OpenMetrics.write(encoded.clone()), encoded);
        let plain = Format::Text.write(encoded);
        let begin = "# HELP busy_seconds_total Time at work.\n\
            # TYPE busy_seconds_total counter\n\
            busy_seconds_total 1\n\
            # HELP build_info The binary.\n\
            # TYPE build_info gauge\n\
            build_info{version=\"1.0\"} 1\n\
            # HELP sizes Sizes # of \\ all.\n\
            # TYPE sizes histogram\n\
            sizes_";
        assert!(plain.starts_with(begin), "{plain}");
        assert!(plain.contains("\nsizes_bucket{le=\"+Inf\"} 1\n"), "{plain}");
        assert!(
            !plain.contains("# UNIT") && !plain.contains("# EOF"),
            "{plain}"
        );
    }
}
