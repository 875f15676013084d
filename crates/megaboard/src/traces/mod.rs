//! Sends requests as spans to a collector, by OTLP: [`Traces`].
//!
//! Whether a request is traced is decided before any span is created: by the caller's `traceparent`, or at random.
//! Spans wait in a bounded queue and are dropped if it is full; no request waits for a collector.

mod chosen;
mod collector;
mod keyless;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http_server::request_trace::{TraceId, TraceParent, Tracer};
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceState, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter};
use opentelemetry_otlp::{WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider, SpanLimits,
};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer as _;

use crate::logs::BoxedLayer;
use chosen::Chosen;
use collector::Collector;
use keyless::Keyless;

/// Maximum spans that wait to be sent; further ones are dropped.
const QUEUE_SPANS_MAX: usize = 8192;

/// Maximum spans in one request.
const BATCH_SPANS_MAX: usize = 512;

/// How long the first span of a batch waits for others.
const BATCH_WAIT_MAX: Duration = Duration::from_secs(1);

/// Maximum attributes of one span.
const SPAN_ATTRIBUTES_MAX: u32 = 32;

/// How long a stop waits for spans that are still to be sent.
const FLUSH_WAIT_MAX: Duration = Duration::from_secs(5);

/// Where traces are sent, and how many.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TraceSettings {
    /// The collector's URL, without the path of OTLP.
    pub(crate) collector: String,
    /// The fraction of requests without a `traceparent` that is traced, from 0 to 1.
    pub(crate) sample: f64,
}

/// The pipeline of traces to a collector.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    sample: f64,
}

impl Traces {
    /// Starts the pipeline.
    pub(crate) fn begin(settings: &TraceSettings) -> Result<Self, Box<dyn Error>> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(format!("{}{}", settings.collector, collector::PATH))
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(collector::SEND_WAIT_MAX)
            .with_http_client(Collector::at(&settings.collector)?)
            .build()?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE_SPANS_MAX)
            .with_max_export_batch_size(BATCH_SPANS_MAX)
            .with_scheduled_delay(BATCH_WAIT_MAX)
            .build();
        let processor = BatchSpanProcessor::builder(Keyless(exporter))
            .with_batch_config(batches)
            .build();
        let limits = SpanLimits {
            max_attributes_per_span: SPAN_ATTRIBUTES_MAX,
            ..SpanLimits::default()
        };
        let resource = Resource::builder()
            .with_service_name("megaboard")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(processor)
            // Spans were sampled before they come here.
            .with_sampler(Sampler::AlwaysOn)
            .with_span_limits(limits)
            .with_resource(resource)
            .build();
        let sample = settings.sample;
        Ok(Self { provider, sample })
    }

    /// Returns the layer that records spans.
    pub(crate) fn layer(&self) -> BoxedLayer {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("megaboard"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(Chosen)
            .boxed()
    }

    /// Returns the sampler of requests.
    pub(crate) fn tracer(&self) -> Arc<dyn Tracer> {
        Arc::new(Choice(self.sample))
    }

    /// Sends the spans that wait, within a time limit.
    pub(crate) fn end(self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_WAIT_MAX) {
            tracing::warn!(%error, "the last traces could not be sent to the collector");
        }
    }
}

/// Samples requests by their `traceparent`, others at random.
struct Choice(f64);

impl Tracer for Choice {
    fn samples(&self, parent: Option<&TraceParent>) -> bool {
        match parent {
            Some(parent) => parent.is_sampled,
            None => fastrand::f64() < self.0,
        }
    }

    fn join(&self, span: &Span, parent: Option<&TraceParent>) -> TraceId {
        if let Some(parent) = parent {
            let parent = SpanContext::new(
                opentelemetry::TraceId::from_bytes(parent.trace.0),
                SpanId::from_bytes(parent.span),
                TraceFlags::SAMPLED,
                true,
                TraceState::NONE,
            );
            // Fails only for a span that has begun; this one was just created.
            let _ = span.set_parent(Context::new().with_remote_span_context(parent));
        }
        TraceId(span.context().span().span_context().trace_id().to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parent(is_sampled: bool) -> TraceParent {
        TraceParent {
            trace: TraceId([7; 16]),
            span: [1; 8],
            is_sampled,
        }
    }

    #[test]
    fn the_traceparent_decides_and_otherwise_the_sample_rate() {
        for sample in [0.0, 1.0] {
            let choice = Choice(sample);
            assert!(choice.samples(Some(&parent(true))));
            assert!(!choice.samples(Some(&parent(false))));
            assert_eq!(choice.samples(None), sample > 0.5);
        }
        let half = Choice(0.5);
        let taken = (0..10_000).filter(|_| half.samples(None)).count();
        // Ten standard deviations.
        assert!((4_500..5_500).contains(&taken), "{taken}");
    }
}
