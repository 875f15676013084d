//! `megaboard import`: rejected lines are reported, the others are applied.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use testkit::Server;
use testkit::cli::{self, Run};

#[test]
fn rejected_rows_are_reported_by_line_and_the_others_are_applied() {
    let server = Server::start();
    let flags = "import - --kind gifts --subject-column room --member-column who \
                 --points-column points --at-column at --missing NA";
    let mut arguments: Vec<&str> = flags.split_whitespace().collect();
    arguments.extend(["--server", server.url()]);
    let csv = "room,who,points,at\n\
               a,u1,5,1700000000000\n\
               a,u2,NA,1700000000000\n\
               a,u3,1.5,1700000000000\n\
               a,u4,6,1700000000\n\
               a,u5,7,9000000000000\n\
               \"b/c\",\"u,6\",8,2023-11-14T22:13:20Z\n";
    let run = cli::run(&arguments, csv.as_bytes());
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(
        run.stdout
            .starts_with("applied 2, duplicates 0, skipped 1, rejected 3, failed 0"),
        "{run:?}"
    );
    for (line, part) in [
        ("line 4:", "1.5"),
        ("line 5:", "1700000000"),
        ("line 6:", "5 minutes"),
    ] {
        let message = run.stderr.lines().find(|message| message.contains(line));
        let message = message.unwrap_or_else(|| panic!("{line} {run:?}"));
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(server.order("gifts/a", "all"), ["u1"]);
    assert_eq!(server.order("gifts/b%2Fc", "all"), ["u,6"]);
}

#[test]
fn with_an_unknown_kind_all_rows_are_rejected() {
    let server = Server::start();
    let line = "{\"board\": \"nope/a\", \"member\": \"u\", \"points\": 1}\n";
    let run = cli::run(&["import", "-", "--server", server.url()], line.as_bytes());
    assert_eq!(run.status, Some(1));
    assert!(run.stdout.contains("rejected 1"), "{run:?}");
    assert!(
        run.stderr.contains("line 1") && run.stderr.contains("nope"),
        "{run:?}"
    );
}

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
fn a_file_that_is_through_is_imported_once() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), "a.ndjson", 2_500, true);
    let run = import(&server, &file, &[]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let again = import(&server, &file, &[]);
    assert_eq!(
        (again.status, again.stdout.as_str()),
        (Some(1), ""),
        "{again:?}"
    );
    for part in ["a.ndjson was imported", "line 2500", "--again"] {
        assert!(again.stderr.contains(part), "{again:?}");
    }
    let forced = import(&server, &file, &["--again"]);
    assert!(
        forced.stdout.starts_with("applied 0, duplicates 2500"),
        "{forced:?}"
    );
    assert!(forced.stderr.contains("dedupe"), "{forced:?}");
    let stateless = import(&server, &file, &["--no-state"]);
    assert!(
        stateless.stdout.starts_with("applied 0, duplicates 2500"),
        "{stateless:?}"
    );
    // Another server, another board and another file are imported.
    let other = Server::start();
    assert!(
        import(&other, &file, &[])
            .stdout
            .starts_with("applied 2500")
    );
    server.delete("/v1/boards/gifts/a").is_empty();
    let anew = import(&server, &file, &[]);
    assert!(anew.stdout.starts_with("applied 2500"), "{anew:?}");
    assert!(anew.stderr.contains("no longer on the server"), "{anew:?}");
}

#[test]
fn a_file_that_has_grown_continues_and_one_that_has_changed_is_refused() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "log.ndjson", 1_500, true);
    // A file that was not meant.
    let other = folder.path().join("log.ndjson.unfinished");
    fs::write(&other, "mine").unwrap();
    assert_eq!(import(&server, &path, &[]).status, Some(0));
    let short = fs::read_to_string(&path).unwrap();
    file(folder.path(), "log.ndjson", 1_503, true);
    let grown = import(&server, &path, &[]);
    assert!(
        grown.stdout.starts_with("applied 3, duplicates 0"),
        "{grown:?}"
    );
    assert!(
        grown.stderr.contains("continuing after line 1500"),
        "{grown:?}"
    );
    assert_eq!(import(&server, &path, &[]).status, Some(1));
    fs::write(&path, short.replace("\"e", "\"f")).unwrap();
    let changed = import(&server, &path, &[]);
    assert_eq!(
        (changed.status, changed.stdout.as_str()),
        (Some(1), ""),
        "{changed:?}"
    );
    for part in ["has changed", "line 1503", "--from-line", "--again"] {
        assert!(changed.stderr.contains(part), "{changed:?}");
    }
    let again = import(&server, &path, &["--again"]);
    assert!(again.stdout.starts_with("applied 1500"), "{again:?}");
    assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
    assert_eq!(
        server.get("/v1/boards/gifts/a?window=all").ok()["members"],
        1_503
    );
}

#[test]
fn a_continuation_that_applies_nothing_keeps_the_state() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), "a.ndjson", 100, false);
    assert_eq!(import(&server, &file, &[]).status, Some(0));
    // Past the end of the file.
    let past = import(&server, &file, &["--from-line", "101"]);
    assert!(past.stdout.starts_with("applied 0"), "{past:?}");
    assert_eq!(import(&server, &file, &[]).status, Some(1));
    // From the first line on, as an error may advise.
    let whole = import(&server, &file, &["--from-line", "1"]);
    assert!(whole.stdout.starts_with("applied 100"), "{whole:?}");
    let top = server
        .get("/v1/boards/gifts/a/top?n=1&window=all&fresh=true")
        .entries();
    assert_eq!(top[0]["points"], 2);
}

#[test]
fn an_import_that_applied_nothing_leaves_no_state() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ndjson");
    fs::write(
        &file,
        "{\"board\":\"new/a\",\"member\":\"u\",\"points\":1}\n",
    )
    .unwrap();
    assert!(import(&server, &file, &[]).stdout.contains("rejected 1"));
    server.put("/v1/kinds/new", &json!({})).is(201);
    let run = import(&server, &file, &[]);
    assert!(run.stdout.starts_with("applied 1"), "{run:?}");
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
