//! Sending lines until each is decided: [`Sender`].
//!
//! Every line has an id, so that all undecided lines are sent again, in their order, without a time limit. Sending ends
//! when the process stops, its leases of the partitions end, or the server refuses a request. Lines that were decided
//! before remain decided.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::future::BoxFuture;
use megaboard_client::{
    BatchReply, BatchRequest, Client, Format, Kind, Next, Pause, Receipt, ReceiptItem, RetryPolicy,
};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::board_path::encoded;
use crate::server::explained;

/// How long the dedupe span of a kind is cached.
const SPAN_CACHED_FOR: Duration = Duration::from_mins(1);
/// The maximum number of kinds in the cache.
const SPANS_MAX: usize = 10_000;
/// Practically without a limit.
const RETRY_FOR: Duration = Duration::from_hours(24 * 365);

/// The maximum number of lines of a request, after a receipt that did not list all outcomes. The receipt for one line
/// is always complete. So each applied line is sent only once more.
const LINES_MAX_IN_DOUBT: usize = 1;

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
    /// Whether some of these may have been applied, since a receipt did not list all outcomes.
    is_in_doubt: bool,
}

/// Sends lines to one server.
pub(super) struct Sender {
    client: Client,
    http: megaboard_client::Sender,
    stop: watch::Receiver<bool>,
    /// Whether requests fail, which was reported.
    stalled: bool,
    /// Whether the server has returned a receipt before.
    has_receipt: bool,
    /// The cached dedupe spans, by kind, with the time of the request.
    spans: HashMap<String, (Instant, Option<Duration>)>,
}

impl Sender {
    pub(super) fn new(client: Client, stop: watch::Receiver<bool>) -> Self {
        Self {
            http: megaboard_client::Sender::new(&client, Format::Ndjson),
            client,
            stop,
            stalled: false,
            has_receipt: false,
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
        let sent = Sent {
            left: (0..lines.len()).collect(),
            ..Sent::default()
        };
        let http = self.http.clone();
        let mut in_flight = InFlight {
            sender: self,
            lines,
            is_owned,
            say,
            indices: Vec::new(),
            reason: String::new(),
            sent,
        };
        http.send(&mut in_flight).await;
        in_flight.sent
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

    async fn read_span(&mut self, kind: &str) -> Option<Duration> {
        let path = format!("/v1/kinds/{}", encoded(kind));
        let response = self.client.get(path).await.ok()?;
        let span = serde_json::from_slice::<Kind>(&response.body).ok();
        let span = span.and_then(|kind| humantime::parse_duration(&kind.dedupe?).ok());
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

/// Lines being sent.
struct InFlight<'a> {
    sender: &'a mut Sender,
    lines: &'a [&'a str],
    is_owned: &'a (dyn Fn(usize) -> bool + Sync),
    say: &'a (dyn Fn(String) + Sync),
    /// The lines of the last request.
    indices: Vec<usize>,
    /// Why some of these are sent again.
    reason: String,
    sent: Sent,
}

impl megaboard_client::Batch for InFlight<'_> {
    fn request(&mut self, is_retry: bool) -> Option<BatchRequest> {
        let lines_max = if self.sent.is_in_doubt {
            LINES_MAX_IN_DOUBT
        } else {
            usize::MAX
        };
        let left = self.sent.left.iter().copied();
        let owned = left.filter(|it| (self.is_owned)(*it));
        self.indices = owned.take(lines_max).collect();
        (!self.indices.is_empty()).then(|| {
            let body: String = self
                .indices
                .iter()
                .map(|index| self.lines[*index])
                .collect();
            BatchRequest {
                body: Bytes::from(body),
                count: self.indices.len(),
                asks_first: is_retry || !self.sender.has_receipt,
            }
        })
    }

    fn settle(&mut self, reply: BatchReply) -> Next {
        let before = self.sent.left.len();
        let reason = self.settle_reply(reply);
        if self.sent.refused.is_some() {
            return Next::End;
        }
        let Some(reason) = reason else {
            if std::mem::take(&mut self.sender.stalled) {
                (self.say)("the server accepts contributions again".to_owned());
            }
            return Next::Continue;
        };
        self.reason = reason;
        Next::Retry {
            progress: self.sent.left.len() < before,
        }
    }

    fn wait(&mut self, pause: Pause) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            if !std::mem::replace(&mut self.sender.stalled, true) {
                (self.say)(format!("{}; trying again", self.reason));
            }
            if *self.sender.stop.borrow() {
                return false;
            }
            tokio::select! {
                () = sleep(pause.length.unwrap_or_default()) => true,
                _ = self.sender.stop.changed() => false,
            }
        })
    }
}

impl InFlight<'_> {
    /// Removes decided lines from `sent.left`. Returns why the others are sent again, if there are any and the server
    /// did not refuse the request.
    fn settle_reply(&mut self, reply: BatchReply) -> Option<String> {
        let refusal = match reply {
            BatchReply::Receipt {
                receipt,
                problem,
                is_refusal,
                ..
            } => {
                self.sender.has_receipt = true;
                let reason = settle_receipt(&receipt, &self.indices, &mut self.sent);
                match problem.filter(|_| is_refusal) {
                    Some(problem) => explained(&problem),
                    None => return reason,
                }
            }
            BatchReply::NotApplied(error) | BatchReply::Unknown(error) => {
                return Some(error.to_string());
            }
            BatchReply::TooLarge(error) | BatchReply::Refused(error) => error.to_string(),
        };
        self.sent.refused = Some(Refused(refusal));
        None
    }
}

/// Counts what a receipt decides, and removes decided lines from `sent.left`. Returns why the others are sent again.
fn settle_receipt(receipt: &Receipt, indices: &[usize], sent: &mut Sent) -> Option<String> {
    sent.applied += receipt.applied;
    sent.duplicates += receipt.duplicates;
    let read = &indices[..receipt.read.unwrap_or(indices.len())];
    let indices_of = |items: &[ReceiptItem]| -> BTreeSet<usize> {
        items.iter().map(|item| indices[item.index]).collect()
    };
    let (rejected, failed) = (indices_of(&receipt.rejected), indices_of(&receipt.failed));
    let (unlisted_rejected, unlisted_failed) = receipt.unlisted();
    // Any line may be an unlisted one, so all are sent again. Applied ones count once by their id, within the dedupe
    // span.
    sent.is_in_doubt |= unlisted_rejected + unlisted_failed > 0 && !receipt.is_nothing_applied();
    let is_decided = |index: &usize| {
        !failed.contains(index)
            && unlisted_failed == 0
            && (unlisted_rejected == 0 || rejected.contains(index))
    };
    let mut are_all_decided = read.len() == indices.len();
    for index in read {
        if is_decided(index) {
            sent.left.remove(index);
        } else {
            are_all_decided = false;
        }
    }
    // Rejected lines that are sent again will be listed again.
    let decided = |item: &&ReceiptItem| is_decided(&indices[item.index]);
    for item in receipt.rejected.iter().filter(decided) {
        let board = item.board.iter().map(|board| format!("{board}: "));
        let detail = board.chain([item.detail.clone()]).collect();
        let why = (item.kind.to_string(), detail);
        sent.rejected.insert(indices[item.index], why);
        sent.rejected_count += 1;
    }
    let reason = receipt.failed.first().map(ReceiptItem::explain);
    let reason = reason.or_else(|| {
        (unlisted_rejected > 0).then(|| format!("{unlisted_rejected} rejected are not listed"))
    });
    (!are_all_decided)
        .then(|| reason.unwrap_or_else(|| "the server did not accept all lines".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_server::{Reply, TestServer};

    fn run(server: &TestServer, lines: &[&str], is_owned: &(dyn Fn(usize) -> bool + Sync)) -> Sent {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let (_stop, stopped) = watch::channel(false);
        let mut sender = Sender::new(server.args().client_with(retry_policy()).unwrap(), stopped);
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
