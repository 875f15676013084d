//! Requests as spans, to a collector that speaks OTLP: [`Traces`].
//!
//! Whether a request is traced is known before anything of it is made: by its caller's `traceparent`, or
//! by chance. Spans wait in a queue with an end; what finds no room there is not told, and no request
//! waits for a collector.

mod chosen;
mod collector;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

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
use request_trace::{TraceId, TraceParent, Tracer};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer as _;

use crate::logs::BoxedLayer;
use chosen::Chosen;
use collector::Collector;

/// Spans that wait to be sent; further ones are dropped.
const QUEUE_SPANS_MAX: usize = 8192;

/// Spans that are sent in one request.
const BATCH_SPANS_MAX: usize = 512;

/// How long the first of a batch waits for others.
const BATCH_WAIT_MAX: Duration = Duration::from_secs(1);

/// Attributes of one span.
const SPAN_ATTRIBUTES_MAX: u32 = 32;

/// How long a stop waits for what is still to be sent.
const FLUSH_WAIT_MAX: Duration = Duration::from_secs(5);

/// Where traces go, and how many.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TraceSettings {
    /// The collector's URL, without the path that OTLP has.
    pub(crate) collector: String,
    /// The part of requests whose caller is in no trace, from 0 to 1.
    pub(crate) sample: f64,
}

/// Traces on their way to a collector.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    sample: f64,
}

impl Traces {
    /// From now on spans are sent there.
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
        let processor = BatchSpanProcessor::builder(exporter)
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
            // What comes here was chosen already.
            .with_sampler(Sampler::AlwaysOn)
            .with_span_limits(limits)
            .with_resource(resource)
            .build();
        let sample = settings.sample;
        Ok(Self { provider, sample })
    }

    /// What has to hear of spans.
    pub(crate) fn layer(&self) -> BoxedLayer {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("megaboard"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(Chosen)
            .boxed()
    }

    /// What chooses requests.
    pub(crate) fn tracer(&self) -> Arc<dyn Tracer> {
        Arc::new(Choice(self.sample))
    }

    /// Sends what waits, for as long as that may take.
    pub(crate) fn end(self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_WAIT_MAX) {
            tracing::warn!(%error, "the last traces did not reach their collector");
        }
    }
}

/// Chooses requests by what their callers say, others by chance.
struct Choice(f64);

impl Tracer for Choice {
    fn takes(&self, parent: Option<&TraceParent>) -> bool {
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
            // Nothing but a span that has begun is refused; this one has just been made.
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
    fn a_caller_decides_and_without_one_chance_does() {
        for sample in [0.0, 1.0] {
            let choice = Choice(sample);
            assert!(choice.takes(Some(&parent(true))));
            assert!(!choice.takes(Some(&parent(false))));
            assert_eq!(choice.takes(None), sample > 0.5);
        }
        let half = Choice(0.5);
        let taken = (0..10_000).filter(|_| half.takes(None)).count();
        // Ten standard deviations.
        assert!((4_500..5_500).contains(&taken), "{taken}");
    }
}
