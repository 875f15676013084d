//! `megaboard import`: rejected lines are reported, the others are applied.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use testkit::Server;
use testkit::cli::{self, Run, Running};

/// Writes a file of this many lines, with ids or without.
fn file(folder: &Path, name: &str, lines: usize, ids: bool) -> PathBuf {
    let line = |n: usize| {
        let id = if ids {
            format!(",\"id\":\"e{n}\"")
        } else {
            String::new()
        };
        format!("{{\"board\":\"gifts/a\",\"member\":\"u{n}\",\"points\":1{id}}}\n")
    };
    let path = folder.join(name);
    fs::write(&path, (1..=lines).map(line).collect::<String>()).unwrap();
    path
}

fn import(server: &Server, file: &Path, flags: &[&str]) -> Run {
    let mut arguments = vec!["import", file.to_str().unwrap(), "--server", server.url()];
    arguments.extend(flags);
    cli::run(&arguments, b"")
}

#[test]
fn an_import_that_ended_continues_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), "a.ndjson", 2_500, true);
    let server = Server::start();
    // The third batch has a line of which the file breaks off.
    let whole = fs::read(&file).unwrap();
    let packed = folder.path().join("a.ndjson.gz");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&whole).unwrap();
    let bytes = gzip.finish().unwrap();
    fs::write(&packed, &bytes[..bytes.len() - bytes.len() / 5]).unwrap();
    let broken = import(&server, &packed, &[]);
    assert_eq!(broken.status, Some(1), "{broken:?}");
    assert!(
        broken.stderr.contains("continue with --from-line"),
        "{broken:?}"
    );
    let before = server.get("/v1/boards/gifts/a?window=all").ok()["members"]
        .as_u64()
        .unwrap();
    assert!(before > 0 && before < 2_500, "{before}");
    // Run again, it continues at that line, and meets the same end.
    let same = import(&server, &packed, &[]);
    assert!(
        same.stdout.starts_with("applied 0, duplicates 0,"),
        "{same:?}"
    );
    assert!(
        same.stderr
            .contains(&format!("continuing after line {before}")),
        "{same:?}"
    );
}

#[test]
fn the_state_of_an_import_that_was_killed_is_used() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), "a.ndjson", 10, false);
    let run = import(&server, &file, &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stderr.contains("lines 1 to 10 do not all have ids"),
        "{run:?}"
    );
    let names = fs::read_dir(folder.path())
        .unwrap()
        .map(|it| it.unwrap().path());
    let state = names.filter(|it| *it != file).collect::<Vec<_>>();
    assert_eq!(state.len(), 1, "{state:?}");
    let text = fs::read_to_string(&state[0]).unwrap();
    // A killed import that was sending lines without ids.
    let sending = r#""sending":{"first":4,"last":6,"again":"never","at":1}"#;
    let killed = text
        .replace(r#""sending":null"#, sending)
        .replace(r#""complete":true"#, r#""complete":false"#);
    assert_ne!(killed, text);
    fs::write(&state[0], killed).unwrap();
    let unsure = import(&server, &file, &[]);
    assert_eq!((unsure.status, unsure.stdout.as_str()), (Some(1), ""));
    for part in ["lines 4 to 6", "--from-line 4", "--from-line 7"] {
        assert!(unsure.stderr.contains(part), "{unsure:?}");
    }
    let continued = text
        .replace("\"line\":10", "\"line\":7")
        .replace("\"complete\":true", "\"complete\":false");
    fs::write(&state[0], continued).unwrap();
    let run = import(&server, &file, &[]);
    assert!(run.stdout.starts_with("applied 3,"), "{run:?}");
    assert!(run.stderr.contains("continuing after line 7"), "{run:?}");
    fs::write(&state[0], "{").unwrap();
    let damaged = import(&server, &file, &[]);
    assert_eq!(damaged.status, Some(1));
    assert!(damaged.stderr.contains("remove it"), "{damaged:?}");
}

#[test]
fn a_signal_prints_the_summary_and_the_next_line() {
    // The pipe stays open, so that the import waits for more.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for signal in ["INT", "TERM"] {
        let path = pipe.to_str().unwrap();
        let mut import = Running::start(&["import", path, "--from-line", "5"]);
        let mut writer = File::options().write(true).open(&pipe).unwrap();
        writer.write_all(b"\n").unwrap();
        import.catches_signals();
        import.signal(signal);
        assert_eq!(import.ended().code(), Some(130), "{}", import.stderr());
        assert!(import.stdout().starts_with("applied 0, "));
        let said = "megaboard: interrupted; continue with --from-line 5\n";
        assert_eq!(import.stderr(), said);
    }
}
