//! Sending batches until every line is decided: [`Sender`].
//!
//! Every line sets a standing with a time, so that any may be sent again. Lines of one member keep their order, also
//! when some are sent again: one sender has all lines of a member.

use std::collections::BTreeSet;

use bytes::Bytes;
use futures::future::BoxFuture;
use megaboard_client::{BatchReply, BatchRequest, Error, Next, Pause, Receipt, ReceiptItem};

use super::report::Examples;
use crate::delivery::{self, Halt, LineOrder, Stop};
use crate::runtime::Runtime;
use crate::server::explained;

/// The number of rejected, and of failed, contributions that the server lists, unless it is short of memory.
pub(super) const BATCH_LINES_MAX: usize = 1_000;

/// The lines of one request.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) body: Vec<u8>,
    /// The end of each line in the body.
    ends: Vec<usize>,
}

impl Batch {
    /// Must be called after each line that was appended to the body.
    pub(super) fn end_line(&mut self) {
        self.ends.push(self.body.len());
    }

    pub(super) fn is_full(&self) -> bool {
        self.ends.len() >= BATCH_LINES_MAX
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn line(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.body[start..self.ends[index]]
    }

    fn body_of(&self, indices: &[usize]) -> Vec<u8> {
        indices
            .iter()
            .flat_map(|index| self.line(*index))
            .copied()
            .collect()
    }
}

/// The outcomes of lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub(super) applied: u64,
    pub(super) rejected: u64,
}

/// Sends batches to one server, one at a time.
pub(super) struct Sender<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) http: megaboard_client::Sender,
    pub(super) stop: &'a Stop,
    /// Receives messages for the user, one line each.
    pub(super) say: &'a (dyn Fn(String) + Sync),
    pub(super) rejected: &'a Examples,
}

/// A batch being sent.
struct InFlight<'a> {
    batch: &'a Batch,
    /// The lines that are not decided.
    indices: Vec<usize>,
    /// Why they are not decided.
    reason: String,
    sent: &'a mut Sent,
    stop: &'a Stop,
    say: &'a (dyn Fn(String) + Sync),
    rejected: &'a Examples,
    halt: Option<Halt>,
}

impl Sender<'_> {
    /// Sends a batch until all of it is decided, or the retry policy is exhausted.
    pub(super) fn deliver(&self, batch: &Batch, sent: &mut Sent) -> Result<(), Halt> {
        let mut in_flight = InFlight {
            batch,
            indices: (0..batch.ends.len()).collect(),
            reason: String::new(),
            sent,
            stop: self.stop,
            say: self.say,
            rejected: self.rejected,
            halt: None,
        };
        self.runtime.block_on(self.http.send(&mut in_flight));
        in_flight.halt.map_or(Ok(()), Err)
    }
}

impl megaboard_client::Batch for InFlight<'_> {
    fn request(&mut self, is_retry: bool) -> Option<BatchRequest> {
        (!self.indices.is_empty()).then(|| BatchRequest {
            body: Bytes::from(self.batch.body_of(&self.indices)),
            count: self.indices.len(),
            asks_first: is_retry,
        })
    }

    fn settle(&mut self, reply: BatchReply) -> Next {
        let indices = std::mem::take(&mut self.indices);
        let before = indices.len();
        (self.indices, self.reason) = match reply {
            BatchReply::Receipt {
                receipt,
                problem,
                is_refusal,
                ..
            } => {
                let left = self.settle_receipt(&indices, &receipt);
                if let Some(problem) = problem.filter(|_| is_refusal) {
                    return self.end(explained(&problem));
                }
                left
            }
            BatchReply::NotApplied(error) => (indices, error.to_string()),
            // A response that cannot be parsed is probably not from a Megaboard server, so a retry will not help.
            BatchReply::Unknown(error) if !matches!(error, Error::Unreadable(_)) => {
                (indices, error.to_string())
            }
            BatchReply::Unknown(error)
            | BatchReply::TooLarge(error)
            | BatchReply::Refused(error) => return self.end(error.to_string()),
        };
        if self.indices.is_empty() {
            return Next::Continue;
        }
        let progress = self.indices.len() < before;
        Next::Retry { progress }
    }

    fn wait(&mut self, pause: Pause) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            let say = self.say;
            let is_retried =
                delivery::wait(pause, &self.reason, self.stop, &mut |it| say(it)).await;
            if !is_retried {
                self.halt = Some(match pause.length {
                    None => Halt::Failed(std::mem::take(&mut self.reason)),
                    Some(_) => Halt::Interrupted,
                });
            }
            is_retried
        })
    }
}

impl InFlight<'_> {
    fn end(&mut self, reason: String) -> Next {
        self.halt = Some(Halt::Failed(reason));
        Next::End
    }

    /// Counts what a receipt decides, and reports rejected lines. Returns the lines to send again, and why: all of
    /// them, if the receipt does not list all failed ones.
    fn settle_receipt(&mut self, indices: &[usize], receipt: &Receipt) -> (Vec<usize>, String) {
        let batch = self.batch;
        let (_, unlisted) = receipt.unlisted();
        if unlisted > 0 {
            let reason = receipt.failed.first().map(ReceiptItem::explain);
            let reason = reason.unwrap_or_else(|| format!("{unlisted} lines failed"));
            return (indices.to_vec(), reason);
        }
        let mut applied = receipt.applied + receipt.duplicates;
        self.sent.rejected += receipt.rejected_count;
        for item in &receipt.rejected {
            let line = String::from_utf8_lossy(batch.line(indices[item.index]));
            let message = format!("{}: {}", line.trim_end(), item.explain());
            self.rejected.show(message, self.say);
        }
        let (read, unread) = indices.split_at(receipt.read.unwrap_or(indices.len()));
        let indices_of = |items: &[ReceiptItem]| -> BTreeSet<usize> {
            items.iter().map(|item| indices[item.index]).collect()
        };
        let (rejected, mut again) = (indices_of(&receipt.rejected), indices_of(&receipt.failed));
        // Applied lines are sent again, after the failed ones that they are ordered with.
        if !again.is_empty() {
            let order = LineOrder::parse(read.iter().map(|index| (*index, batch.line(*index))));
            let repeated = order.to_repeat(&again, &rejected);
            applied = applied.saturating_sub(repeated.len() as u64);
            again.extend(repeated);
        }
        self.sent.applied += applied;
        again.extend(unread);
        let reason = receipt.failed.first().map(ReceiptItem::explain);
        let reason = reason.unwrap_or_else(|| "the server did not accept all lines".to_owned());
        (again.into_iter().collect(), reason)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use megaboard_client::{Format, RetryPolicy};
    use serde_json::{Value, json};

    use super::*;
    use crate::test_server::{Reply, TestServer};

    const LINES: [&str; 5] = ["a\n", "b\n", "c\n", "d\n", "e\n"];

    /// Sends five lines. Returns the result, the counts and the messages.
    fn deliver(server: &TestServer) -> (Result<(), Halt>, Sent, Vec<String>) {
        deliver_lines(server, &LINES)
    }

    fn deliver_lines(server: &TestServer, lines: &[&str]) -> (Result<(), Halt>, Sent, Vec<String>) {
        let mut batch = Batch::default();
        for line in lines {
            batch.body.extend_from_slice(line.as_bytes());
            batch.end_line();
        }
        let (stop, said) = (Stop::default(), Mutex::new(Vec::new()));
        let say = |message: String| said.lock().unwrap().push(message);
        let retry = RetryPolicy {
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(10),
            give_up_after: Duration::from_secs(2),
        };
        let client = server.args().client_with(retry).unwrap();
        let sender = Sender {
            runtime: &Runtime::start().unwrap(),
            http: megaboard_client::Sender::new(&client, Format::Ndjson),
            stop: &stop,
            say: &say,
            rejected: &Examples::new("lines"),
        };
        let mut sent = Sent::default();
        let outcome = sender.deliver(&batch, &mut sent);
        let said = said.lock().unwrap().clone();
        (outcome, sent, said)
    }

    /// Returns a receipt that lists these failed lines.
    fn receipt(applied: usize, failed_count: usize, failed: &[usize]) -> Value {
        let item = |index: &usize| json!({"index": index, "type": "unavailable", "detail": "away"});
        let failed: Vec<Value> = failed.iter().map(item).collect();
        json!({"applied": applied, "duplicates": 0, "rejected_count": 0, "rejected": [],
            "failed_count": failed_count, "failed": failed})
    }

    fn bodies(server: &TestServer) -> Vec<String> {
        let requests = server.requests().into_iter();
        requests.map(|request| request.body).collect()
    }

    #[test]
    fn all_lines_are_sent_again_if_not_all_failures_are_listed() {
        let server = TestServer::start(|before, _| match before {
            0 => Reply::ok(receipt(2, 3, &[1]).to_string()),
            1 => {
                let mut cut = receipt(1, 2, &[]);
                cut["read"] = json!(3);
                Reply::ok(cut.to_string())
            }
            2 => Reply::Answer(
                503,
                "retry-after: 0\r\n",
                receipt(0, 5, &[0, 1]).to_string(),
            ),
            _ => {
                let mut all = receipt(4, 0, &[]);
                all["rejected_count"] = json!(1);
                all["rejected"] = json!([{"index": 4, "type": "invalid", "detail": "no"}]);
                Reply::ok(all.to_string())
            }
        });
        let (outcome, sent, said) = deliver(&server);
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(bodies(&server), vec![LINES.concat(); 4]);
        // Receipts that do not list all failures are not counted.
        assert_eq!((sent.applied, sent.rejected), (4, 1));
        assert_eq!(said, ["unavailable: away; trying again", "e: invalid: no"]);
    }

    #[test]
    fn only_undecided_lines_are_sent_a_third_time() {
        let server = TestServer::start(|before, request| match before {
            0 => Reply::ok(receipt(2, 3, &[0, 2, 4]).to_string()),
            1 => Reply::ok(receipt(1, 2, &[]).to_string()),
            _ => Reply::ok(receipt(request.lines().len(), 0, &[]).to_string()),
        });
        let (outcome, sent, said) = deliver(&server);
        assert!(outcome.is_ok(), "{outcome:?}");
        let all = LINES.concat();
        assert_eq!(bodies(&server), [all.as_str(), "a\nc\ne\n", "a\nc\ne\n"]);
        assert_eq!((sent.applied, sent.rejected), (5, 0));
        assert_eq!(said, ["unavailable: away; trying again"]);
    }

    #[test]
    fn a_failed_line_is_sent_again_with_the_later_lines_of_its_member() {
        let line = |member: &str, points: u32| {
            format!(
                "{{\"board\":\"g/a\",\"set\":true,\"member\":\"{member}\",\"points\":{points}}}\n"
            )
        };
        // A cursor may return a member several times, with different scores.
        let lines = [line("u", 1), line("v", 1), line("u", 2), line("u", 3)];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let server = TestServer::start(|before, request| match before {
            0 => {
                let mut receipt = receipt(2, 1, &[0]);
                receipt["rejected_count"] = json!(1);
                receipt["rejected"] = json!([{"index": 3, "type": "invalid", "detail": "no"}]);
                Reply::ok(receipt.to_string())
            }
            _ => Reply::ok(receipt(request.lines().len(), 0, &[]).to_string()),
        });
        let (outcome, sent, _) = deliver_lines(&server, &lines);
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(bodies(&server)[1], [lines[0], lines[2]].concat());
        assert_eq!((sent.applied, sent.rejected), (3, 1));
    }

    #[test]
    fn failures_that_are_never_listed_end_with_the_retry_policy() {
        let server = TestServer::start(|_, _| Reply::ok(receipt(3, 2, &[]).to_string()));
        let (outcome, sent, _) = deliver(&server);
        assert_eq!(outcome.unwrap_err().to_string(), "2 lines failed");
        assert_eq!((sent.applied, sent.rejected), (0, 0));
        assert!(bodies(&server).len() > 1);
    }

    #[test]
    fn the_receipt_of_a_request_that_ended_early_is_used() {
        let ended = |applied: usize, read: usize| {
            format!(
                r#"{{"applied":{applied},"duplicates":0,"rejected_count":0,"rejected":[],
                "failed_count":0,"failed":[],"read":{read}}}"#
            )
        };
        let server = TestServer::start(move |before, _| match before {
            0 => Reply::Answer(408, "retry-after: 0\r\n", ended(1, 1)),
            _ => Reply::ok(ended(4, 4)),
        });
        let (outcome, sent, _) = deliver(&server);
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!((sent.applied, sent.rejected), (5, 0));
        assert_eq!(bodies(&server)[1], LINES[1..].concat());
    }
}
