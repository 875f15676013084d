//! Servers that are away, busy, broken or unwilling.

use super::*;

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
        "the server answered with status 503. Lines from 3 on were not applied; \
         continue with --from-line 3"
    );
    assert_eq!(
        import.said.last().unwrap(),
        "line 1: not applied: the server answered with status 503"
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
    let import = super::import(&nobody, ndjson(&file), 2, &Stop::default());
    assert!(
        reason(&import).contains("Connection refused"),
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
fn a_set_is_sent_again_only_beside_other_sets() {
    let set = |member: &str| format!("{{\"member\":\"{member}\",\"set\":true,\"at\":1}}\n");
    let sets = [set("a"), set("b")].concat();
    // Set again, it would undo what the id keeps from counting again.
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
        let told = import.said.join("\n") + &format!("{:?}", import.outcome);
        let part = if is_cut {
            "lines 1 to 2 are applied is unknown"
        } else {
            "line 1: may or may not have been applied"
        };
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn a_request_that_is_ended_midway_is_settled_as_far_as_it_came() {
    // Half of the lines, and one of those failed.
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
    // Refused behind the last line: there is nothing left to refuse.
    let server = TestServer::start(|_, _| Reply::Answer(403, "", receipt(4, &[], &[]).to_string()));
    let import = import_ndjson(&server, &without_ids(1..=4));
    assert_eq!((import.outcome, import.summary.applied), (Ok(()), 4));
}

#[test]
fn what_failed_is_not_put_behind_a_line_that_it_should_stand_before() {
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
        let told = "line 1: not applied: gifts/room: unavailable: because; sent again, it would count \
                    behind line 2";
        assert_eq!(import.said, [told]);
        let counts = (import.summary.applied, import.summary.failed);
        assert_eq!((import.outcome, counts), (Ok(()), (2, 1)));
    }
    // Nothing stands behind them of their member, or that is not applied either.
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
    // Sets at times of their own go again together, and count once.
    let lines = [set("u", 1), set("v", 1), set("u", 2)];
    for kind in ["unavailable", "unknown"] {
        let (import, requests) = import(&lines, &[(0, kind)]);
        assert_eq!(requests[1].body, [set("u", 1), set("u", 2)].concat());
        assert_eq!((import.outcome, import.summary.applied), (Ok(()), 3));
    }
}

#[test]
fn what_may_be_applied_is_not_called_undone() {
    let server = TestServer::start(|_, _| Reply::Cut);
    let import = import_ndjson(&server, &with_ids(1..=2));
    assert!(
        reason(&import).ends_with(
            "Lines from 1 on may not have been applied; \
             continue with --from-line 1, which does not count anything twice"
        ),
        "{}",
        reason(&import)
    );
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
        "Unauthorized: no key. Lines from 1 on were not applied; continue with --from-line 1"
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
