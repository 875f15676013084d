//! Log lines as JSON: one object per line, always with the same members.

use std::fmt;

use http_server::request_trace::current_request;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{FormatFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent};
use tracing_subscriber::registry::LookupSpan;

/// The field with the message of the event.
const MESSAGE: &str = "message";

/// Writes an event as `time`, `level`, `target`, `message`, `fields`, and the `request_id` and `trace_id` of its
/// request.
pub(super) struct Line;

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut line = json!({
            "time": time,
            "level": event.metadata().level().as_str(),
            "target": event.metadata().target(),
            "message": fields.0.remove(MESSAGE).unwrap_or_default(),
            "fields": fields.0,
        });
        if let Some(request) = current_request() {
            line["request_id"] = request.id().into();
            if let Some(trace) = request.trace() {
                line["trace_id"] = trace.to_string().into();
            }
        }
        writeln!(writer, "{line}")
    }
}

/// The fields of an event.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_i128(&mut self, field: &Field, value: i128) {
        match i64::try_from(value) {
            Ok(value) => self.put(field, value),
            Err(_) => self.record_debug(field, &value),
        }
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        match u64::try_from(value) {
            Ok(value) => self.put(field, value),
            Err(_) => self.record_debug(field, &value),
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    /// Collects the output for the test.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Written {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    #[test]
    fn an_event_is_an_object_with_typed_fields() {
        let written = Written::default();
        let lines = tracing_subscriber::fmt::layer()
            .event_format(Line)
            .with_writer(written.clone());
        let subscriber = tracing_subscriber::registry().with(lines);
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(count = 3, name = "a\nb", error = %"no", "it \"is\" so");
            tracing::info!(share = 0.5, yes = true, below = -1);
            // What `Duration::as_millis` returns.
            tracing::info!(loaded_ms = 7_u128, off_ms = -7_i128, huge = u128::MAX);
        });
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let [first, second, third] = &lines[..] else {
            panic!("{text}")
        };
        assert_eq!(first["level"], "WARN");
        assert_eq!(first["target"], "megaboard::logs::json::tests");
        assert_eq!(first["message"], "it \"is\" so");
        let fields = json!({"count": 3, "name": "a\nb", "error": "no"});
        assert_eq!(first["fields"], fields);
        assert!(first["time"].as_str().unwrap().ends_with('Z'));
        assert!(first.get("request_id").is_none());
        let fields = json!({"share": 0.5, "yes": true, "below": -1});
        assert_eq!(
            (&second["message"], &second["fields"]),
            (&Value::Null, &fields)
        );
        let fields = json!({"loaded_ms": 7, "off_ms": -7, "huge": u128::MAX.to_string()});
        assert_eq!(third["fields"], fields);
    }
}
