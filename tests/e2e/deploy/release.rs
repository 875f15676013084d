//! `deploy/release`: what a release is made of, with the binary of these tests in place of a release's.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use end_to_end::megaboard;
use tempfile::TempDir;

use super::path;

/// The time that all files of the release are to have.
const TIME: &str = "1700000000";

/// Makes a release, and gives what `SHA256SUMS` says of each file.
fn release(out: &Path) -> BTreeMap<String, String> {
    let status = Command::new(path("release"))
        .arg("--binary")
        .arg(megaboard())
        .arg("--without-sbom")
        .arg("--out")
        .arg(out)
        .env("SOURCE_DATE_EPOCH", TIME)
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success());
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
