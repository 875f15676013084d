//! Logging to standard error: one line per event, as text or JSON.
//!
//! Lines that are logged during a request have its id, in both formats. No line has a key.

mod filter;
mod json;
mod keyless;
mod text;

use std::io::IsTerminal as _;

use clap::ValueEnum;
use serde::Deserialize;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, Registry, fmt};

pub(crate) use filter::of_environment;

/// The format of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// A layer of the subscriber.
pub(crate) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts logging what the filter selects. `also` receives everything.
pub(crate) fn begin(format: LogFormat, filter: Targets, also: Option<BoxedLayer>) {
    let mut lines = fmt::layer().with_writer(|| keyless::Lines(std::io::stderr()));
    // Else as NO_COLOR says.
    if !std::io::stderr().is_terminal() {
        lines.set_ansi(false);
    }
    let lines = match format {
        LogFormat::Text => lines.fmt_fields(text::Fields).with_filter(filter).boxed(),
        LogFormat::Json => lines.event_format(json::Line).with_filter(filter).boxed(),
    };
    let mut layers = vec![lines];
    layers.extend(also);
    tracing_subscriber::registry().with(layers).init();
}
