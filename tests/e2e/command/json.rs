//! `--json`: the result of a command is one line of JSON on standard output.

use serde_json::Value;
use testkit::{Server, cli};

/// Runs a command that succeeds. Returns its only line.
#[track_caller]
fn result(arguments: &[&str]) -> Value {
    let run = cli::run(&[arguments, &["--json"]].concat(), b"");
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 1, "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn load_returns_the_counts_of_its_file() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().to_str().unwrap();
    let flags = [
        "load",
        "--rate",
        "50",
        "--duration",
        "1s",
        "--results",
        results,
        "--clean",
    ];
    let counts = result(&[&flags[..], &["--server", server.url()]].concat());
    let written = std::fs::read(folder.path().join("load.json")).unwrap();
    assert_eq!(counts, serde_json::from_slice::<Value>(&written).unwrap());
    assert!(counts["contributions"]["applied"].is_u64(), "{counts}");
}
