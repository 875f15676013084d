//! A month of flights imported with `megaboard import`, compared with boards computed by SQL: in
//! the order of the file, shuffled, in parallel parts, as CSV and as NDJSON, and twice. `restarts`
//! checks them after their server ended.

mod boards;
mod restarts;

use std::path::PathBuf;
use std::thread;

use serde_json::{Value, json};
use testkit::dice::Dice;
use testkit::{Server, cli, flights};

use boards::{KINDS, counts, import, whole_and_lacking};
pub(crate) use boards::{check, config, imported, tags};

fn server() -> Server {
    Server::with(&config())
}

/// Writes a file with these rows into the server's folder.
fn written(server: &Server, name: &str, rows: &[String]) -> PathBuf {
    let file = server.folder().join(name);
    let (header, _) = flights::rows();
    std::fs::write(&file, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
    file
}

#[test]
fn importing_the_file_gives_the_expected_boards_and_twice_changes_nothing() {
    let server = server();
    for kind in KINDS {
        let [whole, lacking] = whole_and_lacking(kind.1, kind.2);
        let run = import(&server, &flights::file(), kind);
        assert_eq!(counts(&run), [whole, 0, lacking], "{kind:?}");
    }
    check(&server);
    let boards = ["airline-miles/EWR", "plane-miles/JFK", "airline-delay/LGA"];
    let version = |board: &str| {
        let top = server.get(format!("/v1/boards/{board}/top?window=all&fresh=true"));
        top.ok()["version"].clone()
    };
    let versions = boards.map(version);
    for kind in KINDS {
        let [whole, lacking] = whole_and_lacking(kind.1, kind.2);
        let run = import(&server, &flights::file(), kind);
        assert_eq!(counts(&run), [0, whole, lacking], "{kind:?}");
    }
    check(&server);
    assert_eq!(boards.map(version), versions);
}

#[test]
fn the_order_of_rows_and_parallel_importers_do_not_matter() {
    let server = server();
    let (_, mut rows) = flights::rows();
    Dice::of_this_run().shuffle(&mut rows);
    // The parts overlap: what both hold counts once.
    let third = rows.len() / 3;
    let parts = [
        written(&server, "a.csv", &rows[..2 * third]),
        written(&server, "b.csv", &rows[third..]),
    ];
    for kind in KINDS {
        let server = &server;
        let runs = thread::scope(|scope| {
            let runs = parts
                .each_ref()
                .map(|part| scope.spawn(move || import(server, part, kind)));
            runs.map(|run| run.join().unwrap())
        });
        let [first, second] = runs.each_ref().map(counts);
        let [whole, _] = whole_and_lacking(kind.1, kind.2);
        assert_eq!(first[0] + second[0], whole, "{kind:?}");
    }
    check(&server);
}

#[test]
fn importing_ndjson_gives_the_same_boards() {
    let server = server();
    let (header, rows) = flights::rows();
    let columns: Vec<&str> = header.split(',').collect();
    let mut lines = String::new();
    for row in &rows {
        let cells: Vec<&str> = row.split(',').collect();
        let cell = |name: &str| cells[columns.iter().position(|c| *c == name).unwrap()];
        for (kind, member, points, _) in KINDS {
            if [cell(member), cell(points)]
                .iter()
                .any(|cell| ["", "NA"].contains(cell))
            {
                continue;
            }
            let line = json!({
                "board": format!("{kind}/{}", cell("origin")), "member": cell(member),
                "points": cell(points).parse::<i64>().unwrap(),
                "at": cell("time_hour"), "id": cell("id"),
            });
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
    }
    let file = server.folder().join("flights.ndjson");
    std::fs::write(&file, &lines).unwrap();
    let arguments = ["import", file.to_str().unwrap(), "--server", server.url()];
    let run = cli::run(&arguments, b"");
    assert_eq!(counts(&run), [lines.lines().count(), 0, 0]);
    check(&server);
    // One request with everything: every line is a duplicate.
    let receipt = server.lines(&lines).ok();
    assert_eq!(receipt["duplicates"], lines.lines().count());
    assert_eq!(receipt["read"], lines.lines().count());
    assert_eq!(receipt["rejected"], Value::Array(vec![]));
}
