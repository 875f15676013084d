//! `/v1/kinds`: kinds at run time.

mod changes;
mod if_match;
mod refusals;
mod settings_and_deletion;

use serde_json::Value;
use testkit::Server;

/// Returns a kind as the server shows it, with one setting changed.
fn with(server: &Server, kind: &str, setting: &str, value: Value) -> Value {
    let mut shape = server.get(format!("/v1/kinds/{kind}")).ok();
    shape[setting] = value;
    shape
}
