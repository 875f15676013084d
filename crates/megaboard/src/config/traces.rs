//! `[tracing]`: where traces go.

use serde::Deserialize;
use tools::server::server_url;

use crate::traces::TraceSettings;

/// The part of requests that is traced where nothing is said.
const SAMPLE_DEFAULT: f64 = 0.01;

/// The section, setting by setting.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TracingSection {
    /// A collector's URL.
    otlp: Option<String>,
    sample: Option<f64>,
    /// Networks and addresses of callers who decide which of their requests are traced.
    pub(super) trusted: Vec<String>,
}

/// Why the section cannot be used. Never repeats the URL: a password or a token may be in it.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum TracingError {
    #[error("otlp: {0}")]
    Collector(String),
    #[error("sample: {0} is not from 0 to 1")]
    Sample(f64),
}

impl TracingSection {
    /// What it says; nothing where no collector is named.
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
        let told = Some(TraceSettings { collector, sample });
        assert_eq!(settings("otlp = \"http://a:4318/\""), Ok(told));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for sample in ["-0.1", "1.1", "nan", "inf"] {
            let told = settings(&format!("sample = {sample}")).unwrap_err();
            assert!(told.to_string().starts_with("sample: "), "{told}");
        }
        let told = settings("otlp = \"a:4318\"").unwrap_err().to_string();
        assert!(told.starts_with("otlp: it must look like "), "{told}");
        for url in [
            "http://u:s3cret@a",
            "http://a?key=s3cret",
            "http://s3cret a",
        ] {
            let told = settings(&format!("otlp = {url:?}")).unwrap_err();
            let told = told.to_string();
            assert!(told.starts_with("otlp: "), "{told}");
            assert!(!told.contains("s3cret"), "{told}");
        }
    }
}
