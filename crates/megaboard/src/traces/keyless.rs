//! Removes keys from spans: [`Keyless`].

use std::time::Duration;

use opentelemetry::Value;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use wire::problem::without_keys;

/// An exporter of spans, without the keys in their attributes: a caller may have sent its key in a path.
#[derive(Debug)]
pub(super) struct Keyless<E>(pub(super) E);

impl<E: SpanExporter> SpanExporter for Keyless<E> {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        let attributes = batch.iter_mut().flat_map(|span| &mut span.attributes);
        for attribute in attributes {
            if let Value::String(text) = &attribute.value {
                attribute.value = without_keys(text.as_str()).into();
            }
        }
        self.0.export(batch).await
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}
