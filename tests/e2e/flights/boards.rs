//! The kinds of the flights, their import, and the expected boards.

use std::path::Path;

use testkit::cli::{self, Run};
use testkit::{Server, encoded, flights};

/// The kinds: name, member column, points column, shards.
pub(super) const KINDS: [(&str, &str, &str, u32); 3] = [
    ("airline-miles", "carrier", "distance", 1),
    ("plane-miles", "tailnum", "distance", 16),
    ("airline-delay", "carrier", "arr_delay", 4),
];

/// Returns the configuration of the kinds.
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

pub(super) fn import(
    server: &Server,
    file: &Path,
    (kind, member, points, _): (&str, &str, &str, u32),
) -> Run {
    let flags = format!(
        "--kind {kind} --subject-column origin --member-column {member} --points-column {points} \
         --at-column time_hour --id-column id --missing NA --no-state --server {}",
        server.url()
    );
    let mut arguments = vec!["import", file.to_str().unwrap()];
    arguments.extend(flags.split(' '));
    cli::run(&arguments, b"")
}

/// Returns the counts of a summary: applied, duplicate, skipped.
#[track_caller]
pub(super) fn counts(run: &Run) -> [usize; 3] {
    assert_eq!(run.status, Some(0), "{run:?}");
    // The lines that lack what a kind needs are named.
    let names_skipped = |line: &str| line.contains(": skipped: ") && line.ends_with(" is missing");
    assert!(run.stderr.lines().all(names_skipped), "{run:?}");
    let words: Vec<&str> = run.stdout.split([' ', ',', ';']).collect();
    let count = |name: &str| {
        let index = words.iter().position(|word| *word == name);
        words[index.unwrap_or_else(|| panic!("{run:?}")) + 1]
            .parse::<usize>()
            .unwrap()
    };
    assert_eq!((count("rejected"), count("failed")), (0, 0), "{run:?}");
    ["applied", "duplicates", "skipped"].map(count)
}

/// Returns the number of rows that have what a kind needs, and of those that lack it.
pub(super) fn whole_and_lacking(member: &str, points: &str) -> [usize; 2] {
    let (header, rows) = flights::rows();
    let index = |name: &str| header.split(',').position(|column| column == name).unwrap();
    let needed = [index(member), index(points)];
    let lacks = |row: &&String| {
        let cells: Vec<&str> = row.split(',').collect();
        needed
            .iter()
            .any(|index| ["", "NA"].contains(&cells[*index]))
    };
    let lacking = rows.iter().filter(lacks).count();
    [rows.len() - lacking, lacking]
}

/// Asserts that every board and standing is exactly as expected.
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

/// Returns the paths of some boards, with their versions and `ETag`s.
pub(crate) fn tags(server: &Server) -> Vec<(String, String, String)> {
    let boards = ["airline-miles/EWR", "plane-miles/JFK", "airline-delay/LGA"];
    let windows = ["all", "month:2013-01", "day:2013-01-15"];
    let paths = boards.iter().flat_map(|board| {
        windows.map(|window| format!("/v1/boards/{board}/top?window={window}&fresh=true"))
    });
    let tag = |path: String| {
        let top = server.get(&path);
        let version = top.ok()["version"].as_str().unwrap().to_owned();
        (path, version, top.header("etag").to_owned())
    };
    paths.map(tag).collect()
}

/// Imports the file for each kind, and asserts `[applied, duplicate]`.
#[track_caller]
pub(crate) fn imported(server: &Server, outcome: fn(usize) -> [usize; 2]) {
    for kind in KINDS {
        let [whole, lacking] = whole_and_lacking(kind.1, kind.2);
        let run = import(server, &flights::file(), kind);
        let [applied, duplicates] = outcome(whole);
        assert_eq!(counts(&run), [applied, duplicates, lacking], "{kind:?}");
    }
}
