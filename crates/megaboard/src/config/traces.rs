//! `[tracing]`: where traces are sent.

use commands::server::server_url;
use serde::Deserialize;

use crate::traces::TraceSettings;

/// The default fraction of requests that is traced.
const SAMPLE_DEFAULT: f64 = 0.01;

/// The section.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TracingSection {
    /// The URL of a collector.
    otlp: Option<String>,
    sample: Option<f64>,
    /// Networks and addresses of clients that decide which of their requests are traced.
    pub(super) trusted: Vec<String>,
}

/// Why the section is rejected. Never repeats the URL, which may contain a password or a token.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum TracingError {
    #[error("otlp: {0}")]
    Collector(String),
    #[error("sample: {0} is not between 0 and 1")]
    Sample(f64),
}

impl TracingSection {
    /// Returns the settings; `None` without a collector.
    pub(super) fn settings(&self) -> Result<Option<TraceSettings>, TracingError> {
        let sample = self.sample.unwrap_or(SAMPLE_DEFAULT);
        if !(0.0..=1.0).contains(&sample) {
            return Err(TracingError::Sample(sample));
        }
        let Some(text) = &self.otlp else {
            return Ok(None);
        };
        let collector = server_url(text).map_err(TracingError::Collector)?;
        Ok(Some(TraceSettings { collector, sample }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<Option<TraceSettings>, TracingError> {
        toml::from_str::<TracingSection>(text).unwrap().settings()
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
    fn errors_name_the_setting_but_not_the_url() {
        for sample in ["-0.1", "1.1", "nan", "inf"] {
            let error = settings(&format!("sample = {sample}")).unwrap_err();
            assert!(error.to_string().starts_with("sample: "), "{error}");
        }
        let error = settings("otlp = \"a:4318\"").unwrap_err().to_string();
        assert!(error.starts_with("otlp: it must look like "), "{error}");
        for url in [
            "http://u:s3cret@a",
            "http://a?key=s3cret",
            "http://s3cret a",
        ] {
            let error = settings(&format!("otlp = {url:?}")).unwrap_err();
            let error = error.to_string();
            assert!(error.starts_with("otlp: "), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
