//! The types for TypeScript are generated from the document, and everything that uses them passes
//! `tsc`.

use std::path::Path;
use std::process::Command;

use crate::page::scripts;

/// Runs a script of `tests/page/types`. Returns its output and whether it succeeded.
#[track_caller]
fn run(script: &str) -> (String, bool) {
    let output = Command::new("node")
        .arg(scripts().join("types").join(script))
        .output()
        .expect("node is missing: apt-get install nodejs, or tests/run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    eprint!("{stderr}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    (stdout, output.status.success())
}

#[test]
fn the_types_are_generated_from_the_document() {
    let (made, ended_well) = run("make.mjs");
    assert!(ended_well, "make.mjs");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/typescript/megaboard.d.ts");
    let kept = std::fs::read_to_string(path).unwrap();
    let different = made.lines().zip(kept.lines()).position(|(a, b)| a != b);
    assert!(
        made == kept,
        "docs/typescript/megaboard.d.ts is not what docs/openapi.json makes from line {} on; write it anew and look at \
         what has changed: npm run types --prefix tests/page",
        different.unwrap_or_else(|| made.lines().count().min(kept.lines().count())) + 1
    );
}

/// The example, the lines in `docs/clients.md`, and valid and invalid uses of the types
/// (`uses.ts`).
#[test]
fn valid_uses_of_the_types_pass_and_invalid_ones_fail() {
    let (faults, ended_well) = run("check.mjs");
    assert!(ended_well && faults.is_empty(), "{faults}");
}
