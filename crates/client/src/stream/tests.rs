//! Streams, tested against a scripted server.

use std::time::Duration;

use super::{Event, Events};
use crate::error::Error;
use crate::problem::ProblemType;
use crate::retry::RetryPolicy;
use crate::scripted::{Reply, Scripted, Then};

const FIRST: &str = "retry: 1\n\n: hello\n\nid: v1\nevent: board\n\
    data: {\"board\":\"gifts/a\",\"window\":\"all\",\"version\":\"v1\",\"members\":0,\"entries\":[],\
    \"as_of\":\"2026-11-20T14:52:22.123000Z\"}\n\n";
const SECOND: &str = "id: v2\nevent: board\n\
    data: {\"board\":\"gifts/a\",\"window\":\"all\",\"version\":\"v2\",\"members\":0,\"entries\":[],\
    \"as_of\":\"2026-11-20T14:52:22.123000Z\"}\n\n";
const DELETED: &str = "event: problem\n\
    data: {\"type\":\"unknown-kind\",\"title\":\"T\",\"status\":404,\"detail\":\"d\"}\n\n";

/// The problem of a top that became too large for the server's memory.
const FULL: &str = "event: problem\n\
    data: {\"type\":\"overloaded\",\"title\":\"T\",\"status\":503,\"detail\":\"d\"}\n\n";

/// Returns a short text for the next event: a version or an error.
async fn next(events: &mut Events) -> String {
    match events.next().await {
        None => "end".to_owned(),
        Some(Ok(Event::Board(top))) => top.envelope.version,
        Some(Ok(Event::Interrupted(error))) => format!("interrupted: {error}"),
        Some(Ok(other)) => panic!("{other:?}"),
        Some(Err(Error::Problem(problem))) => problem.kind.to_string(),
        Some(Err(error)) => format!("error: {error}"),
    }
}

#[tokio::test]
async fn a_temporary_problem_is_an_interruption() {
    let server = Scripted::start([
        Reply::Events(FIRST, Then::Ends),
        Reply::Events(FULL, Then::Ends),
        Reply::Events(SECOND, Then::Ends),
        Reply::Events(DELETED, Then::Ends),
    ])
    .await;
    let mut events = server.client().board("gifts", "a").stream().events();
    assert_eq!(next(&mut events).await, "v1");
    assert!(next(&mut events).await.starts_with("interrupted: "));
    assert_eq!(next(&mut events).await, "v2");
    assert!(next(&mut events).await.starts_with("interrupted: "));
    assert_eq!(next(&mut events).await, "unknown-kind");
}

#[tokio::test]
async fn reconnects_continue_after_the_last_event() {
    let server = Scripted::start([
        Reply::Events(FIRST, Then::Ends),
        Reply::Break,
        Reply::problem(503, "overloaded"),
        Reply::problem(500, ""),
        Reply::Events(SECOND, Then::Ends),
        Reply::Events(DELETED, Then::StaysOpen),
    ])
    .await;
    let board = server.client().board("gifts", "a");
    let mut events = board.stream().n(3).changes().member("u 1").events();
    assert_eq!(next(&mut events).await, "v1");
    // Reported once, despite several attempts.
    let event = next(&mut events).await;
    assert!(
        event.starts_with("interrupted: ") && event.ends_with("the stream has ended"),
        "{event}"
    );
    assert_eq!(next(&mut events).await, "v2");
    assert!(next(&mut events).await.starts_with("interrupted: "));
    assert_eq!(next(&mut events).await, "unknown-kind");
    assert_eq!(next(&mut events).await, "end");
    let seen = server.done();
    let line = "GET /v1/boards/gifts/a/stream?n=3&changes=true&member=u%201";
    assert_eq!(seen[0].line, line);
    let ids: Vec<_> = seen
        .iter()
        .map(|seen| seen.header("last-event-id"))
        .collect();
    let v1 = Some("v1");
    assert_eq!(ids, [None, v1, v1, v1, v1, Some("v2")]);
    assert_eq!(seen[5].header("accept"), Some("text/event-stream"));
    assert_eq!(seen[5].header("authorization"), Some("Bearer mb_k"));
}

#[tokio::test]
async fn a_silent_connection_is_replaced() {
    let script = [
        Reply::Events(FIRST, Then::StaysOpen),
        Reply::Events(SECOND, Then::StaysOpen),
    ];
    let server = Scripted::start(script).await;
    let board = server.client().board("gifts", "a");
    let mut events = board.stream().silence(Duration::from_secs(1)).events();
    assert_eq!(next(&mut events).await, "v1");
    let event = next(&mut events).await;
    assert!(event.ends_with("nothing was received for 1s"), "{event}");
    assert_eq!(next(&mut events).await, "v2");
}

#[tokio::test]
async fn permanent_errors_end_the_stream() {
    for (status, kind) in [
        (400, "invalid"),
        (401, "unauthorized"),
        (403, "forbidden"),
        (404, "unknown-kind"),
        (410, "window-gone"),
    ] {
        let server = Scripted::start([Reply::problem(status, kind)]).await;
        let mut events = server.client().board("gifts", "a").stream().events();
        assert_eq!(next(&mut events).await, kind);
        assert_eq!(next(&mut events).await, "end");
        server.done();
    }
    let server = Scripted::start([Reply::ok("{}")]).await;
    let mut events = server.client().board("gifts", "a").stream().events();
    assert!(next(&mut events).await.ends_with("not an event stream"));
    let mut events = server.client().board("gifts", "..").stream().events();
    assert!(next(&mut events).await.starts_with("error: subject"));
}

#[tokio::test]
async fn a_token_is_sent_instead_of_the_key() {
    let server = Scripted::start([Reply::problem(401, "unauthorized")]).await;
    let board = server.client().board("gifts", "a");
    let mut events = board.stream().token("mbs_t").events();
    assert_eq!(next(&mut events).await, ProblemType::Unauthorized.as_str());
    let seen = server.done();
    assert_eq!(seen[0].line, "GET /v1/boards/gifts/a/stream?token=mbs_t");
    assert_eq!(seen[0].header("authorization"), None);
}

#[tokio::test]
async fn the_retry_policy_may_have_a_time_limit() {
    let server = Scripted::start([Reply::Events(FIRST, Then::Ends), Reply::Break]).await;
    let board = server.client().board("gifts", "a");
    let mut events = board.stream().retry_policy(RetryPolicy::none()).events();
    assert_eq!(next(&mut events).await, "v1");
    assert!(next(&mut events).await.starts_with("interrupted: "));
    assert!(
        next(&mut events)
            .await
            .starts_with("error: no response from ")
    );
    assert_eq!(next(&mut events).await, "end");
}
