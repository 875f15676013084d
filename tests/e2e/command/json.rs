//! `--json`: the result of a command is one line of JSON on standard output.

use serde_json::{Value, json};
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
fn a_top_is_as_the_server_returns_it() {
    let server = Server::with(
        "[kinds.races]\nwindows = [\"all\"]\nfields = [{ name = \"laps\" }, { name = \"a\" }]\n",
    );
    let item = json!({"board": "races/x", "member": "u1", "values": {"laps": 3}, "at": "2026-11-20T14:52:22.123000Z"});
    server.contribute(&item).ok();
    let mut top = result(&["top", "races/x", "--server", server.url()]);
    let mut expected = server.get("/v1/boards/races/x/top").ok();
    for top in [&mut top, &mut expected] {
        assert!(top["as_of"].take().is_string());
    }
    assert_eq!(top, expected);
}

#[test]
fn hiding_returns_the_kinds() {
    let server = Server::start();
    let hidden = result(&["member", "hide", "u1", "--server", server.url()]);
    assert_eq!(hidden, json!({"member": "u1", "hidden_in": ["gifts"]}));
    let hidden = result(&["member", "show", "u1", "--server", server.url()]);
    assert_eq!(hidden, json!({"member": "u1", "hidden_in": []}));
}

#[test]
fn export_and_import_return_their_counts() {
    let server = Server::start();
    server.give("gifts/a", &[("u1", 5), ("u2", 9)]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ndjson");
    let file = file.to_str().unwrap();
    let flags = ["export", "gifts/a", "--window", "all", "--output", file];
    let exported = result(&[&flags[..], &["--server", server.url()]].concat());
    assert_eq!(
        [
            &exported["standings"],
            &exported["windows"],
            &exported["boards"],
            &exported["lists"],
            &exported["hidden"]
        ],
        [&2, &1, &1, &0, &0]
    );
    let run = cli::run(
        &["export", "gifts/a", "--json", "--server", server.url()],
        b"",
    );
    assert_eq!(
        run.status,
        Some(2),
        "standard output has the standings: {run:?}"
    );
    let imported = result(&["import", file, "--server", server.url()]);
    for (name, count) in [
        ("applied", 2),
        ("partial", 0),
        ("duplicates", 0),
        ("skipped", 0),
        ("rejected", 0),
        ("unreadable", 0),
        ("failed", 0),
    ] {
        assert_eq!(imported[name], count, "{name}: {imported}");
    }
    assert!(imported["seconds"].is_f64(), "{imported}");
}

#[test]
fn verify_and_key_new_return_what_they_print() {
    let verified = result(&["verify", "--store", "memory:"]);
    let counts =
        json!({"boards": 0, "standings": 0, "disagreements": 0, "repaired": 0, "orphaned_keys": 0});
    assert_eq!(verified, counts);
    let key = result(&[
        "key", "new", "--scope", "write", "--kind", "gifts", "--name", "n",
    ]);
    assert_eq!(
        (&key["name"], &key["scope"], &key["kinds"]),
        (&json!("n"), &json!("write"), &json!(["gifts"]))
    );
    assert!(key["key"].as_str().unwrap().starts_with("mb_"), "{key}");
    assert!(
        key["hash"].as_str().unwrap().starts_with("sha256:"),
        "{key}"
    );
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
