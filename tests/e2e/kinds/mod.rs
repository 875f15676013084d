//! `/v1/kinds`: kinds at run time.

mod changes;
mod refusals;
mod seen;
mod settings_and_end;

use serde_json::Value;
use testkit::Server;

/// A kind as the server shows it, with one setting changed.
fn with(server: &Server, kind: &str, setting: &str, value: Value) -> Value {
    let mut shape = server.get(format!("/v1/kinds/{kind}")).ok();
    shape[setting] = value;
    shape
}
