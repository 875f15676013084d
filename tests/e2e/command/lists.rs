//! `megaboard kinds` and `megaboard boards`.

use serde_json::{Value, json};
use testkit::{Server, cli};

fn words(run: &cli::Run) -> Vec<Vec<&str>> {
    assert_eq!(run.status, Some(0), "{run:?}");
    let lines = run.stdout.lines();
    lines
        .map(|line| line.split_whitespace().collect())
        .collect()
}

#[test]
fn kinds_have_their_fields_windows_and_mode() {
    let server = Server::with(
        "[kinds.gifts]\nwindows = [\"day\", \"all\"]\n[kinds.races]\nwindows = [\"all\"]\nmode = \"best\"\n\
         fields = [{ name = \"laps\" }, { name = \"seconds\", order = \"asc\" }]\n",
    );
    let run = cli::run(&["kinds", "--server", server.url()], b"");
    assert_eq!(
        words(&run),
        [
            &["kind", "mode", "fields", "windows"][..],
            &["gifts", "accumulate", "points", "day,", "all"],
            &["races", "best", "laps,", "seconds", "(asc)", "all"],
        ]
    );
    let run = cli::run(&["kinds", "--json", "--server", server.url()], b"");
    let kinds: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        kinds,
        server.get("/v1/kinds").ok(),
        "as the server returns them"
    );
}

#[test]
fn boards_are_listed_by_subject_up_to_a_number() {
    let server = Server::start();
    for number in 0..5 {
        server.give(&format!("gifts/room-{number}"), &[("u", 1)]);
    }
    let ends = json!({"ends_at": "2099-01-01T00:00:00Z"});
    server.put("/v1/boards/gifts/timed", &ends).ok();
    server.give("gifts/timed", &[("u", 1)]);
    let boards = |more: &[&str]| {
        cli::run(
            &[&["boards", "gifts", "--server", server.url()], more].concat(),
            b"",
        )
    };
    let run = boards(&[]);
    assert_eq!(words(&run).len(), 7);
    assert_eq!(
        words(&run)[0],
        ["board", "shards", "starts", "at", "ends", "at"]
    );
    let last = words(&run).pop().unwrap();
    assert_eq!(
        (last[0], last[2], last[3]),
        ("gifts/timed", "-", "2099-01-01T00:00:00Z")
    );
    assert_eq!(run.stderr, "");
    let run = boards(&["-n", "2"]);
    let first: Vec<&str> = words(&run).iter().map(|line| line[0]).collect();
    assert_eq!(first, ["board", "gifts/room-0", "gifts/room-1"]);
    assert!(
        run.stderr.contains("--after \"room-1\" continues"),
        "{run:?}"
    );
    let run = boards(&["-n", "2", "--after", "room-1", "--json"]);
    let page: Value = serde_json::from_str(&run.stdout).unwrap();
    let next = server
        .get("/v1/boards?kind=gifts&limit=2&after=room-1")
        .ok();
    assert_eq!(
        (&page["kind"], &page["next"]),
        (&next["kind"], &next["next"])
    );
    for (listed, expected) in page["boards"]
        .as_array()
        .unwrap()
        .iter()
        .zip([&next["boards"][0], &next["boards"][1]])
    {
        for member in ["board", "subject", "shards"] {
            assert_eq!(listed[member], expected[member], "{page}");
        }
    }
    assert_eq!(page["boards"].as_array().unwrap().len(), 2, "{page}");
    let run = cli::run(&["boards", "nope", "--server", server.url()], b"");
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("nope"), "{run:?}");
}
