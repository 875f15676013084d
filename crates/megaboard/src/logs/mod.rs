//! What the server says of itself, on standard error: a line an event, to be read or as JSON.
//!
//! Whatever is logged while a request is answered says which one, in both forms.

mod filter;
mod json;
mod text;

use std::io::IsTerminal as _;

use clap::ValueEnum;
use serde::Deserialize;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, Registry, fmt};

pub(crate) use filter::of_environment;

/// How lines look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// To be read.
    #[default]
    Text,
    /// An object a line.
    Json,
}

/// A part of what listens to events and spans.
pub(crate) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// From here on what the filter lets through is logged, and `also` hears of everything.
pub(crate) fn begin(format: LogFormat, filter: Targets, also: Option<BoxedLayer>) {
    let lines = fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let lines = match format {
        LogFormat::Text => lines.fmt_fields(text::Fields).with_filter(filter).boxed(),
        LogFormat::Json => lines.event_format(json::Line).with_filter(filter).boxed(),
    };
    let mut layers = vec![lines];
    layers.extend(also);
    tracing_subscriber::registry().with(layers).init();
}
