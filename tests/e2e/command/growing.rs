//! `megaboard import` of files that are still being written, that have changed, or whose import was killed.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::cli::{self, Run, Running};
use testkit::{Server, eventually};

const COLUMNS: &str = "--kind gifts --subject a --member-column user --points-column points";

fn import(server: &Server, file: &Path, flags: &str) -> Run {
    let mut arguments = vec!["import", file.to_str().unwrap(), "--server", server.url()];
    arguments.extend(flags.split_whitespace());
    cli::run(&arguments, b"")
}

/// Returns members and points of the board.
fn points(server: &Server) -> Vec<(String, i64)> {
    let top = server.get("/v1/boards/gifts/a/top?n=100&window=all&fresh=true");
    let entries = top.entries();
    let entry = |entry: &serde_json::Value| {
        let member = entry["member"].as_str().unwrap().to_owned();
        (member, entry["points"].as_i64().unwrap())
    };
    entries.iter().map(entry).collect()
}

fn standing(member: &str, points: i64) -> (String, i64) {
    (member.to_owned(), points)
}

#[test]
fn half_a_line_is_imported_once_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let json = |member: &str, points: i64| {
        format!("{{\"board\":\"gifts/a\",\"member\":\"{member}\",\"points\":{points}}}\n")
    };
    let lines = json("ada", 12_345) + &json("ben", 6);
    for (name, flags, whole, half) in [
        (
            "a.csv",
            COLUMNS,
            "user,points\nada,12345\nben,6\n",
            "user,points\nada,1",
        ),
        ("a.ndjson", "", lines.as_str(), &lines[..40]),
    ] {
        let server = Server::start();
        let file = folder.path().join(name);
        fs::write(&file, half).unwrap();
        for _ in 0..2 {
            let run = import(&server, &file, flags);
            assert_eq!(run.status, Some(1), "{run:?}");
            assert!(run.stdout.starts_with("applied 0,"), "{run:?}");
            for part in ["the file ends within this row", "--final"] {
                assert!(run.stderr.contains(part), "{run:?}");
            }
        }
        fs::write(&file, whole).unwrap();
        let run = import(&server, &file, flags);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_eq!(
            points(&server),
            [standing("ada", 12_345), standing("ben", 6)]
        );
        assert!(
            import(&server, &file, flags)
                .stderr
                .contains("was imported"),
            "{name}"
        );
    }
}

#[test]
fn a_last_line_that_was_imported_by_final_must_not_become_longer() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    fs::write(&file, "user,points\nben,6\nada,1").unwrap();
    let first = import(&server, &file, COLUMNS);
    assert!(first.stdout.starts_with("applied 1,"), "{first:?}");
    let last = import(&server, &file, &format!("{COLUMNS} --final"));
    assert!(last.stdout.starts_with("applied 1,"), "{last:?}");
    assert_eq!(last.status, Some(0), "{last:?}");
    fs::write(&file, "user,points\nben,6\nada,12345\n").unwrap();
    let longer = import(&server, &file, COLUMNS);
    assert_eq!(longer.status, Some(1), "{longer:?}");
    assert!(longer.stderr.contains("has changed"), "{longer:?}");
    fs::write(&file, "user,points\nben,6\nada,1\ncyd,3\n").unwrap();
    let grown = import(&server, &file, COLUMNS);
    assert!(grown.stdout.starts_with("applied 1,"), "{grown:?}");
    let expected = [standing("ben", 6), standing("cyd", 3), standing("ada", 1)];
    assert_eq!(points(&server), expected);
}

#[test]
fn only_lines_that_were_sent_must_not_change() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let row = |n: usize| format!("u{n},1\n");
    let rows = (1..=1_500).map(row).collect::<String>();
    let whole = format!("user,points\n{rows}last,1\n");
    // The last row is not sent, and becomes another one.
    fs::write(&file, format!("user,points\n{rows}half")).unwrap();
    let half = import(&server, &file, COLUMNS);
    assert!(half.stdout.starts_with("applied 1500,"), "{half:?}");
    let changed = whole.replace("u700,1", "u700,2");
    fs::write(&file, changed).unwrap();
    let refused = import(&server, &file, COLUMNS);
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(1), ""));
    for part in ["has changed", "line 1501", "--from-line", "--again"] {
        assert!(refused.stderr.contains(part), "{refused:?}");
    }
    fs::write(&file, whole).unwrap();
    let grown = import(&server, &file, COLUMNS);
    assert!(grown.stdout.starts_with("applied 1,"), "{grown:?}");
    assert_eq!(points(&server).len(), 100);
}

/// Starts an import of ten lines at a server that does not respond, and kills it once it sends them.
fn killed(server: &Server, folder: &Path, id: &str) -> PathBuf {
    let file = folder.join("a.ndjson");
    let line = |n: usize| {
        let id = id.replace('N', &n.to_string());
        format!("{{\"board\":\"gifts/a\",\"member\":\"u{n}\",\"points\":1{id}}}\n")
    };
    fs::write(&file, (1..=10).map(line).collect::<String>()).unwrap();
    server.signal("STOP");
    let import = Running::start(&["import", file.to_str().unwrap(), "--server", server.url()]);
    eventually("lines are being sent", || {
        let names = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        let mut states = names.filter(|it| *it != file);
        let text = fs::read_to_string(states.next()?).ok()?;
        text.contains("\"sending\":{").then_some(())
    });
    import.signal("KILL");
    server.signal("CONT");
    drop(import);
    file
}

#[test]
fn an_import_killed_in_its_first_request_goes_on_by_its_ids() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let file = killed(&server, folder.path(), ",\"id\":\"eN\"");
    let run = import(&server, &file, "");
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.contains("continuing after line 0"), "{run:?}");
    let all = (1..=10).map(|n| standing(&format!("u{n}"), 1));
    let mut found = points(&server);
    found.sort_by_key(|(member, _)| member[1..].parse::<u32>().unwrap());
    assert_eq!(found, all.collect::<Vec<_>>());
}

#[test]
fn an_import_killed_in_its_first_request_without_ids_names_the_lines() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let file = killed(&server, folder.path(), "");
    let run = import(&server, &file, "");
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    for part in ["lines 1 to 10", "--from-line 1 ", "--from-line 11"] {
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    }
}
