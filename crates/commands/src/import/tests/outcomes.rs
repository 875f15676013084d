//! Receipts with rejected, failed and unlisted contributions.

use super::*;

#[test]
fn rejected_rows_are_reported_by_their_lines() {
    let rows = batch::BATCH_ROWS_MAX;
    let mut file = "who,points\n\"quoted\nname\",1\n,2\nbad,x\n\n".to_owned();
    // Line 2 is sent, 4 skipped, 5 unreadable, 6 blank; all rows from line 7 on are sent.
    file.extend((0..rows).map(|n| format!("m{n},1\n")));
    let server = TestServer::start(move |_, request| {
        let lines = request.lines();
        // The first and the last line of each batch.
        let rejected = [(0, "out-of-range"), (lines.len() - 1, "not-a-member")];
        Reply::ok(receipt(lines.len() - 2, &rejected, &[]).to_string())
    });
    let import = import(&server.args(), csv(&file), 1, &Stop::default());
    assert_eq!(import.outcome, Ok(()));
    // The unreadable row and the skipped one count as rows of the first batch, which therefore has two lines fewer.
    let last_of_first = 7 + rows as u64 - 4;
    assert_eq!(
        import.said,
        [
            "line 5: points: \"x\" is not an integer".to_owned(),
            "line 4: skipped: who is missing".to_owned(),
            "line 2: gifts/room: out-of-range: because".to_owned(),
            format!("line {last_of_first}: gifts/room: not-a-member: because"),
            format!(
                "line {}: gifts/room: out-of-range: because",
                last_of_first + 1
            ),
            format!(
                "line {}: gifts/room: not-a-member: because",
                last_of_first + 3
            ),
        ]
    );
    let applied = rows as u64 + 1 - 4;
    let summary = Summary {
        applied,
        skipped: 1,
        rejected: 4,
        unreadable: 1,
        ..Summary::default()
    };
    assert_eq!(import.summary, summary);
    let sizes: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.lines().len())
        .collect();
    assert_eq!(sizes, [rows - 2, 3]);
}

#[test]
fn a_line_of_several_boards_is_sent_again_only_with_an_id() {
    let line = |rest: &str| {
        format!("{{\"boards\":[\"gifts/room\",\"gifts/b\"],\"member\":\"u\",\"points\":1{rest}}}\n")
    };
    let file = [line(""), line(",\"id\":\"e\"")];
    let server = TestServer::start(|before, _| match before {
        // Both were applied on their other board.
        0 => {
            let failed = [(0, "unavailable"), (1, "unavailable")];
            Reply::ok(receipt(2, &[], &failed).to_string())
        }
        _ => Reply::ok(receipt(1, &[], &[]).to_string()),
    });
    let import = import_ndjson(&server, &file.concat());
    assert_eq!(server.requests()[1].body, file[1]);
    let said = "line 1: may or may not have been applied: gifts/room: unavailable: because";
    assert!(import.said.iter().any(|it| it == said), "{:?}", import.said);
}

#[test]
fn failed_lines_are_sent_again_if_they_cannot_count_twice() {
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
        // Indices refer to the lines of this request.
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
            "line 2: may or may not have been applied: gifts/room: unknown: because",
            "gifts/room: unavailable: because; trying again",
            "line 6: gifts/room: window-closed: because",
            "gifts/room: unavailable: because; trying again",
        ]
    );
    let summary = Summary {
        applied: 4,
        rejected: 1,
        failed: 1,
        ..Summary::default()
    };
    assert_eq!(import.summary, summary);
    assert!(!import.summary.is_clean());
}

#[test]
fn unread_lines_are_sent_again() {
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
fn unlisted_outcomes_are_reported_and_end_the_import() {
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
    let rows = u32::try_from(batch::BATCH_ROWS_MAX).unwrap();
    let import = import_ndjson(&server, &without_ids(1..=rows + 1));
    let [first, rejected, listed, failed] = &import.said[..] else {
        panic!("{:?}", import.said);
    };
    assert_eq!(first, "line 1: gifts/room: out-of-range: because");
    assert!(rejected.starts_with("1 more contributions of lines 1 to 1000 were rejected"));
    assert_eq!(
        listed,
        "line 2: not applied: gifts/room: unavailable: because"
    );
    assert!(failed.starts_with("1 more contributions of lines 1 to 1000 failed"));
    assert_eq!(
        reason(&import),
        "1 contributions failed and are not listed; continue with --from-line 1001"
    );
    let summary = Summary {
        applied: 1,
        rejected: 2,
        failed: 2,
        ..Summary::default()
    };
    assert_eq!((import.summary, server.requests().len()), (summary, 1));

    // With ids all lines are sent again; applied ones are reported as duplicates.
    let server = TestServer::start(cut);
    let import = import_ndjson(&server, &with_ids(1..=5));
    assert_eq!(import.summary.failed, 0);
    assert_eq!(server.requests()[1].body, with_ids(1..=5));
}

#[test]
fn unread_lines_are_reported_as_not_applied() {
    let server = TestServer::start(|_, _| {
        let mut receipt = receipt(1, &[], &[]);
        receipt["failed_count"] = json!(2);
        receipt["read"] = json!(3);
        Reply::ok(receipt.to_string())
    });
    let import = import_ndjson(&server, &without_ids(1..=5));
    assert!(
        import.said[0].starts_with("2 more contributions of lines 1 to 3 failed"),
        "{:?}",
        import.said
    );
    assert_eq!(
        reason(&import),
        "2 contributions failed and are not listed. Lines from 4 on were not applied; \
         continue with --from-line 4"
    );
    assert_eq!((import.summary.applied, import.summary.failed), (1, 4));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn all_lines_are_sent_again_if_nothing_was_applied() {
    let overloaded = |kind: &'static str| {
        move |before: usize, request: &Request| {
            if before > 0 {
                return all_applied(request);
            }
            let mut receipt = receipt(0, &[], &[(0, "overloaded")]);
            receipt["failed_count"] = json!(4);
            receipt["type"] = json!(kind);
            Reply::Answer(503, "retry-after: 0\r\n", receipt.to_string())
        }
    };
    let server = TestServer::start(overloaded("overloaded"));
    let import = import_ndjson(&server, &without_ids(1..=4));
    assert_eq!(import.outcome, Ok(()));
    assert_eq!(
        import.said,
        ["gifts/room: overloaded: because; trying again"]
    );
    let summary = Summary {
        applied: 4,
        ..Summary::default()
    };
    assert_eq!(import.summary, summary);
    assert_eq!(server.requests()[1].body, without_ids(1..=4));

    // An unlisted one may have been applied.
    let server = TestServer::start(overloaded("unknown"));
    let import = import_ndjson(&server, &without_ids(1..=4));
    assert!(reason(&import).ends_with("continue with --from-line 5"));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn after_unlisted_failures_only_ordered_lines_are_not_sent_again() {
    let line = |member: &str, set: bool| {
        format!(
            "{{\"board\":\"g/a\",\"member\":\"{member}\",\"set\":{set},\"id\":\"{member}{set}\"}}\n"
        )
    };
    let lines = [
        line("u", true),
        line("v", false),
        line("u", false),
        line("w", true),
    ];
    let server = TestServer::start(|before, request| {
        if before > 0 {
            return all_applied(request);
        }
        let mut receipt = receipt(1, &[], &[]);
        receipt["failed_count"] = json!(3);
        Reply::ok(receipt.to_string())
    });
    let import = import_ndjson(&server, &lines.concat());
    assert_eq!(import.outcome, Ok(()));
    let why = "may or may not have been applied: 3 contributions failed and are not listed; if sent again, it might be \
               applied after a later line";
    assert_eq!(
        import.said,
        [
            format!("line 1: {why}"),
            format!("line 3: {why}"),
            "3 contributions failed and are not listed; trying again".to_owned(),
        ]
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(
        requests[1].body,
        [lines[1].as_str(), lines[3].as_str()].concat()
    );
    assert_eq!((import.summary.applied, import.summary.failed), (2, 2));
}
