//! The document of the contract, held against the running server: that it is served, that its examples
//! work and its parameters are known, and that nothing is answered which it does not tell of.

mod conformance;
mod examples;
mod operations;
mod parameters;
mod served;
mod stream;

use end_to_end::Server;
use serde_json::json;

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

/// Puts members on boards of each kind.
fn fill(server: &Server) {
    let points = [("u1", 999), ("u2", 500), ("u3", 7)];
    server.give("gifts/room-8842", &points);
    server.give("best/room-8842", &points);
    let race =
        json!({"board": "races/room-8842", "member": "u1", "values": {"laps": 3, "seconds": 9}});
    assert_eq!(server.contribute(&race).ok()["applied"], 1);
}
