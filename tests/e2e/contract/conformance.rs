//! Schemathesis sends valid and invalid requests, generated from the document, and checks every
//! response against it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;
use testkit::{Launch, dice};

use super::{CONFIG, fill};

/// Requests per operation, besides those for each example and each bound.
const EXAMPLES: (usize, usize) = (6, 200);

/// Returns the path of the program, which `tests/run` installs into `target/schemathesis`.
fn schemathesis() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    let path = target.join("schemathesis/bin/schemathesis");
    assert!(
        path.exists(),
        "{} is missing: tests/run gets it; by hand: python3 -m venv {} && {} -r tests/contract/requirements.txt",
        path.display(),
        target.join("schemathesis").display(),
        target.join("schemathesis/bin/pip install").display(),
    );
    path
}

#[test]
fn every_response_is_in_the_document() {
    let server = Launch::on_a_free_port(CONFIG).start();
    fill(&server);
    let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join("contract");
    // Schemathesis keeps examples between runs, which would make two runs of one seed differ.
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(schemathesis());
    command.current_dir(folder.path());
    command.env("SCHEMATHESIS_HOOKS", contract.join("hooks.py"));
    command
        .arg("--config-file")
        .arg(contract.join("schemathesis.toml"));
    command.args([
        "run",
        &format!("{}/openapi.json", server.url()),
        "--no-color",
    ]);
    // Its seeds have 32 bits.
    let seed = dice::seed() & u64::from(u32::MAX);
    command.args(["--seed", &seed.to_string()]);
    let examples = dice::runs(EXAMPLES.0, EXAMPLES.1);
    command.args(["--max-examples", &examples.to_string()]);
    let begun = Instant::now();
    let output = command.output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    println!("{report}\nschemathesis: seed {seed}, {:?}", begun.elapsed());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "seed {seed}: {report}\n{errors}");
}
