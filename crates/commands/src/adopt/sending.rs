//! Sending batches until every line is decided: [`BatchSender`].
//!
//! Every line sets a standing with a time, so that any may be sent again. Lines of one member keep their order, also
//! when some are sent again: one sender has all lines of a member.

use megaboard_client::Receipt;

use super::report::Examples;
use crate::delivery::{Halt, LineSender, Lines, Outcomes};
use crate::reads::Reads;

/// The number of rejected, and of failed, contributions that the server lists, unless it is short of memory.
pub(super) const BATCH_LINES_MAX: usize = 1_000;

/// The outcomes of lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub(super) applied: u64,
    pub(super) rejected: u64,
}

/// Sends batches to one server, one at a time.
pub(super) struct BatchSender<'a> {
    pub(super) reads: Reads<'a>,
    pub(super) sender: LineSender,
    /// Shows the first rejected lines.
    pub(super) rejected: Option<&'a Examples>,
}

impl BatchSender<'_> {
    /// Sends a batch until all of it is decided, or the retry policy is exhausted.
    pub(super) fn deliver(&mut self, lines: &Lines, sent: &mut Sent) -> Result<(), Halt> {
        let mut outcomes = SentOutcomes {
            lines,
            sent,
            say: self.reads.say,
            rejected: self.rejected,
        };
        let sending = self.sender.send(lines, &mut outcomes);
        match self.reads.runtime.block_on(sending) {
            None => Ok(()),
            Some(_) if self.reads.stop.is_requested() => Err(Halt::Interrupted),
            Some(undone) => Err(Halt::Failed(undone.reason)),
        }
    }
}

/// Counts the outcomes of a batch.
struct SentOutcomes<'a> {
    lines: &'a Lines,
    sent: &'a mut Sent,
    say: &'a (dyn Fn(String) + Sync),
    rejected: Option<&'a Examples>,
}

impl Outcomes for SentOutcomes<'_> {
    fn decided(&mut self, sent: &[usize], _read: &[usize], receipt: &Receipt) {
        self.sent.applied += receipt.applied + receipt.duplicates;
        self.sent.rejected += receipt.rejected_count;
        let Some(rejected) = self.rejected else {
            return;
        };
        for item in &receipt.rejected {
            let line = String::from_utf8_lossy(self.lines.line(sent[item.index]));
            rejected.show(format!("{}: {}", line.trim_end(), item.explain()), self.say);
        }
    }

    fn repeated(&mut self, applied: u64, _partial: u64) {
        self.sent.applied -= applied;
    }

    fn retrying(&mut self, reason: &str) {
        (self.say)(format!("{reason}; trying again"));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use megaboard_client::RetryPolicy;
    use serde_json::{Value, json};

    use super::*;
    use crate::delivery::{Resend, Stop};
    use crate::runtime::Runtime;
    use crate::scripted::{Reply, TestServer};

    const LINES: [&str; 5] = ["a\n", "b\n", "c\n", "d\n", "e\n"];

    /// Sends five lines. Returns the result, the counts and the messages.
    fn deliver(server: &TestServer) -> (Result<(), Halt>, Sent, Vec<String>) {
        deliver_lines(server, &LINES)
    }

    fn deliver_lines(server: &TestServer, lines: &[&str]) -> (Result<(), Halt>, Sent, Vec<String>) {
        let mut batch = Lines::default();
        for line in lines {
            batch.body.extend_from_slice(line.as_bytes());
            batch.end_line(Resend::AmongSets);
        }
        let (stop, said) = (Stop::default(), Mutex::new(Vec::new()));
        let say = |message: String| said.lock().unwrap().push(message);
        let retry = RetryPolicy {
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(10),
            give_up_after: Duration::from_secs(2),
        };
        let client = server.args().client_with(retry).unwrap();
        let mut sender = BatchSender {
            reads: Reads {
                runtime: &Runtime::start().unwrap(),
                client: &client,
                stop: &stop,
                say: &say,
            },
            sender: LineSender::new(&client, &stop),
            rejected: Some(&Examples::new("lines")),
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
        let retried = "2 contributions failed and are not listed; trying again";
        assert_eq!(said, [retried, "e: invalid: no"]);
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
}
