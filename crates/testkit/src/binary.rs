//! Builds the `megaboard` binary from the current sources: [`megaboard`] returns its path.
//!
//! Cargo passes the path of a binary only to tests of the same package, so this module calls cargo
//! to build it. If nothing has changed this does nothing, and the binary is never stale. The
//! profile and the target directory are those of the running test, taken from its own path:
//! `TARGET/PROFILE/deps/e2e-HASH`. The whole workspace and a test target are named too, so that
//! cargo resolves the same features as `cargo test --workspace` does, and builds nothing twice.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// Returns the path of the binary, building it on first use.
pub fn megaboard() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(build)
}

fn build() -> PathBuf {
    let test = env::current_exe().unwrap();
    let profile_folder = test.ancestors().nth(2).unwrap();
    let target = profile_folder.parent().unwrap();
    let profile = match profile_folder.file_name().unwrap().to_str().unwrap() {
        // The profile of `cargo test`; its output directory is that of `dev`.
        "debug" => "test",
        named => named,
    };
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Cargo sets these variables for a test; build scripts that read them would run again.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        let about = [
            "CARGO_PKG_",
            "CARGO_MANIFEST_",
            "CARGO_BIN_",
            "CARGO_CRATE_",
        ];
        if about.iter().any(|about| name.starts_with(about)) {
            command.env_remove(&*name);
        }
    }
    let output = command
        .args(["build", "--locked", "--workspace", "--bin", "megaboard"])
        .args(["--test", "e2e", "--message-format", "json", "--profile"])
        .arg(profile)
        .arg("--target-dir")
        .arg(target)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "megaboard could not be built");
    let messages = String::from_utf8(output.stdout).unwrap();
    let executable = messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_it = message["target"]["name"] == "megaboard";
        Some(PathBuf::from(
            message["executable"].as_str().filter(|_| is_it)?,
        ))
    });
    executable.expect("cargo reports the path of the binary")
}
