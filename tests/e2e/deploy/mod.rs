//! The files of `deploy/`, held against the program: what they call it with, where they look for it, and the
//! settings that they give it.

mod compose;
mod image;
mod kubernetes;
mod release;
mod unit;

use std::path::PathBuf;

use serde_json::Value;
use testkit::{Launch, Server, cli};

/// The port that the files agree on.
const PORT: u64 = 8080;

/// Seconds that a stop may take: 35 for requests under way, 5 for what is still to be published, 5 for the last traces, and some
/// to close.
const STOP_S: u64 = 50;

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

/// The texts of a list.
fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().map(|item| item.as_str().unwrap()).collect()
}

/// Holds a command line against the program, which reads what stands before the last flag.
#[track_caller]
fn takes(arguments: &[&str]) {
    let told = cli::run(&[arguments, &["--help"]].concat(), b"");
    assert_eq!(told.status, Some(0), "{arguments:?}: {}", told.stderr);
}

/// Holds names of the environment against what the program says that it reads.
#[track_caller]
fn reads<'a>(names: impl IntoIterator<Item = &'a str>) {
    let serve = cli::run(&["serve", "--help"], b"").stdout;
    for name in names {
        // The one that no flag goes with.
        let is_read = name == "MEGABOARD_LOG"
            || serve.contains(&format!("[env: {name}="))
            || serve.contains(&format!("[env: {name}]"));
        assert!(is_read, "{name}: {serve}");
    }
}

/// A server that others can reach, with the settings of a file, in memory.
#[track_caller]
fn started_with(config: &str) -> Server {
    let launch = Launch::new().file("megaboard.toml", config);
    launch.args("--listen 0.0.0.0:0 --store memory:").start()
}

#[test]
fn a_wrong_command_line_is_refused() {
    for wrong in [
        &["serve", "--port=1"][..],
        &["serve", "--open=perhaps"],
        &["sing"],
    ] {
        let told = cli::run(&[wrong, &["--help"]].concat(), b"");
        assert_eq!(told.status, Some(2), "{wrong:?}: {}", told.stdout);
    }
}
