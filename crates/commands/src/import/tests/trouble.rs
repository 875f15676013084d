//! Servers that are unreachable, overloaded or failing, or refuse requests.

use super::*;

#[test]
fn temporary_failures_are_retried() {
    let unavailable = r#"{"title":"Unavailable","detail":"the store is away"}"#;
    let server = TestServer::start(move |before, request| match before {
        0 => Reply::Answer(503, "retry-after: 0\r\n", unavailable.to_owned()),
        // No line was applied.
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
fn the_line_to_continue_from_is_reported_when_retries_end() {
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
        "the server returned status 503. Lines from 3 on were not applied; \
         continue with --from-line 3"
    );
    assert_eq!(
        import.said.last().unwrap(),
        "line 1: not applied: the server returned status 503"
    );
    assert_eq!(
        import.summary,
        Summary {
            applied: 1,
            failed: 3,
            ..Summary::default()
        }
    );

    let free_address = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let unreachable = ServerArgs {
        server: format!("http://{free_address}"),
        key: None,
    };
    let import = super::import(&unreachable, ndjson(&file), 2, &Stop::default());
    assert!(
        reason(&import).contains("connection refused"),
        "{}",
        reason(&import)
    );
    assert!(
        reason(&import).ends_with("continue with --from-line 2"),
        "{}",
        reason(&import)
    );
    assert_eq!(import.summary.failed, 3);
}

#[test]
fn lines_are_sent_again_after_a_broken_connection_only_with_ids() {
    let cut = |before: usize, request: &Request| match before {
        // The first receipt has arrived, so that the second batch is sent without `Expect: 100-continue`.
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
fn a_set_is_sent_again_only_among_sets() {
    let set = |member: &str| format!("{{\"member\":\"{member}\",\"set\":true,\"at\":1}}\n");
    let sets = [set("a"), set("b")].concat();
    // A repeated set would discard the other line, which does not count again because of its id.
    let mixed = [set("m1"), with_ids(1..=1)].concat();
    let unknown = receipt(1, &[], &[(0, "unknown")]).to_string();
    for first in [None, Some(unknown)] {
        let is_cut = first.is_none();
        let start = || {
            let first = first.clone();
            TestServer::start(move |before, request| match (before, &first) {
                (0, None) => Reply::Cut,
                (0, Some(receipt)) => Reply::ok(receipt.clone()),
                _ => all_applied(request),
            })
        };
        let server = start();
        assert_eq!(import_ndjson(&server, &sets).outcome, Ok(()));
        let again = if is_cut { sets.clone() } else { set("a") };
        assert_eq!(server.requests()[1].body, again);

        let server = start();
        let import = import_ndjson(&server, &mixed);
        assert_eq!(server.requests().len(), 1);
        let report = import.said.join("\n") + &format!("{:?}", import.outcome);
        let part = if is_cut {
            "lines 1 to 2 are applied is unknown"
        } else {
            "line 1: may or may not have been applied"
        };
        assert!(report.contains(part), "{report}");
    }
}

#[test]
fn the_receipt_of_a_request_that_ended_early_is_used() {
    // Half of the lines were read, and one of those failed.
    let halfway = |status| {
        let mut receipt = receipt(1, &[], &[(1, "unavailable")]);
        receipt["read"] = json!(2);
        receipt["title"] = json!("Ended");
        receipt["detail"] = json!("midway");
        Reply::Answer(status, "", receipt.to_string())
    };
    for status in [401, 403, 413] {
        let server = TestServer::start(move |_, _| halfway(status));
        let import = import_ndjson(&server, &without_ids(1..=4));
        assert_eq!(
            reason(&import),
            "Ended: midway. Lines from 2 on were not applied; continue with --from-line 2"
        );
        let summary = Summary {
            applied: 1,
            failed: 3,
            ..Summary::default()
        };
        assert_eq!(import.summary, summary);
        assert_eq!(server.requests().len(), 1);
    }
    for status in [408, 500, 503] {
        let server = TestServer::start(move |before, request| match before {
            0 => halfway(status),
            _ => all_applied(request),
        });
        let import = import_ndjson(&server, &without_ids(1..=4));
        assert_eq!(import.outcome, Ok(()));
        assert_eq!(import.summary.applied, 4);
        assert_eq!(server.requests()[1].body, without_ids(2..=4));
    }
    // An error after the last line has no effect.
    let server = TestServer::start(|_, _| Reply::Answer(403, "", receipt(4, &[], &[]).to_string()));
    let import = import_ndjson(&server, &without_ids(1..=4));
    assert_eq!((import.outcome, import.summary.applied), (Ok(()), 4));
}

#[test]
fn a_failed_line_is_not_sent_again_after_a_line_it_is_ordered_with() {
    let set = |member: &str, at: u32| {
        format!("{{\"board\":\"g/a\",\"member\":\"{member}\",\"set\":true,\"at\":{at}}}\n")
    };
    let sum = |member: &str| format!("{{\"board\":\"g/a\",\"member\":\"{member}\"}}\n");
    let import = |lines: &[String], failed: &[(usize, &'static str)]| {
        let failed = failed.to_vec();
        let server = TestServer::start(move |before, request| match before {
            0 => Reply::ok(receipt(request.lines().len() - failed.len(), &[], &failed).to_string()),
            _ => all_applied(request),
        });
        let import = import_ndjson(&server, &lines.concat());
        (import, server.requests())
    };
    for (first, second) in [(set("u", 1), sum("u")), (sum("u"), set("u", 1))] {
        let (import, requests) = import(&[first, second, sum("v")], &[(0, "unavailable")]);
        assert_eq!(requests.len(), 1);
        let expected = "line 1: not applied: gifts/room: unavailable: because; if sent again, it would be applied \
                        after line 2";
        assert_eq!(import.said, [expected]);
        let counts = (import.summary.applied, import.summary.failed);
        assert_eq!((import.outcome, counts), (Ok(()), (2, 1)));
    }
    // No later line is ordered with it, or that one was not applied either.
    for (lines, failed, again) in [
        ([set("u", 1), sum("v")], &[(0, "unavailable")][..], 1),
        ([sum("u"), sum("u")], &[(0, "unavailable")], 1),
        (
            [set("u", 1), sum("u")],
            &[(0, "unavailable"), (1, "unavailable")],
            2,
        ),
    ] {
        let (import, requests) = import(&lines, failed);
        assert_eq!(requests[1].body, lines[..again].concat());
        assert_eq!((import.outcome, import.summary.applied), (Ok(()), 2));
    }
    // Sets with a time are sent again together, and count once.
    let lines = [set("u", 1), set("v", 1), set("u", 2)];
    for kind in ["unavailable", "unknown"] {
        let (import, requests) = import(&lines, &[(0, kind)]);
        assert_eq!(requests[1].body, [set("u", 1), set("u", 2)].concat());
        assert_eq!((import.outcome, import.summary.applied), (Ok(()), 3));
    }
}

#[test]
fn lines_that_may_be_applied_are_not_reported_as_not_applied() {
    let server = TestServer::start(|_, _| Reply::Cut);
    let import = import_ndjson(&server, &with_ids(1..=2));
    assert!(
        reason(&import).ends_with(
            "Lines from 1 on may not have been applied; \
             continue with --from-line 1, which counts nothing twice within the kind's dedupe span"
        ),
        "{}",
        reason(&import)
    );
}

#[test]
fn after_a_refusal_before_the_body_was_sent_lines_are_not_applied() {
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
        "Unauthorized: no key. Lines from 1 on were not applied; continue with --from-line 1"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn the_outcome_is_unknown_if_the_response_cannot_be_parsed() {
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
