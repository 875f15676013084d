//! Which requests are retried, except contributions.

use std::time::Duration;

use futures::TryStreamExt as _;

use crate::client::Client;
use crate::error::Error;
use crate::problem::ProblemType;
use crate::retry::RetryPolicy;
use crate::scripted::{Reply, Scripted};

const TOP: &str = r#"{"board":"gifts/a","window":"all","version":"v","members":1,"listed":5,"final":true,
    "as_of":"2026-11-20T14:52:22.123000Z","stale":true,"ends_at":"2026-11-20T14:52:22.123000Z","new":{},
    "entries":[{"rank":1,"member":"u","points":3,"reached_at":"2026-11-20T14:52:22.123000Z"}]}"#;
const SET: &str =
    r#"{"applied":0,"duplicates":1,"rejected_count":0,"rejected":[],"failed_count":0,"failed":[]}"#;

#[tokio::test]
async fn reads_are_retried_after_temporary_failures() {
    let server = Scripted::start([
        Reply::Break,
        Reply::BreakWithin,
        Reply::problem(429, "too-many-requests"),
        Reply::problem(503, "unavailable"),
        Reply::problem(503, "unknown"),
        Reply::problem(502, ""),
        Reply::problem(504, ""),
        Reply::ok(TOP),
    ])
    .await;
    let top = server.client().board("gifts", "a/b").top();
    let top = top.n(3).window("day:2026-11-20").fresh(true).await.unwrap();
    assert!(top.stale && top.envelope.is_final);
    assert_eq!(
        (top.envelope.listed, top.entries[0].points()),
        (Some(5), Some(3))
    );
    assert!(top.envelope.span.ends_at.is_some());
    let line = "GET /v1/boards/gifts/a%2Fb/top?n=3&window=day%3A2026-11-20&fresh=true";
    assert!(server.done().iter().all(|seen| seen.line == line));
}

#[tokio::test]
async fn permanent_errors_are_not_retried() {
    for (status, kind) in [
        (400, "invalid"),
        (401, "unauthorized"),
        (404, "not-ranked"),
        (500, ""),
    ] {
        let server = Scripted::start([Reply::problem(status, kind)]).await;
        let error = server
            .client()
            .board("gifts", "a")
            .member("u")
            .await
            .unwrap_err();
        assert_eq!(error.problem().unwrap().status, status);
        assert!(error.is(&ProblemType::from(kind.to_owned())));
        server.done();
    }
    // Redirects are not followed: the key is sent to this server only.
    let moved: &[_] = &[("location", "http://127.0.0.1:1/")];
    let server = Scripted::start([Reply::Answer(302, moved, String::new())]).await;
    let error = server.client().kinds().await.unwrap_err();
    assert_eq!(error.to_string(), "the server returned status 302");
    let server = Scripted::start([Reply::ok("{}")]).await;
    let error = server.client().board("gifts", "a").top().await.unwrap_err();
    assert!(matches!(error, Error::Unreadable(_)), "{error}");
}

#[tokio::test]
async fn names_that_would_change_the_path_are_not_sent() {
    let server = Scripted::start([]).await;
    let client = server.client();
    for name in [".", "..", ""] {
        let results = [
            client.board("gifts", name).top().await.map(drop),
            client.board(name, "a").info().await.map(drop),
            client.board("gifts", "a").member(name).await.map(drop),
            client
                .board("gifts", "a")
                .set_member(name)
                .points(1)
                .await
                .map(drop),
            client
                .board("gifts", "a")
                .remove_member(name)
                .await
                .map(drop),
            client.board("gifts", name).delete().await,
            client.board("gifts", name).stream_token().await.map(drop),
            client.delete_kind(name).await,
            client.erase(name).await.map(drop),
            client.hide(name).await.map(drop),
        ];
        for result in results {
            assert!(
                matches!(result, Err(Error::Unusable(_))),
                "{name:?}: {result:?}"
            );
        }
    }
    assert!(server.done().is_empty());
}

#[tokio::test]
async fn a_deletion_that_may_have_been_applied_is_not_retried() {
    for (reply, kind) in [
        (Reply::Break, None),
        (Reply::problem(503, "unknown"), Some(ProblemType::Unknown)),
        (
            Reply::problem(502, ""),
            Some(ProblemType::from(String::new())),
        ),
    ] {
        let script = vec![reply; 5];
        let server = Scripted::start(script).await;
        let (client, board) = (server.client(), server.client().board("gifts", "a"));
        let results = [
            board.delete().await,
            board.remove_member("u").await.map(drop),
            board.remove_below(10).await.map(drop),
            client.delete_kind("gifts").await,
            client.erase("u").await.map(drop),
        ];
        for result in results {
            let error = result.unwrap_err();
            assert!(error.is_undecided());
            assert_eq!(error.problem().map(|it| it.kind.clone()), kind);
        }
        server.done();
    }
    let server = Scripted::start([
        Reply::problem(503, "unavailable"),
        Reply::problem(429, "too-many-requests"),
        Reply::Answer(204, &[], String::new()),
    ])
    .await;
    server.client().board("gifts", "a").delete().await.unwrap();
    assert_eq!(server.done()[2].line, "DELETE /v1/boards/gifts/a");
}

#[tokio::test]
async fn a_standing_is_set_once_by_its_id() {
    let script = [Reply::Break, Reply::problem(503, "unknown"), Reply::ok(SET)];
    let server = Scripted::start(script).await;
    let set = server.client().board("gifts", "a").set_member("u 1");
    let outcome = set.points(3).window("day").await.unwrap();
    assert!(outcome.is_duplicate);
    let seen = server.done();
    assert_eq!(
        seen[0].line,
        "PUT /v1/boards/gifts/a/members/u%201?window=day"
    );
    assert_eq!(seen[0].body, seen[2].body);
    assert_eq!(seen[0].json()["id"].as_str().unwrap().len(), 32);

    let server = Scripted::start([Reply::problem(503, "unavailable"), Reply::Break]).await;
    let set = server.client().board("gifts", "a").set_member("u");
    let error = set.points(3).without_id().await.unwrap_err();
    assert!(error.is_undecided());
    assert_eq!(server.done()[0].body, r#"{"points":3}"#);
}

#[tokio::test]
async fn an_undecided_error_is_returned_rather_than_a_later_one() {
    let later: &[_] = &[("retry-after", "61")];
    let wait = Reply::Answer(429, later, String::new());
    let server = Scripted::start([Reply::Break, wait]).await;
    let error = server.client().hide("u").await.unwrap_err();
    assert!(error.is_undecided(), "{error}");
    server.done();
}

#[tokio::test]
async fn retries_end_with_the_policy() {
    let server = Scripted::start([Reply::problem(503, "unavailable")]).await;
    let client = server.client_with(RetryPolicy::none());
    let error = client.kind("gifts").await.unwrap_err();
    assert!(error.is(&ProblemType::Unavailable));
    server.done();
    // A readiness check is not retried.
    let server = Scripted::start([Reply::problem(503, "unavailable")]).await;
    assert!(server.client().ready().await.is_err());
    server.done();
}

#[tokio::test]
async fn responses_must_not_exceed_the_maximum_size() {
    let server = Scripted::start([Reply::ok(TOP)]).await;
    let client = Client::builder(server.client().url()).response_bytes_max(TOP.len() - 1);
    let top = client.build().unwrap().board("gifts", "a").top().await;
    assert!(matches!(top, Err(Error::TooLarge { .. })), "{top:?}");
}

#[tokio::test]
async fn a_request_without_a_response_times_out() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let client = Client::builder(url).timeout(Duration::from_millis(30));
    let client = client.retry_policy(RetryPolicy::none()).build().unwrap();
    let error = client.kinds().await.unwrap_err();
    assert!(error.to_string().ends_with("timeout after 30ms"), "{error}");
    assert!(error.is_undecided());
}

#[tokio::test]
async fn all_boards_are_listed_page_by_page() {
    let page = |subjects: &[&str], next: &str| {
        let boards: Vec<_> = subjects
            .iter()
            .map(|it| format!(r#"{{"board":"gifts/{it}","subject":"{it}","shards":16}}"#))
            .collect();
        let boards = boards.join(",");
        Reply::ok(format!(
            r#"{{"kind":"gifts","boards":[{boards}],"next":{next}}}"#
        ))
    };
    let server = Scripted::start([
        page(&["a", "b"], "\"b c\""),
        Reply::Break,
        page(&["c"], "\"c\""),
        page(&[], "null"),
    ])
    .await;
    let boards = server.client().boards("gifts").prefix("room ");
    let all = boards.limit(2).all();
    let subjects: Vec<_> = all.map_ok(|it| it.subject).try_collect().await.unwrap();
    assert_eq!(subjects, ["a", "b", "c"]);
    let seen = server.done();
    assert_eq!(
        seen[2].line,
        "GET /v1/boards?kind=gifts&prefix=room%20&limit=2&after=b%20c"
    );
    assert_eq!(
        seen[3].line,
        "GET /v1/boards?kind=gifts&prefix=room%20&limit=2&after=c"
    );
}

#[tokio::test]
async fn the_busiest_boards_have_their_contributions_per_minute() {
    let board = r#"{"board":"gifts/a","subject":"a","shards":16,"contributions_per_minute":41.59}"#;
    let page = format!(r#"{{"kind":"gifts","boards":[{board}],"next":null}}"#);
    let server = Scripted::start([Reply::ok(page)]).await;
    let boards = server.client().boards("gifts").prefix("a&b").busiest();
    let boards = boards.await.unwrap().boards;
    assert_eq!(boards[0].contributions_per_minute, Some(41.59));
    let line = "GET /v1/boards?kind=gifts&prefix=a%26b&order=activity";
    assert_eq!(server.done()[0].line, line);
}

#[tokio::test]
async fn erase_sends_requests_until_all_boards_are_done() {
    let server = Scripted::start([
        Reply::ok(r#"{"boards":7,"erased":2,"next":"gifts/a"}"#),
        Reply::ok(r#"{"boards":3,"erased":1,"next":null}"#),
    ])
    .await;
    let erased = server.client().erase("u").kind("gifts").await.unwrap();
    assert_eq!((erased.boards, erased.erased, erased.next), (10, 3, None));
    let line = "DELETE /v1/members/u?kind=gifts&after=gifts%2Fa";
    assert_eq!(server.done()[1].line, line);
}
