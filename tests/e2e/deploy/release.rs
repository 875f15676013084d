//! `deploy/release`: what a release is made of, with the binary of these tests in place of a release's.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use end_to_end::megaboard;
use tempfile::TempDir;

use super::path;

/// The time that all files of the release are to have.
const TIME: &str = "1700000000";

/// A cargo that builds nothing: it lays `MEGABOARD` where the build would be, and ends with `ENDS`.
const CARGO: &str = r#"#!/bin/sh
if [ "$1" != build ]; then
    PATH="${PATH#*:}" exec cargo "$@"
fi
for target in "$@"; do :; done
mkdir -p "$CARGO_TARGET_DIR/$target/dist"
ln -sf "$MEGABOARD" "$CARGO_TARGET_DIR/$target/dist/megaboard"
exit "$ENDS"
"#;

fn making(out: &Path) -> Command {
    let mut command = Command::new(path("release"));
    command.arg("--without-sbom").arg("--out").arg(out);
    command.env("SOURCE_DATE_EPOCH", TIME).stdout(Stdio::null());
    command
}

/// Makes a release, and gives what `SHA256SUMS` says of each file.
fn release(out: &Path) -> BTreeMap<String, String> {
    let status = making(out).arg("--binary").arg(megaboard()).status();
    assert!(status.unwrap().success());
    sums(out)
}

fn sums(out: &Path) -> BTreeMap<String, String> {
    let sums = std::fs::read_to_string(out.join("SHA256SUMS")).unwrap();
    let lines = sums.lines().map(|line| line.split_once("  ").unwrap());
    lines
        .map(|(sum, file)| (file.to_owned(), sum.to_owned()))
        .collect()
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_release_is_whole_and_the_same_each_time() {
    let folder = TempDir::new().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let sums = release(&first);
    assert_eq!(sums, release(&second));
    let archive = sums.keys().next().unwrap();
    let check = ["--check", "--strict", "--quiet", "SHA256SUMS"];
    said(Command::new("sha256sum").args(check).current_dir(&first));

    let unpack = ["--extract", "--strip-components=1", "--file", archive];
    said(Command::new("tar").args(unpack).current_dir(&first));
    for file in [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "docs/deploy.md",
        "completions/_megaboard",
        "completions/megaboard.bash",
        "completions/megaboard.fish",
        "man/megaboard-serve.1",
        "man/megaboard.1",
        "systemd/megaboard.service",
    ] {
        assert!(first.join(file).is_file(), "{archive}: {file}");
    }
    let version = said(Command::new(first.join("megaboard")).arg("--version"));
    let version = version.trim().strip_prefix("megaboard ").unwrap();
    assert!(archive.starts_with(&format!("megaboard-{version}-")));
    let bash = first.join("completions/megaboard.bash");
    said(Command::new("bash").arg("-n").arg(bash));
    let time = ["--format=%Y", "megaboard"];
    let time = said(Command::new("stat").args(time).current_dir(&first));
    assert_eq!(time.trim(), TIME);
}

#[test]
fn a_build_that_fails_is_no_release() {
    let folder = TempDir::new().unwrap();
    let tools = folder.path().join("bin");
    std::fs::create_dir(&tools).unwrap();
    std::fs::write(tools.join("cargo"), CARGO).unwrap();
    said(Command::new("chmod").arg("755").arg(tools.join("cargo")));
    let out = folder.path().join("release");
    let ends = |status: &str| {
        let path = std::env::var("PATH").unwrap();
        making(&out)
            .env("PATH", format!("{}:{path}", tools.display()))
            .env("CARGO_TARGET_DIR", folder.path().join("target"))
            .env("MEGABOARD", megaboard())
            .env("ENDS", status)
            .status()
            .unwrap()
            .success()
    };
    assert!(!ends("101"));
    assert!(!out.join("SHA256SUMS").exists());
    assert!(ends("0"));
    let whole = sums(&out);
    assert!(!whole.is_empty());
    // What was there stays until there is another.
    assert!(!ends("101"));
    assert_eq!(sums(&out), whole);
}

#[test]
fn a_release_takes_the_place_of_another_and_of_nothing_else() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("release");
    let file = out.join("file");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(&file, "not to be had again").unwrap();
    for out in [&out, &file] {
        let told = making(out).arg("--binary").arg(megaboard()).output();
        let told = told.unwrap();
        assert!(!told.status.success(), "{told:?}");
        assert!(String::from_utf8_lossy(&told.stderr).contains(&*out.to_string_lossy()));
    }
    assert!(file.exists());
    std::fs::remove_file(&file).unwrap();
    release(&out);
    std::fs::write(&file, "of an earlier release").unwrap();
    release(&out);
    assert!(!file.exists());
    // What it is made in goes with it.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
