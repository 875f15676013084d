//! `[tracing]`: where traces are sent.

use commands::server::server_url;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::bounds::within;
use crate::traces::TraceSettings;

/// The default fraction of requests that is traced.
const SAMPLE_DEFAULT: f64 = 0.01;

/// The section.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TracingSection {
    /// The URL of a collector.
    #[serde(deserialize_with = "collector")]
    otlp: Option<String>,
    #[serde(deserialize_with = "share")]
    sample: Option<f64>,
    /// Networks and addresses of clients that decide which of their requests are traced.
    pub(super) trusted: Vec<String>,
}

/// Reads the URL of a collector. The error does not repeat it: it may contain a password or a token.
fn collector<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    server_url(&text).map(Some).map_err(Error::custom)
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    within(deserializer, 0.0..=1.0).map(Some)
}

impl TracingSection {
    /// Returns the settings; `None` without a collector.
    pub(crate) fn settings(&self) -> Option<TraceSettings> {
        Some(TraceSettings {
            collector: self.otlp.clone()?,
            sample: self.sample.unwrap_or(SAMPLE_DEFAULT),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<Option<TraceSettings>, toml::de::Error> {
        toml::from_str::<TracingSection>(text).map(|section| section.settings())
    }

    #[test]
    fn nothing_is_traced_without_a_collector() {
        assert_eq!(settings(""), Ok(None));
        assert_eq!(settings("sample = 0.5"), Ok(None));
        let (collector, sample) = ("http://a:4318".to_owned(), 0.01);
        let expected = Some(TraceSettings { collector, sample });
        assert_eq!(settings("otlp = \"http://a:4318/\""), Ok(expected));
    }

    #[test]
    fn errors_do_not_repeat_the_url() {
        for sample in ["-0.1", "1.1", "nan", "inf"] {
            let error = settings(&format!("sample = {sample}")).unwrap_err();
            assert_eq!(error.message(), "it is not between 0 and 1");
        }
        for url in [
            "a:4318",
            "http://u:s3cret@a",
            "http://a?key=s3cret",
            "http://s3cret a",
        ] {
            let error = settings(&format!("otlp = {url:?}")).unwrap_err();
            assert!(!error.message().contains("s3cret"), "{error}");
        }
    }
}
