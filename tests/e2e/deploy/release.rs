//! `deploy/release`: what a release is made of, with the binary of these tests in place of a release's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use testkit::megaboard;

use super::path;

/// The time that all files of the release are to have.
const TIME: &str = "1700000000";

/// Stands for the binary where packing a real one would take long: it has no pages, and fails with `STATUS` unless that
/// is 0.
const BINARY: &str = r#"#!/bin/sh
[ "$STATUS" = 0 ] || exit "$STATUS"
[ "$1" != man ] || mkdir "$3"
"#;

/// A strip that leaves it alone.
const STRIP: &str = "#!/bin/sh\n";

/// Makes releases of [`BINARY`] below a folder.
struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let tools = folder.path().join("tools");
        std::fs::create_dir(&tools).unwrap();
        for (name, text) in [("megaboard", BINARY), ("strip", STRIP)] {
            std::fs::write(tools.join(name), text).unwrap();
            said(Command::new("chmod").arg("755").arg(tools.join(name)));
        }
        Self { folder }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A release whose binary ends with this status.
    fn making(&self, out: &Path, status: &str) -> Command {
        let mut command = making(out);
        let path = std::env::var("PATH").unwrap();
        let tools = self.place("tools");
        command.env("PATH", format!("{}:{path}", tools.display()));
        command.arg("--binary").arg(tools.join("megaboard"));
        command.env("STATUS", status);
        command
    }
}

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
fn a_release_is_the_same_each_time() {
    let stage = Stage::new();
    let [first, second] = ["first", "second"].map(|name| stage.place(name));
    for out in [&first, &second] {
        said(&mut stage.making(out, "0"));
    }
    assert_eq!(sums(&first), sums(&second));
}

#[test]
fn a_release_is_complete() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("release");
    let sums = release(&out);
    let archive = sums.keys().next().unwrap();
    let check = ["--check", "--strict", "--quiet", "SHA256SUMS"];
    said(Command::new("sha256sum").args(check).current_dir(&out));

    let unpack = ["--extract", "--strip-components=1", "--file", archive];
    said(Command::new("tar").args(unpack).current_dir(&out));
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
        assert!(out.join(file).is_file(), "{archive}: {file}");
    }
    let version = said(Command::new(out.join("megaboard")).arg("--version"));
    let version = version.trim().strip_prefix("megaboard ").unwrap();
    assert!(archive.starts_with(&format!("megaboard-{version}-")));
    let bash = out.join("completions/megaboard.bash");
    said(Command::new("bash").arg("-n").arg(bash));
    let time = ["--format=%Y", "megaboard"];
    let time = said(Command::new("stat").args(time).current_dir(&out));
    assert_eq!(time.trim(), TIME);
}

#[test]
fn an_earlier_release_stays_until_the_next_is_complete() {
    let stage = Stage::new();
    let out = stage.place("release");
    let ends = |status| stage.making(&out, status).status().unwrap().success();
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
fn a_release_replaces_another_and_nothing_else() {
    let stage = Stage::new();
    let out = stage.place("made/release");
    let file = out.join("file");
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(&file, "not to be had again").unwrap();
    for out in [&out, &file] {
        let told = stage.making(out, "0").output().unwrap();
        assert!(!told.status.success(), "{told:?}");
        assert!(String::from_utf8_lossy(&told.stderr).contains(&*out.to_string_lossy()));
    }
    assert!(file.exists());
    std::fs::remove_file(&file).unwrap();
    said(&mut stage.making(&out, "0"));
    std::fs::write(&file, "of an earlier release").unwrap();
    said(&mut stage.making(&out, "0"));
    assert!(!file.exists());
    // What it is made in goes with it.
    let made = std::fs::read_dir(stage.place("made")).unwrap();
    assert_eq!(made.count(), 1);
}
