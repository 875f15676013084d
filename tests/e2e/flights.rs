//! A month of flights through `megaboard import`, held against boards worked out elsewhere: in the
//! order of the file, shuffled, in parts by importers side by side, as CSV and as NDJSON, again;
//! `restarts` has them outlive their server.

mod restarts;

pub(crate) use restarts::{imported, tags};

use std::path::{Path, PathBuf};
use std::thread;

use serde_json::{Value, json};
use testkit::cli::{self, Run};
use testkit::dice::Dice;
use testkit::{Server, encoded, flights};

/// Kinds: name, member column, points column, shards.
const KINDS: [(&str, &str, &str, u32); 3] = [
    ("airline-miles", "carrier", "distance", 1),
    ("plane-miles", "tailnum", "distance", 16),
    ("airline-delay", "carrier", "arr_delay", 4),
];

fn server() -> Server {
    Server::with(&config())
}

/// What a server has to know of the kinds.
pub(crate) fn config() -> String {
    let kind = |(name, _, _, shards): &(&str, &str, &str, u32)| {
        format!(
            "[kinds.{name}]\n\
             time_zone = \"America/New_York\"\n\
             shards = {shards}\n\
             keep = {{ hour = \"forever\", day = \"forever\", week = \"forever\", \
                       month = \"forever\" }}\n"
        )
    };
    KINDS.iter().map(kind).collect()
}

fn import(server: &Server, file: &Path, (kind, member, points, _): (&str, &str, &str, u32)) -> Run {
    let flags = format!(
        "--kind {kind} --subject-column origin --member-column {member} --points-column {points} \
         --at-column time_hour --id-column id --missing NA --server {}",
        server.url()
    );
    let mut arguments = vec!["import", file.to_str().unwrap()];
    arguments.extend(flags.split(' '));
    cli::run(&arguments, b"")
}

/// The counts of a summary that ended well: applied, duplicate, skipped.
#[track_caller]
fn counts(run: &Run) -> [usize; 3] {
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let words: Vec<&str> = run.stdout.split([' ', ',', ';']).collect();
    let count = |name: &str| {
        let place = words.iter().position(|word| *word == name);
        words[place.unwrap_or_else(|| panic!("{run:?}")) + 1]
            .parse::<usize>()
            .unwrap()
    };
    assert_eq!((count("rejected"), count("failed")), (0, 0), "{run:?}");
    ["applied", "duplicates", "skipped"].map(count)
}

/// Rows that have what a kind needs, and those that lack it.
fn whole_and_lacking(member: &str, points: &str) -> [usize; 2] {
    let (header, rows) = flights::rows();
    let place = |name: &str| header.split(',').position(|column| column == name).unwrap();
    let needed = [place(member), place(points)];
    let lacks = |row: &&String| {
        let cells: Vec<&str> = row.split(',').collect();
        needed
            .iter()
            .any(|place| ["", "NA"].contains(&cells[*place]))
    };
    let lacking = rows.iter().filter(lacks).count();
    [rows.len() - lacking, lacking]
}

/// Every board and standing, exactly.
#[track_caller]
pub(crate) fn check(server: &Server) {
    let expected = flights::expected();
    let boards = expected["boards"].as_array().unwrap();
    assert_eq!(boards.len(), 54);
    for board in boards {
        let (name, window) = (board["board"].as_str().unwrap(), board["window"].as_str());
        let window = encoded(window.unwrap());
        let entries = &board["entries"];
        let pages = [
            format!("/v1/boards/{name}/top?n=20&fresh=true&window={window}"),
            format!("/v1/boards/{name}/range?from=1&to=20&window={window}"),
        ];
        for page in pages {
            let shown = server.get(&page).ok();
            assert_eq!(shown["entries"], *entries, "{page}");
            assert_eq!(shown["members"], board["members"], "{page}");
            assert_eq!(shown["window"], board["window"], "{page}");
        }
    }
    let standings = expected["standings"].as_array().unwrap();
    assert_eq!(standings.len(), 74);
    for standing in standings {
        let text = |name: &str| encoded(standing[name].as_str().unwrap());
        let board = standing["board"].as_str().unwrap();
        let shown = server.get(format!(
            "/v1/boards/{board}/members/{}?window={}",
            text("member"),
            text("window")
        ));
        let mut shown = shown.ok();
        let members = shown["members"].as_u64().unwrap();
        assert!(standing["rank"].as_u64().unwrap() <= members);
        assert_eq!(shown["position"], standing["rank"]);
        let all = shown.as_object_mut().unwrap();
        let known = standing.as_object().unwrap();
        all.retain(|name, _| known.contains_key(name));
        assert_eq!(&shown, standing);
    }
}

/// A file of these rows in the server's folder.
fn written(server: &Server, name: &str, rows: &[String]) -> PathBuf {
    let file = server.folder().join(name);
    let (header, _) = flights::rows();
    std::fs::write(&file, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
    file
}

#[test]
fn the_file_makes_the_boards_and_again_changes_nothing() {
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
fn the_order_of_rows_is_of_no_account_nor_is_who_sends_them() {
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
fn ndjson_makes_the_same_boards() {
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
    // One request with everything, by hand: every line is known.
    let receipt = server.lines(&lines).ok();
    assert_eq!(receipt["duplicates"], lines.lines().count());
    assert_eq!(receipt["read"], lines.lines().count());
    assert_eq!(receipt["rejected"], Value::Array(vec![]));
}
