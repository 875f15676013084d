//! Imports that end before the end of the file.

use super::*;

#[test]
fn ctrl_c_ends_the_import_after_the_current_batch() {
    let stop = Stop::default();
    let signalled = stop.clone();
    let server = TestServer::start(move |_, request| {
        signalled.request();
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
    let next = rows + 1;
    assert_eq!(
        import.said,
        [format!("interrupted; continue with --from-line {next}")]
    );
}

#[test]
fn ctrl_c_before_the_first_batch_sends_nothing() {
    let stop = Stop::default();
    stop.request();
    let server = TestServer::start(|_, request| all_applied(request));
    let import = import(&server.args(), ndjson(&without_ids(1..=9)), 7, &stop);
    assert_eq!(import.outcome, Err(Halt::Interrupted));
    assert_eq!(import.said, ["interrupted; continue with --from-line 7"]);
    assert!(server.requests().is_empty());
}

#[test]
fn ctrl_c_ends_the_wait_for_a_server() {
    let stop = Stop::default();
    let signalled = stop.clone();
    let server = TestServer::start(move |_, _| {
        signalled.request();
        Reply::Answer(503, "retry-after: 0\r\n", String::new())
    });
    let import = import(&server.args(), ndjson(&without_ids(1..=2)), 1, &stop);
    assert_eq!(import.outcome, Err(Halt::Interrupted));
    assert!(
        import
            .said
            .last()
            .unwrap()
            .ends_with("continue with --from-line 1")
    );
    assert_eq!(import.summary.failed, 2);
}

#[test]
fn a_truncated_file_is_imported_as_far_as_possible() {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(with_ids(1..=5_000).as_bytes()).unwrap();
    let mut file = encoder.finish().unwrap();
    file.truncate(file.len() - 4);
    let lines = Lines::new(Cursor::new(file)).unwrap();
    let rows = Box::new(NdjsonRows::open(lines).unwrap());
    let server = TestServer::start(|_, request| all_applied(request));
    let import = import(&server.args(), rows, 1, &Stop::default());
    assert!(
        reason(&import).starts_with("reading stopped after line "),
        "{}",
        reason(&import)
    );
    let applied = import.summary.applied;
    assert!(applied > 4_000, "{:?}", import.summary);
    let next = format!("continue with --from-line {}", applied + 1);
    assert!(reason(&import).ends_with(&next), "{}", reason(&import));
}

#[test]
fn an_import_may_start_at_a_later_line() {
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

#[test]
fn half_a_last_row_is_reported_and_not_sent() {
    let server = TestServer::start(|_, request| all_applied(request));
    let import = import(
        &server.args(),
        csv("who,points\na,1\nb,2"),
        1,
        &Stop::default(),
    );
    assert_eq!(import.outcome, Ok(()));
    let summary = Summary {
        applied: 1,
        unfinished: 1,
        ..Summary::default()
    };
    assert_eq!(import.summary, summary);
    assert!(!import.summary.is_clean());
    let [said] = import.said.as_slice() else {
        panic!("{:?}", import.said);
    };
    assert!(
        said.starts_with("line 3: the file ends within this row"),
        "{said}"
    );
    assert!(!server.requests()[0].body.contains("\"b\""));
}
