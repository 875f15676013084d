//! `megaboard add`: one contribution, and the standings after it.

use serde_json::{Value, json};
use testkit::{Server, cli};

fn add(server: &Server, words: &[&str]) -> cli::Run {
    cli::run(
        &[&["add"], words, &["--server", server.url()]].concat(),
        b"",
    )
}

#[test]
fn a_contribution_with_an_id_counts_once() {
    let server = Server::start();
    let words = ["gifts/room-1", "ada", "30", "--id", "e1", "--json"];
    for (applied, duplicates) in [(1, 0), (0, 1)] {
        let run = add(&server, &words);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
        let added: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(added["board"], "gifts/room-1");
        assert_eq!(
            (&added["member"], &added["id"]),
            (&json!("ada"), &json!("e1"))
        );
        assert_eq!(
            (&added["applied"], &added["duplicates"]),
            (&json!(applied), &json!(duplicates))
        );
        let windows = added["windows"].as_array().unwrap();
        assert_eq!(windows.len(), 5, "hour, day, week, month, all: {added}");
        assert!(
            windows
                .iter()
                .all(|it| it["points"] == 30 && it["rank"] == 1),
            "{added}"
        );
    }
    assert_eq!(server.order("gifts/room-1", "all"), ["ada"]);
    // Without an id, each one counts.
    for _ in 0..2 {
        assert_eq!(add(&server, &["gifts/room-1", "ada", "-5"]).status, Some(0));
    }
    let run = add(&server, &["gifts/room-1", "ben", "21"]);
    let lines: Vec<Vec<&str>> = run
        .stdout
        .lines()
        .map(|it| it.split_whitespace().collect())
        .collect();
    assert_eq!(lines[0], ["gifts/room-1", "ben"]);
    assert_eq!(lines[1], ["window", "rank", "points"]);
    assert_eq!(lines.last().unwrap()[..], ["all", "1", "21"]);
}

#[test]
fn fields_are_named() {
    let fields = "[kinds.races]\nwindows = [\"all\"]\nmode = \"best\"\n\
                  fields = [{ name = \"laps\" }, { name = \"seconds\", order = \"asc\" }]\n";
    let server = Server::with(fields);
    let run = add(&server, &["races/monza", "ada", "laps=3", "seconds=1200"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let last: Vec<&str> = run
        .stdout
        .lines()
        .last()
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(last, ["all", "1", "3", "1200"]);
    for (words, status, part) in [
        (
            &["races/monza", "ada", "3", "seconds=1200"][..],
            1,
            "3 has no field",
        ),
        (&["races/monza", "ada", "3"], 1, "not added: invalid: "),
        (&["nope/monza", "ada", "3"], 1, "nope"),
        (&["races/monza", "ada", "laps=x"], 2, "is not an integer"),
        (&["races/monza", "ada"], 2, "<VALUE>"),
        (&["races", "ada", "3"], 2, "KIND/SUBJECT"),
    ] {
        let run = add(&server, words);
        assert_eq!(
            (run.status, run.stdout.as_str()),
            (Some(status), ""),
            "{words:?}: {run:?}"
        );
        assert!(run.stderr.contains(part), "{part:?} is not in {run:?}");
    }
}
