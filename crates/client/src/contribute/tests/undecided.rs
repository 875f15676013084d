//! Contributions that are reported as undecided.

use std::time::Duration;

use tokio::net::TcpListener;

use super::{applied, contributions, item, item_on, receipt};
use crate::client::Client;
use crate::contribute::{ContributeError, Contribution};
use crate::error::Error;
use crate::problem::ProblemType;
use crate::retry::RetryPolicy;
use crate::scripted::{EAGER, Reply, Scripted};

/// Returns the undecided contributions: index, `may_be_applied`, `may_be_sent_again`.
fn undecided(error: &ContributeError) -> Vec<(usize, bool, bool)> {
    let undecided = error.undecided.iter();
    undecided
        .map(|it| (it.index, it.may_be_applied, it.may_be_sent_again))
        .collect()
}

#[tokio::test]
async fn an_unknown_outcome_without_an_id_is_undecided() {
    for reply in [
        Reply::Break,
        Reply::BreakWithin,
        Reply::problem(408, "too-slow"),
        Reply::problem(500, ""),
        Reply::ok("<html>"),
        Reply::problem(503, "unknown"),
        receipt(503, 0, 0, "", &item(0, "unknown")),
    ] {
        let server = Scripted::start([reply.clone()]).await;
        let event = Contribution::new("gifts/a", "u").points(1).without_id();
        let error = server.client().contribute(&[event]).await.unwrap_err();
        assert_eq!(undecided(&error), [(0, true, false)], "{reply:?}");
        assert!(!error.may_be_sent_again() && error.cause.is_undecided());
        assert_eq!(server.done().len(), 1, "{reply:?}");
    }
}

#[tokio::test]
async fn contributions_with_ids_are_sent_again_when_others_are_undecided() {
    let mut all = contributions(1_003);
    all[1] = all[1].clone().without_id();
    let server = Scripted::start([Reply::Break, applied(999)]).await;
    let error = server.client().contribute(&all).await.unwrap_err();
    assert_eq!(error.outcome.applied, 999);
    // The last three were never sent.
    let unsent = [
        (1_000, false, true),
        (1_001, false, true),
        (1_002, false, true),
    ];
    assert_eq!(undecided(&error)[0], (1, true, false));
    assert_eq!(undecided(&error)[1..], unsent);
    let seen = server.done();
    assert_eq!(seen[1].json().as_array().unwrap().len(), 999);
}

#[tokio::test]
async fn an_undecided_item_of_a_receipt_does_not_end_the_others() {
    let all: Vec<_> = contributions(3)
        .into_iter()
        .map(Contribution::without_id)
        .collect();
    let failed = [item(0, "unavailable"), item(1, "unknown")].join(",");
    let server = Scripted::start([receipt(200, 1, 0, "", &failed), applied(1)]).await;
    let error = server.client().contribute(&all).await.unwrap_err();
    assert_eq!(error.outcome.applied, 2);
    assert_eq!(undecided(&error), [(1, true, false)]);
    assert!(error.cause.is(&ProblemType::Unknown), "{error}");
    assert_eq!(server.done()[1].json()[0]["member"], "u0");
}

#[tokio::test]
async fn a_refusal_ends_the_sending_and_keeps_the_outcome() {
    let server = Scripted::start([applied(1_000), Reply::problem(403, "forbidden")]).await;
    let error = server
        .client()
        .contribute(&contributions(1_001))
        .await
        .unwrap_err();
    assert_eq!(error.outcome.applied, 1_000);
    assert_eq!(undecided(&error), [(1_000, false, true)]);
    assert!(error.cause.is(&ProblemType::Forbidden) && error.may_be_sent_again());
    assert!(
        error.to_string().starts_with("T: d; 1000 applied"),
        "{error}"
    );
    assert_eq!(server.done().len(), 2);
}

#[tokio::test]
async fn a_refusal_of_a_retry_does_not_decide_the_first_attempt() {
    let server = Scripted::start([Reply::Break, Reply::problem(401, "unauthorized")]).await;
    let error = server
        .client()
        .contribute(&contributions(1))
        .await
        .unwrap_err();
    assert_eq!(undecided(&error), [(0, true, true)]);
    server.done();
}

#[tokio::test]
async fn a_single_contribution_that_is_too_large_is_undecided() {
    let server = Scripted::start([Reply::problem(413, "too-large")]).await;
    let error = server
        .client()
        .contribute(&contributions(1))
        .await
        .unwrap_err();
    assert_eq!(undecided(&error), [(0, false, true)]);
    server.done();
}

#[tokio::test]
async fn only_the_failed_boards_are_undecided_when_retries_end() {
    let event = Contribution::new("gifts/a", "u")
        .also_on("gifts/b")
        .points(1);
    let failed = item_on(0, "gifts/b", "unavailable");
    let server = Scripted::start([receipt(200, 1, 0, "", &failed)]).await;
    let client = server.client_with(RetryPolicy::none());
    let error = client.contribute(&[event]).await.unwrap_err();
    assert_eq!(undecided(&error), [(0, false, true)]);
    assert_eq!(error.undecided[0].boards, ["gifts/b"]);
    assert_eq!(error.outcome.applied, 1);
    server.done();
}

#[tokio::test]
async fn a_retry_after_beyond_the_time_limit_ends_the_retries() {
    let later: &[_] = &[("retry-after", "61")];
    let server = Scripted::start([Reply::Answer(503, later, String::new())]).await;
    let error = server
        .client()
        .contribute(&contributions(2))
        .await
        .unwrap_err();
    let problem = error.cause.problem().unwrap();
    assert_eq!(problem.retry_after, Some(Duration::from_secs(61)));
    assert_eq!(error.undecided.len(), 2);
    server.done();
}

#[tokio::test]
async fn an_unreachable_server_has_applied_nothing() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let policy = RetryPolicy {
        give_up_after: Duration::from_millis(20),
        ..EAGER
    };
    let client = Client::builder(url).retry_policy(policy).build().unwrap();
    let event = Contribution::new("gifts/a", "u").points(1).without_id();
    let error = client.contribute(&[event]).await.unwrap_err();
    assert_eq!(undecided(&error), [(0, false, true)]);
    assert!(matches!(error.cause, Error::Unreached { .. }), "{error}");
}
