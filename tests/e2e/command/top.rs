//! `megaboard top`: a table in the order of the board.

use serde_json::json;
use testkit::{Server, cli};

#[test]
fn the_table_shows_the_board() {
    let server = Server::start();
    let at = "2023-11-14T22:13:20.123000Z";
    let items = json!([
        {"board": "gifts/room 1/é", "member": "u1", "points": 5, "at": at},
        {"board": "gifts/room 1/é", "member": "u2", "points": 70, "at": at},
        {"board": "gifts/room 1/é", "member": "u3", "points": -1, "at": at},
    ]);
    server.contribute(&items).ok();
    let arguments = ["top", "gifts/room 1/é", "--window", "all", "-n", "2"];
    let run = cli::run(&[&arguments[..], &["--server", server.url()]].concat(), b"");
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<Vec<&str>> = run
        .stdout
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(
        run.stdout
            .starts_with("gifts/room 1/é  all  3 members  as of 20"),
        "{run:?}"
    );
    assert_eq!(lines[1], ["rank", "member", "points", "reached", "at"]);
    assert_eq!(lines[2], ["1", "u2", "70", at]);
    assert_eq!(lines[3], ["2", "u1", "5", at]);
    assert_eq!(lines.len(), 4);
}

#[test]
fn fields_are_in_the_order_of_the_kind_and_null_is_a_dash() {
    let server = Server::with(
        "[kinds.replies]\nwindows = [\"all\"]\nfields = [{ name = \"zeal\" }, \
         { name = \"agree\", op = \"max\" }]\n",
    );
    let item = json!({"board": "replies/a", "member": "u", "values": {"zeal": 3}});
    server.contribute(&item).ok();
    let run = cli::run(&["top", "replies/a", "--server", server.url()], b"");
    let lines: Vec<&str> = run.stdout.lines().collect();
    let words = |line: &str| -> Vec<String> {
        line.split_whitespace().take(4).map(str::to_owned).collect()
    };
    assert_eq!(words(lines[1]), ["rank", "member", "zeal", "agree"]);
    assert_eq!(words(lines[2]), ["1", "u", "3", "-"]);
}

#[test]
fn an_empty_board_prints_a_heading_and_an_unknown_kind_fails() {
    let server = Server::start();
    let run = cli::run(&["top", "gifts/empty", "--server", server.url()], b"");
    assert_eq!(run.status, Some(0));
    assert_eq!(run.stdout.lines().count(), 1, "{run:?}");
    assert!(run.stdout.contains("0 members"), "{run:?}");
    for (board, window, part) in [("nope/a", "all", "nope"), ("gifts/a", "year", "year")] {
        let flags = ["top", board, "--window", window, "--server", server.url()];
        let run = cli::run(&flags, b"");
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
        assert!(run.stderr.contains(part), "{run:?}");
    }
}
