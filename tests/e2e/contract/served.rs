//! The document and its page are served, without a key.

use std::path::Path;

use testkit::Server;

#[test]
fn the_served_document_is_the_file() {
    let served = Server::start().get("/openapi.json");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    let kept = std::fs::read_to_string(path).unwrap();
    assert_eq!(served.ok()["openapi"], "3.1.0");
    assert!(
        served.body == kept,
        "the server was built before the file was written"
    );
}
