//! Lines sent until each is decided: [`Sender`]. The requests are those of the client's sender.
//!
//! Every line has an id, so that whatever failed, or may have, is sent again in its order, for as long
//! as it takes: nothing is given up but when the process is to stop, the lines are no longer its own to
//! send, or the server refuses. What was decided until then is decided.

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

/// How long what a kind remembers is taken for known.
const SPAN_KNOWN_FOR: Duration = Duration::from_mins(1);
/// Kinds whose spans are kept.
const SPANS_MAX: usize = 10_000;
/// A stall is as long as the server is away.
const RETRY_FOR: Duration = Duration::from_hours(24 * 365);

/// Lines of a request after a receipt that left something out of its lists: of one line a receipt always says what
/// became of it, so that what was applied goes out once more and not again and again.
const SURELY_LISTED_MAX: usize = 1;

/// Why sending ends for good.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Refused(String);

/// What became of the lines.
#[derive(Debug, Default)]
pub(super) struct Sent {
    pub(super) applied: u64,
    /// Those that were applied and had to be sent again are among them.
    pub(super) duplicates: u64,
    /// By index: the problem's type and detail.
    pub(super) rejected: BTreeMap<usize, (String, String)>,
    /// The same by contribution and board.
    pub(super) rejected_count: u64,
    /// Not decided.
    pub(super) left: BTreeSet<usize>,
    /// Why the rest is not sent, where the server refuses.
    pub(super) refused: Option<Refused>,
    /// Whether some of what is left may have been applied, since a receipt did not list all of the others.
    is_in_doubt: bool,
}

/// Sends to one server.
pub(super) struct Sender {
    client: Client,
    http: megaboard_client::Sender,
    stop: watch::Receiver<bool>,
    /// Whether the server is in trouble, which was said.
    stalled: bool,
    acquainted: bool,
    spans: HashMap<String, (Instant, Option<Duration>)>,
}

impl Sender {
    pub(super) fn new(client: Client, stop: watch::Receiver<bool>) -> Self {
        Self {
            http: megaboard_client::Sender::new(&client, Format::Ndjson),
            client,
            stop,
            stalled: false,
            acquainted: false,
            spans: HashMap::new(),
        }
    }

    /// Sends these lines. `is_ours` says of an index whether that line may still be sent.
    pub(super) async fn send(
        &mut self,
        lines: &[&str],
        is_ours: &(dyn Fn(usize) -> bool + Sync),
        say: &(dyn Fn(String) + Sync),
    ) -> Sent {
        let sent = Sent {
            left: (0..lines.len()).collect(),
            ..Sent::default()
        };
        let http = self.http.clone();
        let mut under_way = UnderWay {
            sender: self,
            lines,
            is_ours,
            say,
            indices: Vec::new(),
            reason: String::new(),
            sent,
        };
        http.send(&mut under_way).await;
        under_way.sent
    }

    /// The shortest span for which a board of these kinds remembers an id, as far as it is known.
    pub(super) async fn span(&mut self, kinds: &BTreeSet<&str>) -> Option<Duration> {
        let mut shortest: Option<Duration> = None;
        for kind in kinds {
            let known = self.spans.get(*kind);
            let span = match known.filter(|(asked, _)| asked.elapsed() < SPAN_KNOWN_FOR) {
                Some((_, span)) => *span,
                None => self.ask_span(kind).await,
            };
            shortest = shortest.into_iter().chain(span).min();
        }
        shortest
    }

    async fn ask_span(&mut self, kind: &str) -> Option<Duration> {
        let path = format!("/v1/kinds/{}", encoded(kind));
        let answer = self.client.get(path).await.ok()?;
        let span = serde_json::from_slice::<Kind>(&answer.body).ok();
        let span = span.and_then(|kind| humantime::parse_duration(&kind.dedupe?).ok());
        if self.spans.len() >= SPANS_MAX {
            self.spans.clear();
        }
        self.spans.insert(kind.to_owned(), (Instant::now(), span));
        span
    }
}

/// Tries again for as long as the server is away.
pub(super) fn retry_policy() -> RetryPolicy {
    RetryPolicy {
        give_up_after: RETRY_FOR,
        ..RetryPolicy::default()
    }
}

/// Lines until each is decided.
struct UnderWay<'a> {
    sender: &'a mut Sender,
    lines: &'a [&'a str],
    is_ours: &'a (dyn Fn(usize) -> bool + Sync),
    say: &'a (dyn Fn(String) + Sync),
    /// The lines of the last request.
    indices: Vec<usize>,
    /// Why something of it is to be sent again.
    reason: String,
    sent: Sent,
}

impl megaboard_client::Batch for UnderWay<'_> {
    fn request(&mut self, is_retry: bool) -> Option<BatchRequest> {
        let most = if self.sent.is_in_doubt {
            SURELY_LISTED_MAX
        } else {
            usize::MAX
        };
        let ours = self.sent.left.iter().copied();
        self.indices = ours.filter(|it| (self.is_ours)(*it)).take(most).collect();
        (!self.indices.is_empty()).then(|| {
            let body: String = self
                .indices
                .iter()
                .map(|index| self.lines[*index])
                .collect();
            BatchRequest {
                body: Bytes::from(body),
                count: self.indices.len(),
                asks_first: is_retry || !self.sender.acquainted,
            }
        })
    }

    fn settle(&mut self, reply: BatchReply) -> Next {
        let before = self.sent.left.len();
        let reason = self.judge(reply);
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

impl UnderWay<'_> {
    /// Takes out of `sent.left` what is decided; why the rest is to be sent again, if there is any and the
    /// server does not refuse.
    fn judge(&mut self, reply: BatchReply) -> Option<String> {
        let refusal = match reply {
            BatchReply::Receipt {
                receipt,
                problem,
                is_refusal,
                ..
            } => {
                self.sender.acquainted = true;
                let reason = settle(&receipt, &self.indices, &mut self.sent);
                match problem.filter(|_| is_refusal) {
                    Some(problem) => problem.to_string(),
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

/// Counts what a receipt decides, and takes it out of `sent.left`; why the rest is to be sent again.
fn settle(receipt: &Receipt, indices: &[usize], sent: &mut Sent) -> Option<String> {
    sent.applied += receipt.applied;
    sent.duplicates += receipt.duplicates;
    let read = &indices[..receipt.read.unwrap_or(indices.len())];
    let places_of = |items: &[ReceiptItem]| -> BTreeSet<usize> {
        items.iter().map(|item| indices[item.index]).collect()
    };
    let (rejected, failed) = (places_of(&receipt.rejected), places_of(&receipt.failed));
    let (unlisted_rejected, unlisted_failed) = receipt.unlisted();
    // Those that are not listed may be any: what was decided all the same is known again by its id, for as
    // long as its kind remembers it.
    sent.is_in_doubt |= unlisted_rejected + unlisted_failed > 0 && !receipt.is_nothing_applied();
    let is_decided = |index: &usize| {
        !failed.contains(index)
            && unlisted_failed == 0
            && (unlisted_rejected == 0 || rejected.contains(index))
    };
    let mut is_whole = read.len() == indices.len();
    for index in read {
        if is_decided(index) {
            sent.left.remove(index);
        } else {
            is_whole = false;
        }
    }
    // The others are listed again.
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
    (!is_whole).then(|| reason.unwrap_or_else(|| "the server did not accept all lines".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_server::{Reply, TestServer};

    fn run(server: &TestServer, lines: &[&str], is_ours: &(dyn Fn(usize) -> bool + Sync)) -> Sent {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let (_stop, stopped) = watch::channel(false);
        let mut sender = Sender::new(server.args().client_with(retry_policy()).unwrap(), stopped);
        runtime.block_on(sender.send(lines, is_ours, &|_| ()))
    }

    #[test]
    fn what_failed_is_sent_again_in_its_order_and_what_was_refused_is_not() {
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
    fn what_is_no_longer_ours_is_left() {
        let server = TestServer::start(|_, _| Reply::Answer(503, "", "{}".to_owned()));
        let asked = std::sync::atomic::AtomicU32::new(0);
        let is_ours = |_: usize| asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 2;
        let sent = run(&server, &["a\n", "b\n"], &is_ours);
        assert_eq!(sent.left.len(), 2);
        assert_eq!(server.requests().len(), 1);
    }

    #[test]
    fn a_server_that_does_not_let_us_in_ends_it() {
        let problem = r#"{"title":"Forbidden","detail":"the key may only read"}"#;
        let server = TestServer::start(move |_, _| Reply::Answer(403, "", problem.to_owned()));
        let refused = run(&server, &["a\n"], &|_| true).refused.unwrap();
        assert_eq!(refused.to_string(), "Forbidden: the key may only read");
    }

    #[test]
    fn what_was_decided_before_the_server_refused_is_decided() {
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
    fn of_rejected_lines_each_is_told_though_the_server_lists_only_the_first() {
        let server = TestServer::start(|before, request| {
            let (applied, duplicates, rejected) = match request.body.as_str() {
                _ if before == 0 => (2, 0, 3),
                "a\n" | "e\n" => (0, 1, 0),
                _ => (0, 0, 1),
            };
            // In the first request the second line is the first of them.
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
        // What was applied goes out once more and no more.
        let bodies: Vec<_> = server.requests().into_iter().map(|r| r.body).collect();
        assert_eq!(bodies, ["a\nb\nc\nd\ne\n", "a\n", "c\n", "d\n", "e\n"]);
    }

    #[test]
    fn of_lines_that_failed_those_applied_go_out_once_more_where_the_server_lists_only_the_first() {
        let failed = |applied: u32, count: u32, kind: &str| {
            format!(
                r#"{{"type":"{kind}","applied":{applied},"duplicates":0,"rejected_count":0,"rejected":[],
                "failed_count":{count},"failed":[{{"index":0,"type":"{kind}","detail":"away"}}]}}"#
            )
        };
        let server = TestServer::start(move |before, _| match before {
            // Of nothing that was applied nothing can count twice.
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
