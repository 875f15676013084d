//! What cannot be adopted is reported with its name and left out.

use super::Fixture;

#[track_caller]
fn refused(fixture: &Fixture, arguments: &[&str], status: i32, part: &str) {
    let run = fixture.run(arguments);
    assert_eq!(run.status, Some(status), "{run:?}");
    assert!(run.stderr.contains(part), "{part:?} is not in {run:?}");
}

#[test]
fn a_source_that_does_not_exist_is_reported() {
    let fixture = Fixture::new();
    fixture.redis("SET text hello");
    fixture.redis("ZADD scores 1 a");
    let board = ["--board", "power/x"];
    let with = |key: &'static str| [["--sorted-set", key].as_slice(), &board].concat();
    refused(
        &fixture,
        &with("nothing"),
        1,
        "key \"nothing\" does not exist at redis://127.0.0.1:",
    );
    refused(&fixture, &with("text"), 1, "is a string, not a sorted set");
    let two = ["--encoding", "two-sets(time-key=times)"];
    refused(
        &fixture,
        &[with("scores").as_slice(), &two].concat(),
        1,
        "key \"times\" does not exist",
    );
    fixture.redis.stop();
    refused(&fixture, &with("scores"), 1, "Connection refused");
}

#[test]
fn an_encoding_that_is_unknown_or_does_not_fit_is_reported() {
    let fixture = Fixture::new();
    fixture.redis("ZADD scores 1 a");
    let with = |encoding: &'static str, board: &'static str| {
        [
            "--sorted-set",
            "scores",
            "--encoding",
            encoding,
            "--board",
            board,
        ]
    };
    refused(
        &fixture,
        &with("fraction", "power/x"),
        2,
        "requires the parameter base",
    );
    refused(
        &fixture,
        &with("packed", "power/x"),
        2,
        "not one of plain, decimal",
    );
    let fields = "packs 1 values, but kind medals has the fields gold, silver, bronze";
    refused(&fixture, &with("plain", "medals/x"), 1, fields);
    refused(&fixture, &with("plain", "nope/x"), 1, "nope");
    refused(&fixture, &with("plain", "daily/x"), 1, "with --window");
    refused(&fixture, &with("plain", "power"), 2, "KIND/SUBJECT");
    let day = [&with("plain", "power/x")[..], &["--window", "day"]].concat();
    refused(
        &fixture,
        &day,
        1,
        "kind power has no window `day`; choose one of all",
    );
    assert!(fixture.entries("power/x").is_empty());
}

#[test]
fn invalid_members_are_left_out_and_reported() {
    let fixture = Fixture::new();
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
        assert_eq!(fixture.redis.command(&words).integer(), 1);
    }
    let run = fixture.run(&["--sorted-set", "mixed", "--board", "power/mixed"]);
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
    assert_eq!(fixture.order("power/mixed"), ["best", "good"]);
}

#[test]
fn rejections_of_the_server_are_shown() {
    let fixture = Fixture::new();
    // Half a second in milliseconds, read as seconds, would be in the year 2039.
    fixture.redis("ZADD scores 1 a 2 b");
    fixture.redis("ZADD times 1679100000 a 2179100000 b");
    let two = ["--encoding", "two-sets(time-key=times)"];
    let run = fixture.run(
        &[
            ["--sorted-set", "scores", "--board", "power/x"].as_slice(),
            &two,
        ]
        .concat(),
    );
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stderr.contains("from-the-future"), "{run:?}");
    assert_eq!(fixture.order("power/x"), ["a"]);
}

#[test]
fn an_encoding_that_does_not_fit_is_refused_with_those_that_do() {
    let fixture = Fixture::new();
    for (member, score) in [("a", "3.9943412"), ("b", "2.9943411"), ("c", "1.9943410")] {
        assert_eq!(
            fixture
                .redis
                .command(&["ZADD", "packed", score, member])
                .integer(),
            1
        );
    }
    let packed = ["--sorted-set", "packed", "--board", "power/x"];
    let run = fixture.run(&packed);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    for part in [
        "the encoding plain does not fit: 3 of the best 3 entries cannot be read, such as \"a\": 3.99",
        "all of them fit fraction(base=317242022400): choose with --encoding; nothing was changed",
    ] {
        assert!(run.stderr.contains(part), "{part:?} is not in {run:?}");
    }
    assert!(fixture.entries("power/x").is_empty());
}

#[test]
fn packed_scores_are_copied_as_they_are_only_if_that_is_chosen() {
    let fixture = Fixture::new();
    for n in 0..10_i64 {
        let score = (90 + n) * 10_000_000_000 + (9_999_999_999 - 1_679_100_000 - n);
        fixture.redis(&format!("ZADD packed {score} u{n}"));
    }
    let packed = ["--sorted-set", "packed", "--board", "power/x"];
    let parts = "all of the best 10 entries fit decimal: choose with --encoding; --encoding plain copies the \
                 scores as they are; nothing was changed";
    refused(&fixture, &packed, 1, parts);
    assert!(fixture.entries("power/x").is_empty());
    fixture.adopt("packed", "plain", "power/x");
    assert_eq!(fixture.order("power/x").len(), 10);
}

#[test]
fn suspected_encodings_are_named_and_nothing_is_copied() {
    let fixture = Fixture::new();
    for n in 0..12_i64 {
        let left = (n * 7_919_337) % 604_800;
        fixture.redis(&format!(
            "ZADD activity {} u{n}",
            (n + 1) * 10_000_000 + left
        ));
        fixture.redis(&format!(
            "ZADD shifted {} u{n}",
            ((n + 1) << 32) | (1_679_100_000 + n)
        ));
        fixture.redis(&format!("ZADD php {n} s:3:\"u{n:02}\";"));
    }
    for (key, part) in [
        ("activity", "score * 10^7 + (A - seconds)"),
        ("shifted", "score << 32 | seconds"),
        ("php", "serialised by PHP"),
    ] {
        let run = ["--sorted-set", key, "--board", "power/x"];
        refused(&fixture, &run, 1, part);
        refused(&fixture, &run, 1, "nothing was changed");
    }
    assert!(fixture.entries("power/x").is_empty());
    let until = "decimal(digits=7, until=1700000000)";
    fixture.adopt("activity", until, "power/x");
    assert_eq!(fixture.standings("power/x")[0].1, 12);
}

#[test]
fn scores_with_decimals_are_scaled() {
    let fixture = Fixture::new();
    fixture.redis("ZADD prices 12.34 a 0.1 b 7 c");
    let prices = ["--sorted-set", "prices", "--board", "power/x"];
    refused(
        &fixture,
        &prices,
        1,
        "--scale 100 makes integers of all of them",
    );
    let run = fixture.run(&[&prices[..], &["--scale", "100"]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    let points: Vec<_> = fixture
        .standings("power/x")
        .into_iter()
        .map(|it| it.1)
        .collect();
    assert_eq!(points, [1_234, 700, 10]);
    let packed = ["--scale", "100", "--encoding", "decimal"];
    refused(
        &fixture,
        &[&prices[..], &packed].concat(),
        1,
        "--scale: the encoding decimal(digits=10, until=9999999999) packs",
    );
}

#[test]
fn entries_without_a_time_are_reported() {
    let fixture = Fixture::new();
    fixture.redis("ZADD scores 50 a 50 b 60 c");
    fixture.redis("ZADD times 1679100002 a 1679100000 b");
    let two = [
        "--sorted-set",
        "scores",
        "--board",
        "power/x",
        "--at",
        "2023-03-19T00:00:00Z",
    ];
    let two = [&two[..], &["--encoding", "two-sets(time-key=times)"]].concat();
    let run = fixture.run(&two);
    assert_eq!(run.status, Some(0), "{run:?}");
    let warning = "1 entries have no time: they get 2023-03-19T00:00:00.000000Z";
    assert!(run.stderr.contains(warning), "{run:?}");
    fixture.redis("ZREM times a");
    refused(
        &fixture,
        &two,
        1,
        "2 of the best 3 entries cannot be read, such as \"c\": it is not in the set of times",
    );
}

#[test]
fn only_the_first_members_that_are_left_out_are_shown() {
    let fixture = Fixture::new();
    let command = "ZADD mixed".split(' ').map(str::to_owned);
    let good = (0..40).flat_map(|number| ["7".to_owned(), format!("u{number}")]);
    let wrong = (0..30).flat_map(|number| ["0.5".to_owned(), format!("v{number}")]);
    let words: Vec<String> = command.chain(good).chain(wrong).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(fixture.redis.command(&words).integer(), 70);
    let run = fixture.run(&["--sorted-set", "mixed", "--board", "power/x", "--json"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let shown = run
        .stderr
        .lines()
        .filter(|line| line.contains("is left out"));
    assert_eq!(shown.count(), 5, "{run:?}");
    assert!(
        run.stderr
            .contains("further members that are left out are only counted"),
        "{run:?}"
    );
    let result: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let counts = [&result["set"], &result["left_out"], &result["on_board"]];
    assert_eq!(counts, [&40, &30, &40], "{result}");
}
