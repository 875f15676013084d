//! `megaboard import` of a file whose import was killed in its first request.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::cli::{self, Run, Running};
use testkit::{Server, eventually};

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
