//! `megaboard load`: the printed counts are those of the server, and the results are files.

use std::collections::BTreeSet;

use serde_json::Value;
use testkit::{Exposition, Server, cli, eventually};

fn load(server: &Server, more: &[&str]) -> cli::Run {
    let flags = ["load", "--server", server.url(), "--duration", "2s"];
    cli::run(&[&flags[..], more].concat(), b"")
}

/// Returns the words of the line that starts with `begins`.
#[track_caller]
fn line<'a>(run: &'a cli::Run, begins: &str) -> Vec<&'a str> {
    let mut lines = run.stdout.lines().map(str::trim_start);
    let found = lines.find(|line| line.starts_with(begins));
    let found = found.unwrap_or_else(|| panic!("no line starts with {begins}: {run:?}"));
    found.split_whitespace().collect()
}

#[track_caller]
fn count(run: &cli::Run, begins: &str, word: usize) -> u64 {
    let parsed = line(run, begins)[word].parse();
    parsed.unwrap_or_else(|_| panic!("{run:?}"))
}

#[test]
fn the_table_shows_what_the_server_accepted() {
    let server = Server::start();
    let rooms = ["--rooms", "5", "--members", "50", "--streams", "3"];
    let rate = ["--rate", "200", "--batch", "10"];
    let run = load(&server, &[&rooms[..], &rate].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    let remain = "megaboard: the boards gifts/load-1 to gifts/load-5 remain: with --clean they are deleted\n";
    assert_eq!(run.stderr, remain);
    let applied = count(&run, "contributions", 1);
    assert!(applied > 0, "{run:?}");
    let metrics = Exposition::of(&server);
    let counted = metrics.sum("megaboard_contributions_total", &[("outcome", "applied")]);
    assert_eq!(counted.to_string(), applied.to_string(), "{run:?}");
    assert_eq!(count(&run, "write", 1), applied / 10);
    let mut all = 0;
    for operation in ["top", "rank", "around", "write"] {
        let requests = count(&run, operation, 1);
        assert_eq!(
            (
                requests > 0,
                count(&run, operation, 3),
                count(&run, operation, 4)
            ),
            (true, 0, 0),
            "{run:?}"
        );
        all += requests;
    }
    assert_eq!(count(&run, "all", 1), all);
    assert!(
        count(&run, "streams", 1) >= 3,
        "each stream has seen the board: {run:?}"
    );
    let boards = server.get("/v1/boards?kind=gifts").ok();
    let boards = boards["boards"].as_array().unwrap().iter();
    let rooms: BTreeSet<&str> = boards
        .map(|board| board["board"].as_str().unwrap())
        .collect();
    assert!(
        rooms.contains("gifts/load-1") && rooms.len() <= 5,
        "{rooms:?}"
    );
}

#[test]
fn rooms_are_filled_and_results_are_written_at_a_part_of_the_capacity() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results");
    let flags = [
        "--rooms",
        "10",
        "--members",
        "2000",
        "--fill",
        "--of-capacity",
        "10",
    ];
    let into = ["--connections", "4", "--results", results.to_str().unwrap()];
    let run = load(&server, &[&flags[..], &into].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    let summary = std::fs::read(results.join("load.json")).unwrap();
    let summary: Value = serde_json::from_slice(&summary).unwrap();
    for name in ["capacity", "rate"] {
        let written = summary[name].as_f64().unwrap();
        assert_eq!(count(&run, name, 1).to_string(), format!("{written:.0}"));
    }
    let operations = summary["operations"].as_array().unwrap();
    for operation in operations {
        let name = operation["operation"].as_str().unwrap();
        let requests = operation["requests"].as_u64().unwrap();
        assert_eq!(count(&run, name, 1), requests);
        let hgrm = std::fs::read_to_string(results.join(format!("{name}.hgrm"))).unwrap();
        let total = hgrm.lines().find(|line| line.starts_with("#[Max"));
        let total = total.and_then(|line| line.trim_end_matches(']').rsplit(' ').next());
        assert_eq!(total, Some(requests.to_string().as_str()), "{hgrm}");
    }
    assert_eq!(operations.len(), 5);
    // A room has 1/N of the members of the first one.
    for (room, members) in [("load-1", 683), ("load-10", 68)] {
        let board = server
            .get(format!("/v1/boards/gifts/{room}?window=all"))
            .ok();
        assert_eq!(board["members"], members, "{board}");
    }
}

/// Returns the subjects of the boards of `gifts`.
fn subjects(server: &Server) -> Vec<String> {
    let boards = server.get("/v1/boards?kind=gifts").ok();
    let boards = boards["boards"].as_array().unwrap().iter();
    let subjects = boards.map(|board| board["subject"].as_str().unwrap().to_owned());
    subjects.collect()
}

const WRITES: [&str; 6] = ["--rooms", "3", "--fill", "--clean", "--mix", "write=1"];

#[test]
fn with_clean_the_boards_of_an_interrupted_load_are_deleted() {
    let server = Server::start();
    let flags = ["load", "--server", server.url(), "--duration", "1h"];
    let mut run = cli::Running::start(&[&flags[..], &WRITES].concat());
    eventually("a room exists", || {
        (!subjects(&server).is_empty()).then_some(())
    });
    run.signal("INT");
    assert_eq!(run.ended().code(), Some(130), "{}", run.stderr());
    assert!(
        run.stderr().contains(" boards were deleted"),
        "{}",
        run.stderr()
    );
    assert!(subjects(&server).is_empty());
}
