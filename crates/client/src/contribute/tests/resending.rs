//! Contributions that are sent again, and their ids.

use super::{applied, contributions, item, item_on, receipt};
use crate::contribute::{Contribution, Returning};
use crate::problem::ProblemType;
use crate::scripted::{Reply, Scripted};

#[tokio::test]
async fn a_failed_request_is_sent_again_with_the_same_ids() {
    for reply in [
        Reply::Break,
        Reply::BreakWithin,
        Reply::problem(408, "too-slow"),
        Reply::problem(500, ""),
        Reply::problem(502, ""),
        Reply::problem(503, "unknown"),
        Reply::problem(503, "unavailable"),
        Reply::problem(503, "overloaded"),
        Reply::problem(429, "too-many-requests"),
        Reply::ok("<html>"),
    ] {
        let server = Scripted::start([reply.clone(), receipt(200, 1, 2, "", "")]).await;
        let all = contributions(3);
        let outcome = server.client().contribute(&all).await.unwrap();
        assert_eq!((outcome.applied, outcome.duplicates), (1, 2), "{reply:?}");
        let seen = server.done();
        assert_eq!(seen[0].line, "POST /v1/contributions");
        assert_eq!(seen[0].header("authorization"), Some("Bearer mb_k"));
        assert_eq!(seen[0].header("content-type"), Some("application/json"));
        let ids: Vec<_> = all.iter().map(|it| it.known_as().unwrap()).collect();
        assert_eq!(seen[0].ids(), ids);
        assert_eq!(seen[1].ids(), ids);
        assert_eq!(seen[0].body, seen[1].body);
    }
}

#[tokio::test]
async fn only_failed_items_of_a_receipt_are_sent_again() {
    let failed = [item(1, "unavailable"), item(3, "unknown")].join(",");
    let server = Scripted::start([
        // If all failed, the status is 503.
        receipt(200, 2, 0, &item(2, "not-open"), &failed),
        receipt(
            503,
            0,
            0,
            "",
            &[item(0, "unavailable"), item(1, "unavailable")].join(","),
        ),
        receipt(200, 1, 1, "", ""),
    ])
    .await;
    let all = contributions(5);
    let outcome = server.client().contribute(&all).await.unwrap();
    assert_eq!((outcome.applied, outcome.duplicates), (3, 1));
    let rejected = &outcome.rejected[0];
    assert_eq!(
        (rejected.index, rejected.kind.clone()),
        (2, ProblemType::NotOpen)
    );
    assert_eq!(rejected.board.as_deref(), Some("gifts/a"));
    let seen = server.done();
    let again = [all[1].known_as().unwrap(), all[3].known_as().unwrap()];
    assert_eq!(seen[1].ids(), again);
    assert_eq!(seen[2].ids(), again);
}

#[tokio::test]
async fn a_contribution_is_sent_again_only_for_the_board_that_failed() {
    let event = Contribution::new("gifts/a", "u")
        .also_on("gifts/b")
        .also_on("gifts/c")
        .points(1);
    let server = Scripted::start([
        receipt(
            200,
            1,
            0,
            &item_on(0, "gifts/b", "not-open"),
            &item_on(0, "gifts/c", "unavailable"),
        ),
        applied(1),
    ])
    .await;
    let outcome = server.client().contribute(&[event]).await.unwrap();
    assert_eq!((outcome.applied, outcome.rejected_count), (2, 1));
    let seen = server.done();
    assert_eq!(seen[1].json()[0]["board"], "gifts/c");
    assert_eq!(seen[1].ids(), seen[0].ids());
}

#[tokio::test]
async fn unread_contributions_are_sent_again_even_without_ids() {
    let cut = r#"{"applied":1,"duplicates":0,"rejected_count":0,"rejected":[],
        "failed_count":0,"failed":[],"read":1}"#;
    let server = Scripted::start([Reply::ok(cut), applied(2)]).await;
    let all: Vec<_> = contributions(3)
        .into_iter()
        .map(Contribution::without_id)
        .collect();
    let outcome = server.client().contribute(&all).await.unwrap();
    assert_eq!(outcome.applied, 3);
    assert_eq!(server.done()[1].json()[0]["member"], "u1");
}

#[tokio::test]
async fn contributions_without_ids_are_sent_again_if_definitely_not_applied() {
    let server = Scripted::start([
        Reply::problem(429, "too-many-requests"),
        Reply::problem(503, "overloaded"),
        Reply::Answer(503, &[], "<html>".to_owned()),
        receipt(503, 0, 0, "", &item(0, "unavailable")),
        applied(1),
    ])
    .await;
    let event = Contribution::new("gifts/a", "u").points(1).without_id();
    let outcome = server.client().contribute(&[event]).await.unwrap();
    assert_eq!(outcome.applied, 1);
    assert_eq!(server.done().len(), 5);
}

#[tokio::test]
async fn unlisted_failures_are_sent_again_with_their_ids() {
    let cut = r#"{"applied":1,"duplicates":0,"rejected_count":1,"rejected":[
        {"index":0,"board":"gifts/a","type":"not-open","detail":""}],
        "failed_count":2,"failed":[{"index":1,"board":"gifts/a","type":"unknown","detail":""}]}"#;
    let server = Scripted::start([Reply::ok(cut), receipt(200, 2, 1, "", "")]).await;
    let all = contributions(4);
    let outcome = server.client().contribute(&all).await.unwrap();
    assert_eq!((outcome.applied, outcome.duplicates), (3, 1));
    assert_eq!(outcome.rejected.len(), 1);
    let ids: Vec<_> = all[1..].iter().map(|it| it.known_as().unwrap()).collect();
    assert_eq!(server.done()[1].ids(), ids);
}

#[tokio::test]
async fn unlisted_failures_without_ids_are_sent_again_if_nothing_was_applied() {
    let cut = r#"{"type":"overloaded","applied":0,"duplicates":0,"rejected_count":0,"rejected":[],
        "failed_count":3,"failed":[{"index":0,"board":"gifts/a","type":"overloaded","detail":""}]}"#;
    let server = Scripted::start([Reply::Answer(503, &[], cut.to_owned()), applied(3)]).await;
    let all: Vec<_> = contributions(3)
        .into_iter()
        .map(Contribution::without_id)
        .collect();
    let outcome = server.client().contribute(&all).await.unwrap();
    assert_eq!(outcome.applied, 3);
    let seen = server.done();
    assert_eq!(seen[0].body, seen[1].body);
}

#[tokio::test]
async fn several_requests_keep_the_order_and_report_the_indices_of_the_caller() {
    let server = Scripted::start([
        applied(1_000),
        receipt(200, 999, 0, &item(17, "invalid"), ""),
        receipt(200, 0, 0, "", &item(499, "unavailable")),
        receipt(200, 0, 0, &item(0, "invalid"), ""),
    ])
    .await;
    let all = contributions(2_500);
    let outcome = server.client().contribute(&all).await.unwrap();
    let indices: Vec<_> = outcome.rejected.iter().map(|it| it.index).collect();
    assert_eq!(indices, [1_017, 2_499]);
    let seen = server.done();
    let firsts: Vec<_> = seen
        .iter()
        .map(|it| it.json()[0]["member"].clone())
        .collect();
    assert_eq!(firsts, ["u0", "u1000", "u2000", "u2499"]);
}

#[tokio::test]
async fn a_request_that_is_too_large_is_split_in_halves() {
    let server = Scripted::start([
        Reply::problem(413, "too-large"),
        applied(2),
        Reply::problem(413, "too-large"),
        applied(1),
        applied(1),
    ])
    .await;
    let outcome = server.client().contribute(&contributions(4)).await.unwrap();
    assert_eq!(outcome.applied, 4);
    let seen = server.done();
    let members = |n: usize| {
        let items = seen[n].json();
        let items = items.as_array().unwrap().iter();
        items.map(|it| it["member"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(members(1), ["u0", "u1"]);
    assert_eq!(members(3), ["u2"]);
    assert_eq!(members(4), ["u3"]);
}

#[tokio::test]
async fn standings_have_the_index_of_the_caller() {
    let body = r#"{"applied":1,"duplicates":0,"rejected_count":0,"rejected":[],"failed_count":0,"failed":[],
        "partial_count":1,"partial":[{"index":0,"board":"gifts/a","left_out":["hour"]}],
        "standings":[{"index":0,"board":"gifts/a","member":"u1000","windows":[
        {"window":"all","points":3,"reached_at":"2026-11-20T14:52:22.123000Z","rank":4,"position":5,"previous_rank":6}]}]}"#;
    let server = Scripted::start([applied(1000), Reply::ok(body)]).await;
    let all = contributions(1001);
    let request = server.client().contribute(&all);
    let outcome = request.returning(Returning::PreviousRanks).await.unwrap();
    let written = &outcome.standings[0];
    assert_eq!((written.index, &*written.member), (1000, "u1000"));
    let window = &written.windows[0];
    assert_eq!(
        (window.values.points(), window.rank, window.position),
        (Some(3), Some(4), Some(5))
    );
    assert_eq!(window.previous_rank, Some(6));
    let partial = &outcome.partial[0];
    assert_eq!(
        (partial.index, &*partial.left_out),
        (1000, &["hour".to_owned()][..])
    );
    assert_eq!(outcome.partial_count, 1);
    let line = "POST /v1/contributions?return=ranks&previous_rank=true";
    assert_eq!(server.done()[0].line, line);
}

#[tokio::test]
async fn a_request_of_which_everything_is_rejected_does_not_end_the_others() {
    let rejected = (0..1000).map(|n| {
        format!(r#"{{"index":{n},"board":"nope/a","type":"unknown-kind","detail":"it"}}"#)
    });
    let rejected = rejected.collect::<Vec<_>>().join(",");
    let body = format!(
        r#"{{"type":"nothing-applied","status":422,"applied":0,"duplicates":0,"rejected_count":1000,
        "rejected":[{rejected}],"failed_count":0,"failed":[]}}"#
    );
    let server = Scripted::start([Reply::Answer(422, &[], body), applied(1)]).await;
    let all = contributions(1001);
    let outcome = server.client().contribute(&all).await.unwrap();
    assert_eq!((outcome.applied, outcome.rejected_count), (1, 1000));
    assert_eq!(outcome.rejected.len(), 1000);
}
