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
    let import = super::import(&nobody, ndjson(&file), 2, &Stop::default());
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
            "line 1: may be applied or not"
        };
        assert!(told.contains(part), "{told}");
    }
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
