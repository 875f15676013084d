//! The `OpenAPI` document compared with the running server: that it is served, that every example
//! works and every parameter is accepted, and that Schemathesis (`tests/contract`) finds no
//! response that it does not describe. The types for TypeScript are generated from it
//! (`tests/page/types`), and `tsc` checks everything that uses them.

mod conformance;
mod examples;
mod operations;
mod parameters;
mod served;
mod stream;
mod types;

testkit::calls!(served);

use testkit::Server;

use operations::Operation;

/// The kinds used by the examples of the document and by the fuzzer.
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

/// Contributions to boards of each kind.
const FILL: &str = include_str!("../../contract/fill.json");

fn fill(server: &Server) {
    let receipt = server.json("POST", "/v1/contributions", FILL).ok();
    assert_eq!(receipt["rejected_count"], 0, "{receipt}");
    let profile = server.json(
        "PUT",
        "/v1/kinds/gifts/members/u1/profile",
        r#"{"name": "Ann"}"#,
    );
    assert_eq!(profile.status, 200, "{profile:?}");
}
