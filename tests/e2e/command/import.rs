//! `megaboard import`: rejected lines are reported, the others are applied.

use testkit::{Server, cli};

#[test]
fn rejected_rows_are_reported_by_line_and_the_others_are_applied() {
    let server = Server::start();
    let flags = "import - --kind gifts --subject-column room --member-column who \
                 --points-column points --at-column at --missing NA";
    let mut arguments: Vec<&str> = flags.split_whitespace().collect();
    arguments.extend(["--server", server.url()]);
    let csv = "room,who,points,at\n\
               a,u1,5,1700000000000\n\
               a,u2,NA,1700000000000\n\
               a,u3,1.5,1700000000000\n\
               a,u4,6,1700000000\n\
               a,u5,7,9000000000000\n\
               \"b/c\",\"u,6\",8,2023-11-14T22:13:20Z\n";
    let run = cli::run(&arguments, csv.as_bytes());
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(
        run.stdout
            .starts_with("applied 2, duplicates 0, skipped 1, rejected 3, failed 0"),
        "{run:?}"
    );
    for (line, part) in [
        ("line 4:", "1.5"),
        ("line 5:", "1700000000"),
        ("line 6:", "5 minutes"),
    ] {
        let message = run.stderr.lines().find(|message| message.contains(line));
        let message = message.unwrap_or_else(|| panic!("{line} {run:?}"));
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(server.order("gifts/a", "all"), ["u1"]);
    assert_eq!(server.order("gifts/b%2Fc", "all"), ["u,6"]);
}

#[test]
fn with_an_unknown_kind_all_rows_are_rejected() {
    let server = Server::start();
    let line = "{\"board\": \"nope/a\", \"member\": \"u\", \"points\": 1}\n";
    let run = cli::run(&["import", "-", "--server", server.url()], line.as_bytes());
    assert_eq!(run.status, Some(1));
    assert!(run.stdout.contains("rejected 1"), "{run:?}");
    assert!(
        run.stderr.contains("line 1") && run.stderr.contains("nope"),
        "{run:?}"
    );
}
