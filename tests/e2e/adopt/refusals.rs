//! What cannot be adopted is told by name, and nothing is put in its place.

use super::Stage;

#[track_caller]
fn refused(stage: &Stage, arguments: &[&str], status: i32, part: &str) {
    let run = stage.run(arguments);
    assert_eq!(run.status, Some(status), "{run:?}");
    assert!(run.stderr.contains(part), "{part:?} is not in {run:?}");
}

#[test]
fn a_source_that_does_not_exist() {
    let stage = Stage::new();
    stage.redis("SET text hello");
    stage.redis("ZADD scores 1 a");
    let board = ["--board", "power/x"];
    let with = |key: &'static str| [["--key", key].as_slice(), &board].concat();
    refused(
        &stage,
        &with("nothing"),
        1,
        "key \"nothing\" does not exist at redis://127.0.0.1:",
    );
    refused(&stage, &with("text"), 1, "is a string, not a sorted set");
    let two = ["--encoding", "two-sets(time-key=times)"];
    refused(
        &stage,
        &[with("scores").as_slice(), &two].concat(),
        1,
        "key \"times\" does not exist",
    );
    stage.redis.stop();
    refused(&stage, &with("scores"), 1, "Connection refused");
}

#[test]
fn an_encoding_that_is_unknown_or_does_not_fit() {
    let stage = Stage::new();
    stage.redis("ZADD scores 1 a");
    let with = |encoding: &'static str, board: &'static str| {
        ["--key", "scores", "--encoding", encoding, "--board", board]
    };
    refused(
        &stage,
        &with("fraction", "power/x"),
        2,
        "requires the parameter base",
    );
    refused(
        &stage,
        &with("packed", "power/x"),
        2,
        "not one of plain, decimal",
    );
    let fields = "packs 1 values, but kind medals has the fields gold, silver, bronze";
    refused(&stage, &with("plain", "medals/x"), 1, fields);
    refused(&stage, &with("plain", "nope/x"), 1, "nope");
    refused(&stage, &with("plain", "daily/x"), 1, "with --window");
    refused(&stage, &with("plain", "power"), 2, "KIND/SUBJECT");
    let day = [&with("plain", "power/x")[..], &["--window", "day"]].concat();
    refused(
        &stage,
        &day,
        1,
        "kind power has no window `day`; choose one of all",
    );
    assert!(stage.entries("power/x").is_empty());
}

#[test]
fn members_that_cannot_be_are_left_out_and_reported() {
    let stage = Stage::new();
    let long = "x".repeat(129);
    for (score, member) in [
        ("3", "good"),
        ("2", long.as_str()),
        ("1", "a\nb"),
        ("1.5", "half"),
        ("inf", "endless"),
        ("4", "best"),
    ] {
        let words = ["ZADD", "mixed", score, member];
        assert_eq!(stage.redis.command(&words).integer(), 1);
    }
    let run = stage.run(&["--key", "mixed", "--board", "power/mixed"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(
        run.stdout.starts_with("set 2, left out 4, rejected 0;"),
        "{run:?}"
    );
    for part in [
        "is longer than 128 bytes",
        "\"half\" is left out: 1.5 is not an integer",
        "\"endless\" is left out",
        "control",
    ] {
        assert!(run.stderr.contains(part), "{part:?} is not in {run:?}");
    }
    assert_eq!(stage.order("power/mixed"), ["best", "good"]);
}

#[test]
fn what_the_server_refuses_is_shown() {
    let stage = Stage::new();
    // Half a second of milliseconds taken for seconds would be in the year 2039.
    stage.redis("ZADD scores 1 a 2 b");
    stage.redis("ZADD times 1679100000 a 2179100000 b");
    let two = ["--encoding", "two-sets(time-key=times)"];
    let run = stage.run(&[["--key", "scores", "--board", "power/x"].as_slice(), &two].concat());
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stderr.contains("from-the-future"), "{run:?}");
    assert_eq!(stage.order("power/x"), ["a"]);
}
