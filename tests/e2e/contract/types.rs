//! The types for TypeScript are made from the document, and all that is shown of them passes `tsc`.

use std::path::Path;
use std::process::Command;

use crate::page::scripts;

/// What a script of `tests/page/types` prints, and whether it ended well.
#[track_caller]
fn told_by(script: &str) -> (String, bool) {
    let output = Command::new("node")
        .arg(scripts().join("types").join(script))
        .output()
        .expect("node runs: apt-get install nodejs, or tests/run");
    let said = String::from_utf8_lossy(&output.stderr);
    eprint!("{said}");
    let told = String::from_utf8(output.stdout).unwrap();
    (told, output.status.success())
}

#[test]
fn the_types_are_those_of_the_document() {
    let (made, ended_well) = told_by("make.mjs");
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

/// The example, the lines in `docs/clients.md`, and right and wrong uses of the shapes (`uses.ts`).
#[test]
fn what_uses_the_types_passes_and_wrong_uses_do_not() {
    let (faults, ended_well) = told_by("check.mjs");
    assert!(ended_well && faults.is_empty(), "{faults}");
}
