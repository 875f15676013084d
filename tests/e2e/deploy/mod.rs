//! The files of `deploy/` compared with the program: its command lines, addresses, variables and
//! settings.

mod compose;
mod image;
mod kubernetes;
mod release;
mod rolling;
mod unit;

use std::path::PathBuf;

use serde_json::Value;
use testkit::{Launch, Server, cli};

/// The port used by all files.
const PORT: u64 = 8080;

/// The seconds that a stop may take: 5 for the drain, 35 for requests under way, 5 for pending
/// publications, 5 for the last traces, and some more to close the store.
const STOP_S: u64 = 55;

fn path(name: &str) -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap().join("deploy").join(name)
}

fn text(name: &str) -> String {
    let read = std::fs::read_to_string(path(name));
    read.unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn yaml(name: &str) -> Value {
    let read = serde_saphyr::from_str(&text(name));
    read.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the strings of an array.
fn texts(list: &Value) -> Vec<&str> {
    let list = list
        .as_array()
        .unwrap_or_else(|| panic!("not an array: {list}"));
    list.iter().map(|item| item.as_str().unwrap()).collect()
}

/// Asserts that the program accepts a command line. The program parses what precedes the last flag.
#[track_caller]
fn assert_accepts(arguments: &[&str]) {
    let run = cli::run(&[arguments, &["--help"]].concat(), b"");
    assert_eq!(run.status, Some(0), "{arguments:?}: {}", run.stderr);
}

/// Asserts that the program documents these environment variables.
#[track_caller]
fn assert_reads<'a>(names: impl IntoIterator<Item = &'a str>) {
    let serve = cli::run(&["serve", "--help"], b"").stdout;
    for name in names {
        // The only variable without a flag.
        let is_read = name == "MEGABOARD_LOG"
            || serve.contains(&format!("[env: {name}="))
            || serve.contains(&format!("[env: {name}]"));
        assert!(is_read, "{name}: {serve}");
    }
}

/// Starts a server for other machines, with a configuration file, in memory.
#[track_caller]
fn started_with(config: &str) -> Server {
    let launch = Launch::new().file("megaboard.toml", config);
    launch.args("--listen 0.0.0.0:0 --store memory:").start()
}

#[test]
fn an_invalid_command_line_is_rejected() {
    for wrong in [
        &["serve", "--port=1"][..],
        &["serve", "--open=perhaps"],
        &["sing"],
    ] {
        let run = cli::run(&[wrong, &["--help"]].concat(), b"");
        assert_eq!(run.status, Some(2), "{wrong:?}: {}", run.stdout);
    }
}
