//! The folder of a store: one server at a time, checked by `verify`, copied as a backup.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::cli::{self, Run};
use testkit::{Launch, Server, eventually};

use super::server_state::ServerState;

const CONFIG: &str = "[kinds.k]\nwindows = [\"day\", \"all\"]\nkeep = { day = \"forever\" }\n";

/// Creates a small board and one with 200 members.
fn filled() -> Server {
    let server = Server::durable(CONFIG);
    let item = |board: &str, n: i64| {
        json!({"board": board, "member": format!("m{n}"), "points": 1 + n % 7,
               "at": 1_700_000_000_000_i64 + n % 3})
    };
    let small = (0..3).map(|n| item("k/small", n));
    let large = (0..200).map(|n| item("k/large", n));
    let items: Vec<Value> = small.chain(large).collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], 203);
    server
}

/// The counts of [`filled`], in two windows.
const COUNTS: &str = "2 boards, 406 standings, 0 disagreements\n";

fn store(folder: &Path) -> String {
    format!("embedded:{}", folder.display())
}

fn verify(folder: &Path) -> Run {
    cli::run(&["verify", "--store", &store(folder)], b"")
}

/// Returns the content of every file of a folder.
fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    });
    files.collect()
}

fn copied(folder: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    for (name, bytes) in bytes(folder) {
        fs::write(copy.path().join(name), bytes).unwrap();
    }
    copy
}

#[test]
fn snapshots_yield_to_requests() {
    let server = Server::durable(CONFIG);
    let of_others = server.nice_of("tokio-rt-worker");
    let expected = (of_others + 10).min(19);
    eventually("the thread of snapshots has begun", || {
        (server.nice_of("megaboard-snaps") == expected).then_some(())
    });
}

#[test]
fn a_second_server_is_refused_and_the_first_continues() {
    let server = filled();
    let kept = server.kept();
    let flags = format!("--listen 127.0.0.1:0 --store {}", store(&kept));
    let mut second = Launch::new().args(&flags);
    let before = ServerState::of(&server);
    let (status, stderr) = second.refused();
    assert_eq!(status, Some(1), "{stderr}");
    assert!(stderr.contains(kept.to_str().unwrap()), "{stderr}");
    assert!(stderr.contains("another server"), "{stderr}");
    before.assert_unchanged(&server);
    server.give("k/small", &[("new", 1)]);
    // A server that has ended leaves nothing that blocks the next.
    let _folder = server.kill();
    let second = second.start();
    assert_eq!(second.order("k/small", "all").len(), 4);
}

#[test]
fn verify_requires_that_no_server_runs_and_changes_nothing() {
    let mut server = filled();
    let run = verify(&server.kept());
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert!(
        run.stderr.contains(server.kept().to_str().unwrap()),
        "{run:?}"
    );
    for end in [Server::kill, Server::stop] {
        let launch = end(server);
        let before = bytes(&launch.kept());
        let run = verify(&launch.kept());
        assert_eq!(
            (run.status, run.stdout.as_str()),
            (Some(0), COUNTS),
            "{run:?}"
        );
        assert_eq!(bytes(&launch.kept()), before);
        server = launch.start();
    }
}

#[test]
fn repair_is_not_supported_for_a_folder() {
    let launch = filled().stop();
    let before = bytes(&launch.kept());
    let flag = store(&launch.kept());
    let run = cli::run(&["verify", "--repair", "--store", &flag], b"");
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert!(
        run.stderr.contains("restart the server to repair"),
        "{run:?}"
    );
    assert_eq!(bytes(&launch.kept()), before);
}

#[test]
fn verifying_a_folder_without_a_store_is_an_error_and_creates_nothing() {
    let folder = TempDir::new().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("none")] {
        let run = verify(&path);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
        assert!(run.stderr.contains(path.to_str().unwrap()), "{run:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_copy_of_a_stopped_servers_folder_is_a_backup() {
    let server = filled();
    let before = ServerState::of(&server);
    let launch = server.stop();
    let copy = copied(&launch.kept());
    let server = launch.start();
    server.give("k/small", &[("later", 1)]);
    // A backup may lack the lock file.
    fs::remove_file(copy.path().join("lock")).unwrap();
    assert_eq!(verify(copy.path()).stdout, COUNTS);
    let flags = format!("--listen 127.0.0.1:0 --store {}", store(copy.path()));
    let restored = Launch::new().args(&flags).start();
    let shown = ServerState::of(&restored);
    let of_k = |state: &ServerState| {
        let content = state.content.iter();
        let boards = content.filter(|(path, _)| *path != "/v1/kinds" && !path.contains("gifts"));
        boards
            .map(|(path, shown)| (path.clone(), shown.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(of_k(&shown), of_k(&before));
    assert_eq!(shown.tags, before.tags);
    // The original and the copy are independent.
    restored.give("k/large", &[("other", 1)]);
    assert_eq!(server.order("k/small", "all").len(), 4);
    assert_eq!(server.order("k/large", "all").len(), 100);
    assert_eq!(restored.order("k/small", "all").len(), 3);
    drop(restored);
    let run = verify(copy.path());
    assert_eq!(
        run.stdout, "2 boards, 408 standings, 0 disagreements\n",
        "{run:?}"
    );
}

#[test]
fn files_are_only_accessible_to_their_user() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let server = Server::durable("");
    server.give("gifts/a", &[("u", 1)]);
    server.send("PUT", "/v1/members/u/hidden", &[], "").ok();
    let kept = server.kept();
    let modes = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files = || -> Vec<_> {
        let entries = fs::read_dir(&kept).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    assert_eq!(modes(&kept), 0o700);
    assert!(files().len() >= 3, "{:?}", files());
    for file in files() {
        assert_eq!(modes(&file), 0o600, "{file:?}");
    }
    // Restored files lose the rights of others; rights given to a group stay.
    let launch = server.stop();
    fs::set_permissions(&kept, Permissions::from_mode(0o755)).unwrap();
    for file in files() {
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    }
    let server = launch.start();
    assert_eq!(modes(&kept), 0o750);
    for file in files() {
        assert_eq!(modes(&file) & 0o007, 0, "{file:?}");
    }
    // Other files are left alone, and so is a folder that has other files in it.
    let launch = server.stop();
    let (outside, beside) = (launch.folder().join("outside"), kept.join("beside"));
    for file in [&outside, &beside] {
        fs::write(file, "").unwrap();
        fs::set_permissions(file, Permissions::from_mode(0o644)).unwrap();
    }
    std::os::unix::fs::symlink(&outside, kept.join("link")).unwrap();
    fs::set_permissions(&kept, Permissions::from_mode(0o755)).unwrap();
    let server = launch.start();
    for path in [&outside, &beside] {
        assert_eq!(modes(path), 0o644, "{path:?}");
    }
    assert_eq!(modes(&kept), 0o755);
    drop(server);
}
