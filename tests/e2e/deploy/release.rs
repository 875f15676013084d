//! `deploy/release`: the contents of a release, made with the binary of these tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use testkit::megaboard;

use super::path;

/// The timestamp of all files of the release.
const TIME: &str = "1700000000";

/// A stand-in for the binary, since packing a real one takes long. It has no manual pages, and
/// exits with `STATUS`.
const BINARY: &str = r#"#!/bin/sh
[ "$STATUS" = 0 ] || exit "$STATUS"
[ "$1" != man ] || mkdir "$3"
"#;

/// A `strip` that does nothing.
const STRIP: &str = "#!/bin/sh\n";

/// Makes releases of [`BINARY`] below a folder.
struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let tools = folder.path().join("tools");
        std::fs::create_dir(&tools).unwrap();
        for (name, text) in [("megaboard", BINARY), ("strip", STRIP)] {
            std::fs::write(tools.join(name), text).unwrap();
            stdout_of(Command::new("chmod").arg("755").arg(tools.join(name)));
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a command that makes a release whose binary exits with this status.
    fn making(&self, out: &Path, status: &str) -> Command {
        let mut command = making(out);
        let path = std::env::var("PATH").unwrap();
        let tools = self.path("tools");
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

/// Makes a release. Returns the digest of each file in `SHA256SUMS`.
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

fn stdout_of(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_release_is_reproducible() {
    let fixture = Fixture::new();
    let [first, second] = ["first", "second"].map(|name| fixture.path(name));
    for out in [&first, &second] {
        stdout_of(&mut fixture.making(out, "0"));
    }
    assert_eq!(sums(&first), sums(&second));
}

#[test]
fn a_release_is_complete() {
    testkit::sampled!(a_release_is_complete);
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("release");
    let sums = release(&out);
    let archive = sums.keys().next().unwrap();
    let check = ["--check", "--strict", "--quiet", "SHA256SUMS"];
    stdout_of(Command::new("sha256sum").args(check).current_dir(&out));

    let unpack = ["--extract", "--strip-components=1", "--file", archive];
    stdout_of(Command::new("tar").args(unpack).current_dir(&out));
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
    let version = stdout_of(Command::new(out.join("megaboard")).arg("--version"));
    let version = version.trim().strip_prefix("megaboard ").unwrap();
    assert!(archive.starts_with(&format!("megaboard-{version}-")));
    let bash = out.join("completions/megaboard.bash");
    stdout_of(Command::new("bash").arg("-n").arg(bash));
    let time = ["--format=%Y", "megaboard"];
    let time = stdout_of(Command::new("stat").args(time).current_dir(&out));
    assert_eq!(time.trim(), TIME);
}

#[test]
fn the_previous_release_stays_until_the_next_is_complete() {
    let fixture = Fixture::new();
    let out = fixture.path("release");
    let ends = |status| fixture.making(&out, status).status().unwrap().success();
    assert!(!ends("101"));
    assert!(!out.join("SHA256SUMS").exists());
    assert!(ends("0"));
    let whole = sums(&out);
    assert!(!whole.is_empty());
    // The previous release stays until the next is complete.
    assert!(!ends("101"));
    assert_eq!(sums(&out), whole);
}

#[test]
fn a_release_replaces_only_a_release() {
    let fixture = Fixture::new();
    let out = fixture.path("made/release");
    let file = out.join("file");
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(&file, "not to be had again").unwrap();
    for out in [&out, &file] {
        let output = fixture.making(out, "0").output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(&*out.to_string_lossy()));
    }
    assert!(file.exists());
    std::fs::remove_file(&file).unwrap();
    stdout_of(&mut fixture.making(&out, "0"));
    std::fs::write(&file, "of an earlier release").unwrap();
    stdout_of(&mut fixture.making(&out, "0"));
    assert!(!file.exists());
    // Temporary files are removed.
    let made = std::fs::read_dir(fixture.path("made")).unwrap();
    assert_eq!(made.count(), 1);
}
