//! `megaboard member erase`: the confirmation, and the list of boards.

use serde_json::Value;
use testkit::{Server, cli};

fn filled() -> Server {
    let server = Server::with("[kinds.gifts]\n[kinds.races]\n");
    server.give("gifts/a", &[("u1", 5), ("u2", 9)]);
    server.give("gifts/b", &[("u2", 1)]);
    server.give("races/c", &[("u1", 7)]);
    server
}

fn erase(server: &Server, more: &[&str]) -> cli::Run {
    let flags = ["member", "erase", "u1", "--server", server.url()];
    cli::run(&[&flags[..], more].concat(), b"y\n")
}

#[test]
fn without_a_terminal_it_is_refused_unless_confirmed() {
    let server = filled();
    let run = erase(&server, &[]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.stderr.contains("add --yes to confirm it"), "{run:?}");
    assert_eq!(server.order("gifts/a", "all"), ["u2", "u1"]);
    let run = erase(&server, &["--yes", "--kind", "gifts"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "erased from 1 of 2 boards\n")
    );
    let run = erase(&server, &["--yes", "--json"]);
    assert_eq!(
        run.stdout,
        "{\"member\":\"u1\",\"boards\":3,\"erased\":1}\n"
    );
    assert_eq!(server.order("gifts/a", "all"), ["u2"]);
    assert!(server.order("races/c", "all").is_empty());
}

#[test]
fn a_dry_run_says_where_the_member_is_hidden() {
    let server = filled();
    let hide = "/v1/members/u1/hidden?kind=gifts";
    server.send("PUT", hide, &[], "").ok();
    let run = erase(&server, &["--dry-run"]);
    let hidden = "u1 is hidden in gifts: its boards there are not listed, and are erased too";
    assert_eq!(run.stdout.lines().last(), Some(hidden), "{run:?}");
    assert!(run.stdout.contains("races/c"), "{run:?}");
    let run = erase(&server, &["--dry-run", "--json"]);
    let ranked: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(ranked["hidden_in"], serde_json::json!(["gifts"]));
    let run = erase(&server, &["--dry-run", "--kind", "races"]);
    assert!(!run.stdout.contains("hidden"), "{run:?}");
}

#[test]
fn a_dry_run_lists_the_boards_and_erases_nothing() {
    let server = filled();
    let run = erase(&server, &["--dry-run"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(
        lines[1].contains("gifts/a") && lines[1].contains("all"),
        "{run:?}"
    );
    assert!(lines[2].contains("races/c"), "{run:?}");
    assert_eq!(
        lines[3..],
        ["u1 is ranked on 2 of 3 boards; nothing was erased"]
    );
    let run = erase(&server, &["--dry-run", "--kind", "gifts", "--json"]);
    let ranked: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&ranked["looked_at"], &ranked["boards"][0]["board"]),
        (&2.into(), &"gifts/a".into())
    );
    assert_eq!(server.order("gifts/a", "all"), ["u2", "u1"]);
    let run = erase(&server, &["--dry-run", "--yes"]);
    assert_eq!(run.status, Some(2), "one or the other: {run:?}");
}
