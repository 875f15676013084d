//! Schemathesis makes requests of the document, right ones and wrong ones, and holds every answer
//! against it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;
use testkit::{Launch, dice};

use super::{CONFIG, fill};

/// Requests of an operation, beside those for each example and each bound.
const EXAMPLES: (usize, usize) = (6, 200);

/// `target/schemathesis`, where `tests/run` puts it.
fn schemathesis() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    let place = target.join("schemathesis/bin/schemathesis");
    assert!(
        place.exists(),
        "{} is missing: tests/run gets it; by hand: python3 -m venv {} && {} -r tests/contract/requirements.txt",
        place.display(),
        target.join("schemathesis").display(),
        target.join("schemathesis/bin/pip install").display(),
    );
    place
}

#[test]
fn every_response_is_in_the_document() {
    let server = Launch::on_a_free_port(CONFIG).start();
    fill(&server);
    let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join("contract");
    // What it keeps between runs would make two runs of one seed differ.
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
    let told = String::from_utf8_lossy(&output.stdout);
    println!("{told}\nschemathesis: seed {seed}, {:?}", begun.elapsed());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "seed {seed}: {told}\n{errors}");
}
