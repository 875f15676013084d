//! Batches sent until every line is decided: [`Delivery`].
//!
//! Nothing counts twice: a line is sent again where it surely was not applied, or where its id lets
//! the server know it again, or as one of a batch that only sets. Everything else is shown, with its line in the file, and left to people.

use std::collections::BTreeSet;

use super::batch::Batch;
use super::summary::Summary;
use crate::client::{Answer, Client, ClientError};
use crate::delivery::{Patience, Pauses, Receipt, Stop};

const PATH: &str = "/v1/contributions";

/// Why an import ends before its file does.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum Halt {
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// What is said here was said of every line it concerns.
    #[error("{0}")]
    Failed(String),
}

/// What an attempt left to do.
enum Attempt {
    /// These places are to be sent again, for this reason; none of them counts twice by that.
    Again {
        places: Vec<usize>,
        reason: String,
        progress: bool,
    },
    /// Whether the lines were applied is unknown.
    Unknown(String),
    /// Nothing was applied and trying again will not help.
    Refused(String),
}

/// Sends batches to one server, one at a time.
pub(super) struct Delivery<'a> {
    client: &'a Client,
    stop: &'a Stop,
    patience: Patience,
    /// Takes messages for people, one line each.
    say: &'a mut dyn FnMut(String),
    summary: Summary,
    /// Whether the server has ever answered with a receipt.
    acquainted: bool,
}

impl<'a> Delivery<'a> {
    pub(super) fn new(
        client: &'a Client,
        stop: &'a Stop,
        patience: Patience,
        say: &'a mut dyn FnMut(String),
    ) -> Self {
        Self {
            client,
            stop,
            patience,
            say,
            summary: Summary::default(),
            acquainted: false,
        }
    }

    /// What has been done so far.
    pub(super) fn summary(&self) -> Summary {
        self.summary
    }

    /// Sends the batch until all of it is decided, or for as long as there is patience.
    pub(super) fn deliver(&mut self, batch: &Batch) -> Result<(), Halt> {
        self.summary.skipped += batch.skipped;
        self.summary.unreadable += batch.unreadable.len() as u64;
        for (line, reason) in &batch.unreadable {
            (self.say)(format!("line {line}: {reason}"));
        }
        let mut places: Vec<usize> = (0..batch.outgoing.len()).collect();
        let mut stall: Option<Pauses> = None;
        while !places.is_empty() {
            // A server not known yet, or one in trouble, may well refuse: better to hear of it
            // before the lines leave.
            let ask_first = stall.is_some() || !self.acquainted;
            let sent = self
                .client
                .post_ndjson(PATH, &batch.body_of(&places), ask_first);
            let retry_after = sent.as_ref().ok().and_then(|answer| answer.retry_after);
            let (left, reason, progress) = match self.judge(batch, &places, sent) {
                Attempt::Again {
                    places,
                    reason,
                    progress,
                } => (places, reason, progress),
                Attempt::Unknown(reason) if batch.are_resendable(&places) => {
                    (places, reason, false)
                }
                Attempt::Unknown(reason) => {
                    return Err(self.abandon(batch, &places, &reason, Certainty::Unknown));
                }
                Attempt::Refused(reason) => {
                    return Err(self.abandon(batch, &places, &reason, Certainty::Resendable));
                }
            };
            places = left;
            if places.is_empty() {
                break;
            }
            if progress {
                stall = None;
            }
            if stall.is_none() {
                (self.say)(format!("{reason}; trying again"));
            }
            let pauses = stall.get_or_insert_with(|| Pauses::new(self.patience));
            let pause = pauses.next(retry_after);
            self.stop.sleep(pause.unwrap_or_default());
            if pause.is_none() || self.stop.requested() {
                return Err(self.abandon(batch, &places, &reason, Certainty::Resendable));
            }
        }
        Ok(())
    }

    fn judge(
        &mut self,
        batch: &Batch,
        places: &[usize],
        sent: Result<Answer, ClientError>,
    ) -> Attempt {
        let again = |reason| Attempt::Again {
            places: places.to_vec(),
            reason,
            progress: false,
        };
        match sent {
            Err(error @ ClientError::Unreached { .. }) => again(error.to_string()),
            Err(error @ ClientError::Broken { .. }) => Attempt::Unknown(error.to_string()),
            Err(error @ ClientError::Unusable { .. }) => Attempt::Refused(error.to_string()),
            // A 503 has a receipt too when the store failed line by line.
            Ok(answer) => match (answer.status, Receipt::parse(&answer.body, places.len())) {
                (200 | 503, Some(receipt)) => self.settle(batch, places, &receipt),
                (429 | 503, None) => again(answer.problem()),
                (200..=299, _) => {
                    Attempt::Unknown("the server's answer is none that can be read".to_owned())
                }
                // A body that took too long, a gateway that lost the server, or a server that broke: who knows how far it came.
                (408 | 500.., _) => Attempt::Unknown(answer.problem()),
                (_, _) => Attempt::Refused(answer.problem()),
            },
        }
    }

    /// Counts and shows what a receipt decides; the rest is to be sent again.
    fn settle(&mut self, batch: &Batch, places: &[usize], receipt: &Receipt) -> Attempt {
        self.acquainted = true;
        self.summary.applied += receipt.applied;
        self.summary.duplicates += receipt.duplicates;
        self.summary.refused += receipt.rejected_count;
        for item in &receipt.rejected {
            let line = batch.outgoing[places[item.index]].line;
            (self.say)(format!("line {line}: {}", item.explain()));
        }
        let mut again = BTreeSet::new();
        let mut reason = None;
        for item in &receipt.failed {
            let place = places[item.index];
            if item.is_unavailable() || batch.are_resendable(&[place]) {
                again.insert(place);
                reason.get_or_insert_with(|| item.explain());
            } else {
                self.give_up_line(batch, place, &item.explain(), Certainty::Unknown);
            }
        }
        let read = receipt.read.unwrap_or(places.len());
        again.extend(&places[read..]);
        self.mind_the_unlisted(batch, &places[..read], receipt, &mut again);
        let progress = receipt.applied > 0 || again.len() < places.len();
        let reason = reason.unwrap_or_else(|| "the server did not take in all lines".to_owned());
        Attempt::Again {
            places: again.into_iter().collect(),
            reason,
            progress,
        }
    }

    /// Where the server's lists are cut, some outcomes have no line.
    fn mind_the_unlisted(
        &mut self,
        batch: &Batch,
        read: &[usize],
        receipt: &Receipt,
        again: &mut BTreeSet<usize>,
    ) {
        let (refused, failed) = receipt.unlisted();
        let Some((first, last)) = span(batch, read) else {
            return;
        };
        if refused > 0 {
            (self.say)(format!(
                "{refused} more contributions of lines {first} to {last} were refused; \
                 the server does not list which"
            ));
        }
        if failed > 0 && batch.are_resendable(read) {
            again.extend(read);
        } else if failed > 0 {
            self.summary.failed += failed;
            (self.say)(format!(
                "{failed} more contributions of lines {first} to {last} failed; the server does \
                 not list which, and without ids they cannot be sent again"
            ));
        }
    }

    /// Gives up on these lines, and says from which line on to go on another time.
    fn abandon(
        &mut self,
        batch: &Batch,
        places: &[usize],
        reason: &str,
        certainty: Certainty,
    ) -> Halt {
        // The run of lines that reaches the end of the batch can be named by its first line.
        let after_batch = batch.outgoing.len();
        let run = places
            .iter()
            .rev()
            .zip((0..after_batch).rev())
            .take_while(|(a, b)| *a == b);
        let (single, run) = places.split_at(places.len() - run.count());
        for &place in single {
            self.give_up_line(batch, place, reason, certainty);
        }
        self.summary.failed += run.len() as u64;
        let Some((first, last)) = span(batch, run) else {
            let last = batch.outgoing.last().map_or(0, |outgoing| outgoing.line);
            return self.halt(format!("go on with --from-line {}", last + 1));
        };
        self.halt(match certainty {
            Certainty::Resendable => format!(
                "{reason}. What stands from line {first} on is not done; \
                 go on with --from-line {first}"
            ),
            Certainty::Unknown => format!(
                "{reason}. Whether lines {first} to {last} are applied is unknown, and as not all \
                 of them have an id, or all are sets at a time, sending them again might count them \
                 twice. Look at their \
                 boards, then go on with --from-line {first} if they are not applied, or with \
                 --from-line {} if they are",
                last + 1
            ),
        })
    }

    fn halt(&mut self, text: String) -> Halt {
        if self.stop.requested() {
            (self.say)(text);
            return Halt::Interrupted;
        }
        Halt::Failed(text)
    }

    fn give_up_line(&mut self, batch: &Batch, place: usize, reason: &str, certainty: Certainty) {
        self.summary.failed += 1;
        let what = match certainty {
            Certainty::Resendable => "not done",
            Certainty::Unknown => "may be applied or not",
        };
        (self.say)(format!(
            "line {}: {what}: {reason}",
            batch.outgoing[place].line
        ));
    }
}

/// What is known of lines that are given up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Certainty {
    /// Not applied, or known again by their ids: sending them again counts nothing twice.
    Resendable,
    /// Perhaps applied, and not to be known again.
    Unknown,
}

/// The lines of the file that these places lie between.
fn span(batch: &Batch, places: &[usize]) -> Option<(u64, u64)> {
    let line = |place: &usize| batch.outgoing[*place].line;
    Some((line(places.first()?), line(places.last()?)))
}
