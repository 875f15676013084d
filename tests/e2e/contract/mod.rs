//! The document of the contract, compared with the running server: that it is served, that every example works and
//! every parameter is known, and that Schemathesis (`tests/contract`) finds no response that it does not describe. The
//! types for TypeScript are made from it (`tests/page/types`), and `tsc` checks all that uses them.

mod conformance;
mod examples;
mod operations;
mod parameters;
mod served;
mod stream;
mod types;

use testkit::Server;

use operations::Operation;

/// The kinds that the document's examples and the fuzzer speak of.
const CONFIG: &str = r#"
[kinds.gifts]
[kinds.races]
mode = "best"
fields = [{ name = "laps" }, { name = "seconds", order = "asc" }]
windows = ["week", "all"]
rank = "competition"
[kinds.best]
windows = ["all"]
retain = { keep = 2, approximate = true }
"#;

/// Members of boards of each kind.
const FILL: &str = include_str!("../../contract/fill.json");

fn fill(server: &Server) {
    let receipt = server.json("POST", "/v1/contributions", FILL).ok();
    assert_eq!(receipt["rejected_count"], 0, "{receipt}");
}
