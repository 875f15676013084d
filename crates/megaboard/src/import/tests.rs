//! Whole imports, short of the process: a file in, requests and a summary out.

use std::io::Cursor;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::{Value, json};

use super::csv::{ColumnNames, SubjectSource};
use super::summary::Summary;
use super::*;
use crate::cli::ServerArgs;
use crate::test_server::{Reply, Request, TestServer};

/// What an import came to.
struct Import {
    outcome: Result<(), Halt>,
    summary: Summary,
    said: Vec<String>,
}

fn import(server: &ServerArgs, rows: Box<dyn Rows>, from_line: u64, stop: &Stop) -> Import {
    let client = Client::new(server);
    let patience = Patience {
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(10),
        give_up_after: Duration::from_millis(300),
    };
    let mut said = Vec::new();
    let mut say = |message| said.push(message);
    let mut delivery = Delivery::new(&client, stop, patience, &mut say);
    let outcome = send_all(Batches::new(rows, from_line), &mut delivery, stop);
    let summary = delivery.summary();
    Import {
        outcome,
        summary,
        said,
    }
}

fn import_ndjson(server: &TestServer, file: &str) -> Import {
    import(&server.args(), ndjson(file), 1, &Stop::default())
}

fn ndjson(file: &str) -> Box<dyn Rows> {
    Box::new(NdjsonRows::new(
        Lines::new(Cursor::new(file.to_owned())).unwrap(),
    ))
}

fn csv(file: &str) -> Box<dyn Rows> {
    let columns = ColumnNames {
        subject: SubjectSource::Fixed("room".to_owned()),
        member: "who".to_owned(),
        points: "points".to_owned(),
        at: None,
        id: None,
    };
    let lines = Lines::new(Cursor::new(file.to_owned())).unwrap();
    Box::new(CsvRows::open(lines, "gifts", columns, None).unwrap())
}

/// An answer: the lists hold place, type and detail.
fn receipt(applied: usize, rejected: &[(usize, &str)], failed: &[(usize, &str)]) -> Value {
    let list = |items: &[(usize, &str)]| -> Vec<Value> {
        let item = |&(index, kind): &(usize, &str)| json!({"index": index, "board": "gifts/room", "type": kind, "detail": "because"});
        items.iter().map(item).collect()
    };
    json!({"applied": applied, "duplicates": 0,
        "rejected_count": rejected.len(), "rejected": list(rejected),
        "failed_count": failed.len(), "failed": list(failed)})
}

fn all_applied(request: &Request) -> Reply {
    Reply::ok(receipt(request.lines().len(), &[], &[]).to_string())
}

fn with_ids(lines: RangeInclusive<u32>) -> String {
    lines.fold(String::new(), |file, n| {
        file + &format!("{{\"member\":\"m{n}\",\"id\":\"e{n}\"}}\n")
    })
}

fn without_ids(lines: RangeInclusive<u32>) -> String {
    lines.fold(String::new(), |file, n| {
        file + &format!("{{\"member\":\"m{n}\"}}\n")
    })
}

fn reason(import: &Import) -> &str {
    match &import.outcome {
        Err(Halt::Failed(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn refused_rows_keep_their_lines_across_batches_and_skipped_rows() {
    let rows = batch::BATCH_ROWS_MAX;
    let mut file = "who,points\n\"quoted\nname\",1\n,2\nbad,x\n\n".to_owned();
    // Line 2 was sent, 4 skipped, 5 unreadable, 6 blank; from line 7 on every row is sent.
    file.extend((0..rows).map(|n| format!("m{n},1\n")));
    let server = TestServer::start(move |_, request| {
        let lines = request.lines();
        // Of each batch the first and the last.
        let refused = [(0, "out-of-range"), (lines.len() - 1, "not-a-member")];
        Reply::ok(receipt(lines.len() - 2, &refused, &[]).to_string())
    });
    let import = import(&server.args(), csv(&file), 1, &Stop::default());
    assert_eq!(import.outcome, Ok(()));
    // An unreadable row is one of the rows of a batch: the first sends one line fewer.
    let last_of_first = 7 + rows as u64 - 3;
    assert_eq!(
        import.said,
        [
            "line 5: points: \"x\" is no exact integer".to_owned(),
            "line 2: gifts/room: out-of-range: because".to_owned(),
            format!("line {last_of_first}: gifts/room: not-a-member: because"),
            format!(
                "line {}: gifts/room: out-of-range: because",
                last_of_first + 1
            ),
            format!(
                "line {}: gifts/room: not-a-member: because",
                last_of_first + 2
            ),
        ]
    );
    let applied = rows as u64 + 1 - 4;
    let summary = Summary {
        applied,
        skipped: 1,
        refused: 4,
        unreadable: 1,
        ..Summary::default()
    };
    assert_eq!(import.summary, summary);
    let sizes: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.lines().len())
        .collect();
    assert_eq!(sizes, [rows - 1, 2]);
}

#[test]
fn what_failed_is_sent_again_where_it_cannot_count_twice() {
    let file = [without_ids(1..=3), with_ids(4..=6)].concat();
    let server = TestServer::start(|before, request| match before {
        0 => {
            let failed = [
                (0, "unavailable"),
                (1, "unknown"),
                (3, "unknown"),
                (5, "something-new"),
            ];
            Reply::ok(receipt(2, &[], &failed).to_string())
        }
        // Places are counted anew in each request.
        1 => Reply::ok(receipt(1, &[(2, "window-closed")], &[(1, "unavailable")]).to_string()),
        _ => all_applied(request),
    });
    let import = import_ndjson(&server, &file);
    assert_eq!(import.outcome, Ok(()));
    let requests = server.requests();
    assert_eq!(
        requests[1].body,
        [without_ids(1..=1), with_ids(4..=4), with_ids(6..=6)].concat()
    );
    assert_eq!(requests[2].body, with_ids(4..=4));
    assert_eq!(requests.len(), 3);
    assert_eq!(
        import.said,
        [
            "line 2: may be applied or not: gifts/room: unknown: because",
            "gifts/room: unavailable: because; trying again",
            "line 6: gifts/room: window-closed: because",
            "gifts/room: unavailable: because; trying again",
        ]
    );
    let summary = Summary {
        applied: 4,
        refused: 1,
        failed: 1,
        ..Summary::default()
    };
    assert_eq!(import.summary, summary);
    assert!(!import.summary.is_clean());
}

#[test]
fn lines_that_an_ended_stream_left_out_are_sent_again() {
    let server = TestServer::start(|before, request| {
        if before > 0 {
            return all_applied(request);
        }
        let mut receipt = receipt(1, &[], &[(1, "unavailable")]);
        receipt["read"] = json!(2);
        Reply::ok(receipt.to_string())
    });
    let import = import_ndjson(&server, &without_ids(1..=4));
    assert_eq!(server.requests()[1].body, without_ids(2..=4));
    assert_eq!(
        import.summary,
        Summary {
            applied: 4,
            ..Summary::default()
        }
    );
}

#[test]
fn outcomes_that_the_server_does_not_list_are_not_passed_over() {
    let cut = |before: usize, request: &Request| {
        if before > 0 {
            return all_applied(request);
        }
        let mut receipt = receipt(1, &[(0, "out-of-range")], &[(1, "unavailable")]);
        receipt["rejected_count"] = json!(2);
        receipt["failed_count"] = json!(2);
        Reply::ok(receipt.to_string())
    };
    let server = TestServer::start(cut);
    let import = import_ndjson(&server, &without_ids(1..=5));
    assert!(import.said[1].starts_with("1 more contributions of lines 1 to 5 were refused"));
    assert!(import.said[2].starts_with("1 more contributions of lines 1 to 5 failed"));
    assert_eq!(import.summary.failed, 1);
    assert_eq!(server.requests()[1].body, without_ids(2..=2));

    // With ids everything goes again: what was applied comes back as a duplicate.
    let server = TestServer::start(cut);
    let import = import_ndjson(&server, &with_ids(1..=5));
    assert_eq!(import.summary.failed, 0);
    assert_eq!(server.requests()[1].body, with_ids(1..=5));
}

#[test]
fn a_server_that_is_busy_or_away_is_waited_for() {
    let busy = r#"{"title":"Unavailable","detail":"the store is away"}"#;
    let server = TestServer::start(move |before, request| match before {
        0 => Reply::Answer(503, "retry-after: 0\r\n", busy.to_owned()),
        // Nothing applied, and each line says so.
        1 => Reply::Answer(
            503,
            "",
            receipt(0, &[], &[(0, "unavailable"), (1, "unavailable")]).to_string(),
        ),
        2 => Reply::Answer(429, "", String::new()),
        _ => all_applied(request),
    });
    let import = import_ndjson(&server, &without_ids(1..=2));
    assert_eq!(import.outcome, Ok(()));
    assert_eq!(
        import.summary,
        Summary {
            applied: 2,
            ..Summary::default()
        }
    );
    assert_eq!(
        import.said,
        ["Unavailable: the store is away; trying again"]
    );
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.body == without_ids(1..=2))
    );
}

#[test]
fn patience_ends_and_says_where_to_go_on() {
    let file = without_ids(1..=4);
    let server = TestServer::start(|before, request| match (before, request.lines().len()) {
        (0, 4) => Reply::ok(
            receipt(
                1,
                &[],
                &[(0, "unavailable"), (2, "unavailable"), (3, "unavailable")],
            )
            .to_string(),
        ),
        _ => Reply::Answer(503, "", String::new()),
    });
    let import = import_ndjson(&server, &file);
    assert_eq!(
        reason(&import),
        "the server answered with status 503. What stands from line 3 on is not done; \
         go on with --from-line 3"
    );
    assert_eq!(
        import.said.last().unwrap(),
        "line 1: not done: the server answered with status 503"
    );
    assert_eq!(
        import.summary,
        Summary {
            applied: 1,
            failed: 3,
            ..Summary::default()
        }
    );

    let nobody = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let nobody = ServerArgs {
        server: format!("http://{nobody}"),
        key: None,
    };
    let import = super::tests::import(&nobody, ndjson(&file), 2, &Stop::default());
    assert!(
        reason(&import).contains("Connection refused"),
        "{}",
        reason(&import)
    );
    assert!(
        reason(&import).ends_with("go on with --from-line 2"),
        "{}",
        reason(&import)
    );
    assert_eq!(import.summary.failed, 3);
}

#[test]
fn a_connection_cut_after_sending_is_tried_again_only_with_ids() {
    let cut = |before: usize, request: &Request| match before {
        // The first answer of all is there, so that the second batch leaves without asking.
        0 | 2 => all_applied(request),
        _ => Reply::Cut,
    };
    let rows = u32::try_from(batch::BATCH_ROWS_MAX).unwrap();
    let server = TestServer::start(cut);
    let import = import_ndjson(&server, &with_ids(1..=rows + 2));
    assert_eq!(import.outcome, Ok(()));
    assert_eq!(import.summary.applied, u64::from(rows) + 2);
    assert_eq!(server.requests()[1].body, with_ids(rows + 1..=rows + 2));
    assert_eq!(server.requests()[2].body, with_ids(rows + 1..=rows + 2));

    let server = TestServer::start(cut);
    let file = [without_ids(1..=rows + 1), with_ids(rows + 2..=rows + 2)].concat();
    let import = import_ndjson(&server, &file);
    let (first, last) = (rows + 1, rows + 2);
    let text = reason(&import);
    assert!(text.contains(&format!(
        "Whether lines {first} to {last} are applied is unknown"
    )));
    assert!(
        text.contains(&format!("--from-line {first} if they are not")),
        "{text}"
    );
    assert!(
        text.ends_with(&format!("--from-line {} if they are", last + 1)),
        "{text}"
    );
    assert_eq!(server.requests().len(), 2);
    assert_eq!(import.summary.failed, 2);
}

#[test]
fn a_refusal_before_the_lines_left_ends_the_import_without_doubt() {
    let server = TestServer::start_refusing(|_, _| {
        Reply::Answer(
            401,
            "",
            r#"{"title":"Unauthorized","detail":"no key"}"#.to_owned(),
        )
    });
    let import = import_ndjson(&server, &without_ids(1..=3));
    assert_eq!(
        reason(&import),
        "Unauthorized: no key. What stands from line 1 on is not done; go on with --from-line 1"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn an_answer_that_cannot_be_read_leaves_the_outcome_unknown() {
    for reply in [
        || Reply::ok("<html>"),
        || Reply::ok(receipt(0, &[(9, "x")], &[]).to_string()),
        || Reply::Answer(502, "", "bad gateway".to_owned()),
    ] {
        let server = TestServer::start(move |_, _| reply());
        let import = import_ndjson(&server, &without_ids(1..=3));
        assert!(reason(&import).contains("unknown"), "{}", reason(&import));
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn ctrl_c_lets_the_batch_under_way_end_and_no_more() {
    let stop = Stop::default();
    let asked = stop.clone();
    let server = TestServer::start(move |_, request| {
        asked.request();
        all_applied(request)
    });
    let rows = u32::try_from(batch::BATCH_ROWS_MAX).unwrap();
    let import = import(&server.args(), ndjson(&without_ids(1..=3 * rows)), 1, &stop);
    assert_eq!(import.outcome, Err(Halt::Interrupted));
    assert_eq!(
        import.summary,
        Summary {
            applied: u64::from(rows),
            ..Summary::default()
        }
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn ctrl_c_ends_the_waiting_for_a_server() {
    let stop = Stop::default();
    let asked = stop.clone();
    let server = TestServer::start(move |_, _| {
        asked.request();
        Reply::Answer(503, "retry-after: 0\r\n", String::new())
    });
    let import = import(&server.args(), ndjson(&without_ids(1..=2)), 1, &stop);
    assert_eq!(import.outcome, Err(Halt::Interrupted));
    assert!(
        import
            .said
            .last()
            .unwrap()
            .ends_with("go on with --from-line 1")
    );
    assert_eq!(import.summary.failed, 2);
}

#[test]
fn a_file_that_breaks_off_is_imported_up_to_there() {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(with_ids(1..=5_000).as_bytes()).unwrap();
    let mut packed = packed.finish().unwrap();
    packed.truncate(packed.len() - 4);
    let rows = Box::new(NdjsonRows::new(Lines::new(Cursor::new(packed)).unwrap()));
    let server = TestServer::start(|_, request| all_applied(request));
    let import = import(&server.args(), rows, 1, &Stop::default());
    assert!(
        reason(&import).starts_with("reading stopped after line "),
        "{}",
        reason(&import)
    );
    assert!(import.summary.applied > 4_000, "{:?}", import.summary);
}

#[test]
fn an_import_goes_on_from_a_line() {
    let server = TestServer::start(|_, request| all_applied(request));
    let file = "who,points\na,1\nb,x\nc,3\n";
    let import = import(&server.args(), csv(file), 4, &Stop::default());
    assert_eq!(
        import.summary,
        Summary {
            applied: 1,
            ..Summary::default()
        }
    );
    assert!(import.said.is_empty());
    assert!(server.requests()[0].body.contains("\"c\""));
}
