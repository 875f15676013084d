//! Which spans are created: those of sampled requests, and spans within them.

use shard_router::TRACE_TARGET;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Filter};
use tracing_subscriber::registry::LookupSpan;

/// The root span of a request, which exists if the request is sampled.
const ROOT: &str = "request";

/// A filter that passes spans that begin a trace or are within one.
pub(super) struct Chosen;

fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target() == TRACE_TARGET
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Filter<S> for Chosen {
    fn enabled(&self, metadata: &Metadata<'_>, context: &Context<'_, S>) -> bool {
        is_ours(metadata) && (metadata.name() == ROOT || context.lookup_current().is_some())
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if is_ours(metadata) {
            // Whether a span is within a trace differs from call to call.
            Interest::sometimes()
        } else {
            Interest::never()
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }
}
