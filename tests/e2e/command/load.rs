//! `megaboard load`: the printed counts are those of the server.

use testkit::{Exposition, Server, cli};

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

#[test]
fn the_table_shows_what_the_server_accepted() {
    let server = Server::start();
    let flags = [
        "--rate",
        "400",
        "--batch",
        "10",
        "--reads",
        "80",
        "--streams",
        "3",
    ];
    let run = load(&server, &[&flags[..], &["--members", "50"]].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let count = |begins: &str, word: usize| -> u64 {
        line(&run, begins)[word]
            .parse()
            .unwrap_or_else(|_| panic!("{run:?}"))
    };
    let applied = count("contributions", 1);
    assert!((1..=800).contains(&applied), "{run:?}");
    let metrics = Exposition::of(&server);
    let counted = metrics.sum("megaboard_contributions_total", &[("outcome", "applied")]);
    assert_eq!(counted.to_string(), applied.to_string(), "{run:?}");
    assert_eq!(count("contribute", 1), applied / 10);
    for read in ["top", "member", "around", "range"] {
        assert_eq!((count(read, 1) > 0, count(read, 3)), (true, 0), "{run:?}");
    }
    assert!(
        count("streams", 1) >= 3,
        "each stream has seen the board: {run:?}"
    );
    let board = server.get("/v1/boards/gifts/load?window=all").ok();
    assert!(
        (1..=50).contains(&board["members"].as_u64().unwrap()),
        "{board}"
    );
}

#[test]
fn rejected_and_missing_contributions_are_reported_with_status_1() {
    let server =
        Server::with("[kinds.races]\nwindows = [\"all\"]\nfields = [{ name = \"laps\" }]\n");
    let run = load(&server, &["--board", "nope/a"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("nope"), "{run:?}");
    let few = [
        "--rate",
        "40",
        "--batch",
        "20",
        "--reads",
        "0",
        "--streams",
        "0",
    ];
    let run = load(&server, &[&["--board", "races/a"][..], &few].concat());
    assert_eq!(run.status, Some(1), "{run:?}");
    assert_eq!(line(&run, "contributions")[1], "0");
    assert_eq!(line(&run, "contributions")[8], "80", "rejected: {run:?}");
    assert!(run.stdout.contains(" times  points"), "{run:?}");
    let away = ["load", "--server", "http://127.0.0.1:1", "--duration", "1s"];
    let run = cli::run(&away, b"");
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("127.0.0.1:1"), "{run:?}");
}
