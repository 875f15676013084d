//! The document is the reviewed file, so that changes of the contract are reviewed.

use std::path::Path;

use super::super::document::document;

/// If set, the file is regenerated.
const UPDATE: &str = "MEGABOARD_UPDATE";

#[test]
fn the_contract_is_what_the_file_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let made = document().to_pretty_json().unwrap() + "\n";
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let different = made.lines().zip(kept.lines()).position(|(a, b)| a != b);
    assert!(
        made == kept,
        "the contract is not what docs/openapi.json says from line {} on; if that is meant, write the file \
         anew and look at what has changed: {UPDATE}=1 cargo test -p api --lib openapi",
        different.unwrap_or_else(|| made.lines().count().min(kept.lines().count())) + 1
    );
}
