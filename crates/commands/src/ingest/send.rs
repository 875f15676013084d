//! Sending lines until each is decided: [`EntrySender`].
//!
//! Every line has an id, so that all undecided lines are sent again, in their order, without a time limit. Sending ends
//! when the process stops, its leases of the partitions end, or the server refuses a request. Lines that were decided
//! before remain decided.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use megaboard_client::{Client, Receipt, RetryPolicy, encoded};

use crate::delivery::{LineSender, Lines, Outcomes, Resend, Stop};
use crate::server::dedupe_of;

/// How long the dedupe span of a kind is cached.
const SPAN_CACHED_FOR: Duration = Duration::from_mins(1);
/// The maximum number of kinds in the cache.
const SPANS_MAX: usize = 10_000;
/// Practically without a limit.
const RETRY_FOR: Duration = Duration::from_hours(24 * 365);

/// The server refused a request, and a retry will not help.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Refused(String);

/// The outcomes of lines.
#[derive(Debug, Default)]
pub(super) struct Sent {
    pub(super) applied: u64,
    /// Includes lines that were applied by an earlier attempt.
    pub(super) duplicates: u64,
    /// Rejected lines, by index: the type and the detail of the problem.
    pub(super) rejected: BTreeMap<usize, (String, String)>,
    /// The number of rejected contributions, once for each board.
    pub(super) rejected_count: u64,
    /// The lines that are not decided.
    pub(super) left: BTreeSet<usize>,
    /// Why these are not sent again, if the server refused a request.
    pub(super) refused: Option<Refused>,
}

/// Sends the lines of entries to one server.
pub(super) struct EntrySender {
    client: Client,
    lines: LineSender,
    stop: Stop,
    /// Whether requests fail, which was reported.
    stalled: bool,
    /// The cached dedupe spans, by kind, with the time of the request.
    spans: HashMap<String, (Instant, Option<Duration>)>,
}

impl EntrySender {
    pub(super) fn new(client: Client, stop: Stop) -> Self {
        Self {
            lines: LineSender::new(&client, &stop),
            client,
            stop,
            stalled: false,
            spans: HashMap::new(),
        }
    }

    /// Sends lines. `is_owned` returns whether the line with an index may still be sent.
    pub(super) async fn send(
        &mut self,
        lines: &[&str],
        is_owned: &(dyn Fn(usize) -> bool + Sync),
        say: &(dyn Fn(String) + Sync),
    ) -> Sent {
        let mut all = Lines::default();
        for line in lines {
            all.body.extend_from_slice(line.as_bytes());
            all.end_line(Resend::Always);
        }
        let mut outcomes = EntryOutcomes {
            stalled: &mut self.stalled,
            is_owned,
            say,
            sent: Sent::default(),
        };
        let undone = self.lines.send(&all, &mut outcomes).await;
        let mut sent = outcomes.sent;
        if let Some(undone) = undone {
            sent.left = undone.indices.into_iter().collect();
            let is_refused = !undone.reason.is_empty() && !self.stop.is_requested();
            sent.refused = is_refused.then_some(Refused(undone.reason));
        }
        sent
    }

    /// Returns the shortest dedupe span of these kinds. Kinds that cannot be read are ignored.
    pub(super) async fn dedupe_span(&mut self, kinds: &BTreeSet<&str>) -> Option<Duration> {
        let mut shortest: Option<Duration> = None;
        for kind in kinds {
            let cached = self.spans.get(*kind);
            let span = match cached.filter(|(read, _)| read.elapsed() < SPAN_CACHED_FOR) {
                Some((_, span)) => *span,
                None => self.read_span(kind).await,
            };
            shortest = shortest.into_iter().chain(span).min();
        }
        shortest
    }

    /// Reads the span once: a server that is away is not waited for here.
    async fn read_span(&mut self, kind: &str) -> Option<Duration> {
        let response = self.client.get(format!("/v1/kinds/{}", encoded(kind)));
        let kind_read = serde_json::from_slice(&response.await.ok()?.body).ok();
        let span = kind_read.as_ref().and_then(dedupe_of);
        if self.spans.len() >= SPANS_MAX {
            self.spans.clear();
        }
        self.spans.insert(kind.to_owned(), (Instant::now(), span));
        span
    }
}

/// Returns a policy of retries that practically have no time limit.
pub(super) fn retry_policy() -> RetryPolicy {
    RetryPolicy {
        give_up_after: RETRY_FOR,
        ..RetryPolicy::default()
    }
}

/// Collects the outcomes of lines.
struct EntryOutcomes<'a> {
    stalled: &'a mut bool,
    is_owned: &'a (dyn Fn(usize) -> bool + Sync),
    say: &'a (dyn Fn(String) + Sync),
    sent: Sent,
}

impl Outcomes for EntryOutcomes<'_> {
    fn decided(&mut self, sent: &[usize], _read: &[usize], receipt: &Receipt) {
        self.sent.applied += receipt.applied;
        self.sent.duplicates += receipt.duplicates;
        let (_, unlisted_failed) = receipt.unlisted();
        if unlisted_failed > 0 {
            // All lines are sent again.
            return;
        }
        for item in &receipt.rejected {
            let board = item.board.iter().map(|board| format!("{board}: "));
            let detail = board.chain([item.detail.clone()]).collect();
            let why = (item.kind.to_string(), detail);
            self.sent.rejected.insert(sent[item.index], why);
            self.sent.rejected_count += 1;
        }
    }

    fn retrying(&mut self, reason: &str) {
        if !std::mem::replace(self.stalled, true) {
            (self.say)(format!("{reason}; trying again"));
        }
    }

    fn accepted(&mut self) {
        if std::mem::take(self.stalled) {
            (self.say)("the server accepts contributions again".to_owned());
        }
    }

    fn may_send(&self, index: usize) -> bool {
        (self.is_owned)(index)
    }

    fn needs_each(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Reply, TestServer};

    fn run(server: &TestServer, lines: &[&str], is_owned: &(dyn Fn(usize) -> bool + Sync)) -> Sent {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let client = server.args().client_with(retry_policy()).unwrap();
        let mut sender = EntrySender::new(client, Stop::default());
        runtime.block_on(sender.send(lines, is_owned, &|_| ()))
    }

    #[test]
    fn failed_lines_are_sent_again_in_order_and_rejected_ones_are_not() {
        let server = TestServer::start(|before, request| match before {
            0 => Reply::Answer(503, "retry-after: 0\r\n", "{}".to_owned()),
            1 => Reply::Cut,
            2 => Reply::ok(
                r#"{"applied":1,"duplicates":0,"rejected_count":1,
                "rejected":[{"index":1,"board":"g/a","type":"invalid","detail":"no"}],
                "failed_count":2,"failed":[{"index":0,"type":"unknown","detail":"lost"},
                {"index":3,"type":"unavailable","detail":"away"}],"read":5}"#,
            ),
            _ => Reply::ok(format!(
                r#"{{"applied":{},"duplicates":1,"rejected_count":0,"rejected":[],
                "failed_count":0,"failed":[]}}"#,
                request.lines().len() - 1
            )),
        });
        let lines = ["a\n", "b\n", "c\n", "d\n", "e\n", "f\n"];
        let sent = run(&server, &lines, &|_| true);
        assert_eq!((sent.applied, sent.duplicates), (1 + 2, 1));
        assert_eq!(
            sent.rejected[&1],
            ("invalid".to_owned(), "g/a: no".to_owned())
        );
        assert!(sent.left.is_empty());
        let bodies: Vec<_> = server.requests().into_iter().map(|r| r.body).collect();
        assert_eq!(bodies.last().unwrap(), "a\nd\nf\n");
    }

    #[test]
    fn lines_that_are_no_longer_owned_are_not_sent() {
        let server = TestServer::start(|_, _| Reply::Answer(503, "", "{}".to_owned()));
        let calls = std::sync::atomic::AtomicU32::new(0);
        let is_owned = |_: usize| calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 2;
        let sent = run(&server, &["a\n", "b\n"], &is_owned);
        assert_eq!(sent.left.len(), 2);
        assert_eq!(server.requests().len(), 1);
    }

    #[test]
    fn a_refused_request_ends_the_sending() {
        let problem = r#"{"title":"Forbidden","detail":"the key may only read"}"#;
        let server = TestServer::start(move |_, _| Reply::Answer(403, "", problem.to_owned()));
        let refused = run(&server, &["a\n"], &|_| true).refused.unwrap();
        assert_eq!(refused.to_string(), "Forbidden: the key may only read");
    }

    #[test]
    fn lines_that_were_decided_before_a_refusal_remain_decided() {
        let server = TestServer::start(|_, _| {
            let receipt = r#"{"title":"Unauthorized","detail":"the key has expired",
                "applied":1,"duplicates":0,"rejected_count":1,"rejected":
                [{"index":1,"board":"g/a","type":"invalid","detail":"no"}],
                "failed_count":0,"failed":[],"read":2}"#;
            Reply::Answer(401, "", receipt.to_owned())
        });
        let sent = run(&server, &["a\n", "b\n", "c\n"], &|_| true);
        assert_eq!((sent.applied, sent.rejected_count), (1, 1));
        assert!(sent.rejected.contains_key(&1));
        assert_eq!(sent.left, BTreeSet::from([2]));
        let refused = sent.refused.unwrap().to_string();
        assert_eq!(refused, "Unauthorized: the key has expired");
        assert_eq!(server.requests().len(), 1);
    }

    #[test]
    fn all_rejected_lines_are_reported_although_the_server_lists_only_the_first() {
        let server = TestServer::start(|before, request| {
            let (applied, duplicates, rejected) = match request.body.as_str() {
                _ if before == 0 => (2, 0, 3),
                "a\n" | "e\n" => (0, 1, 0),
                _ => (0, 0, 1),
            };
            // In the first request, the second line is the first rejected one.
            let listed = match (before, rejected) {
                (_, 0) => "",
                (0, _) => r#"{"index":1,"type":"invalid","detail":"no"}"#,
                _ => r#"{"index":0,"type":"invalid","detail":"no"}"#,
            };
            Reply::ok(format!(
                r#"{{"applied":{applied},"duplicates":{duplicates},"rejected_count":{rejected},
                "rejected":[{listed}],"failed_count":0,"failed":[]}}"#
            ))
        });
        let lines = ["a\n", "b\n", "c\n", "d\n", "e\n"];
        let sent = run(&server, &lines, &|_| true);
        let rejected: Vec<usize> = sent.rejected.keys().copied().collect();
        assert_eq!((rejected, sent.rejected_count), (vec![1, 2, 3], 3));
        assert!(sent.left.is_empty());
        // Applied lines are sent only once more.
        let bodies: Vec<_> = server.requests().into_iter().map(|r| r.body).collect();
        assert_eq!(bodies, ["a\nb\nc\nd\ne\n", "a\n", "c\n", "d\n", "e\n"]);
    }

    #[test]
    fn after_unlisted_failures_applied_lines_are_sent_only_once_more() {
        let failed = |applied: u32, count: u32, kind: &str| {
            format!(
                r#"{{"type":"{kind}","applied":{applied},"duplicates":0,"rejected_count":0,"rejected":[],
                "failed_count":{count},"failed":[{{"index":0,"type":"{kind}","detail":"away"}}]}}"#
            )
        };
        let server = TestServer::start(move |before, _| match before {
            // Nothing was applied, so nothing can count twice.
            0 => Reply::Answer(503, "", failed(0, 3, "overloaded")),
            1 => Reply::ok(failed(1, 2, "unavailable")),
            2 => Reply::Answer(503, "", failed(0, 1, "unavailable")),
            _ => Reply::ok(
                r#"{"applied":1,"duplicates":0,"rejected_count":0,"rejected":[],
                "failed_count":0,"failed":[]}"#,
            ),
        });
        let sent = run(&server, &["a\n", "b\n", "c\n"], &|_| true);
        assert!(sent.left.is_empty());
        let bodies: Vec<_> = server.requests().into_iter().map(|r| r.body).collect();
        let all = "a\nb\nc\n";
        assert_eq!(bodies, [all, all, "a\n", "a\n", "b\n", "c\n"]);
    }
}
