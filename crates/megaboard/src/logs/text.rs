//! Log lines as text: the usual format, with the request at the end.

use std::fmt;

use http_server::request_trace::current_request;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};

/// Writes the fields of an event, and the ids of its request.
pub(super) struct Fields;

impl<'a> FormatFields<'a> for Fields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'a>, fields: R) -> fmt::Result {
        DefaultFields::new().format_fields(writer.by_ref(), fields)?;
        let Some(request) = current_request() else {
            return Ok(());
        };
        write!(writer, " request_id={}", request.id())?;
        match request.trace() {
            Some(trace) => write!(writer, " trace_id={trace}"),
            None => Ok(()),
        }
    }
}
