//! Batches sent until every contribution is decided: [`Delivery`].
//!
//! Nothing counts twice: a contribution is sent again where it surely was not applied, or where its
//! id lets the server know it again. Everything else is told to the caller.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use reqwest::Method;

use super::batch::{Place, Room, body_of, next_batch, outcomes_of};
use super::contribution::Contribution;
use super::outcome::{ContributeError, Outcome, Rejected, Undecided, Written, merged};
use super::receipt::Receipt;
use super::told::{Told, judge};
use crate::client::{Call, Client};
use crate::error::Error;
use crate::patience::Pauses;

/// Sends contributions to one server, one request at a time, in their order.
pub(super) struct Delivery<'a> {
    client: &'a Client,
    contributions: &'a [Contribution],
    path: &'static str,
    outcome: Outcome,
    undecided: Vec<Undecided>,
    /// Why something is not decided: the first of the reasons.
    cause: Option<Error>,
    /// Whether there is no sense in going on.
    ends: bool,
}

impl<'a> Delivery<'a> {
    pub(super) fn new(
        client: &'a Client,
        contributions: &'a [Contribution],
        path: &'static str,
    ) -> Self {
        Self {
            client,
            contributions,
            path,
            outcome: Outcome::default(),
            undecided: Vec::new(),
            cause: None,
            ends: false,
        }
    }

    pub(super) async fn deliver(mut self, room: Room) -> Result<Outcome, ContributeError> {
        let mut from = 0;
        while from < self.contributions.len() {
            let batch = next_batch(self.contributions, from, room);
            from += batch.len();
            if self.ends {
                self.leave(batch);
            } else {
                self.deliver_batch(batch).await;
            }
        }
        self.outcome.rejected.sort_by_key(|rejected| rejected.index);
        self.outcome.standings.sort_by_key(|written| written.index);
        match self.cause {
            None => Ok(self.outcome),
            Some(cause) => Err(ContributeError {
                outcome: self.outcome,
                undecided: merged(self.undecided),
                cause,
            }),
        }
    }

    /// Sends the batch until all of it is decided, or for as long as there is patience.
    async fn deliver_batch(&mut self, batch: Vec<Place>) {
        // What is to be sent, the next at the end.
        let mut parts = vec![batch];
        while let Some(places) = parts.pop() {
            if self.ends {
                self.leave(places);
            } else if let Some((first, second)) = self.deliver_part(places).await {
                parts.extend([second, first]);
            }
        }
    }

    /// The same; two halves of what is too much for one request.
    async fn deliver_part(&mut self, mut places: Vec<Place>) -> Option<(Vec<Place>, Vec<Place>)> {
        let mut stall: Option<Pauses> = None;
        loop {
            let mut retry_after = None;
            let reason = match self.attempt(&places).await {
                Told::Outcomes(receipt) => {
                    let sent = outcomes_of(&places);
                    let (left, reason) = self.settle(places, receipt);
                    places = left;
                    if outcomes_of(&places) < sent {
                        stall = None;
                    }
                    reason
                }
                Told::NotDone(error) => {
                    retry_after = error.problem().and_then(|problem| problem.retry_after);
                    Some(error)
                }
                Told::Unknown(error) => {
                    let (known, lost) = self.doubt(places);
                    places = known;
                    if lost.is_empty() {
                        Some(error)
                    } else {
                        // What comes next would meet the same, and there would be more to doubt.
                        self.ends = true;
                        self.give_up(lost, error);
                        None
                    }
                }
                Told::TooLarge(_) if places.len() > 1 => {
                    let second = places.split_off(places.len() / 2);
                    return Some((places, second));
                }
                Told::TooLarge(error) | Told::Refused(error) => {
                    self.ends = true;
                    self.give_up(places, error);
                    return None;
                }
            };
            if places.is_empty() {
                return None;
            }
            let patience = self.client.shared.patience;
            let pauses = stall.get_or_insert_with(|| Pauses::new(patience));
            if !pauses.wait(retry_after).await {
                self.ends = true;
                let told = "the server did not take in all contributions";
                let reason = reason.unwrap_or_else(|| Error::unreadable(told));
                self.give_up(places, reason);
                return None;
            }
        }
    }

    async fn attempt(&self, places: &[Place]) -> Told {
        let call = Call {
            method: Method::POST,
            path: self.path.to_owned(),
            body: Some(Bytes::from(body_of(self.contributions, places))),
            if_match: None,
        };
        judge(self.client.send(&call).await, places.len())
    }

    /// Counts what a receipt decides; gives what is to be sent again, and why.
    fn settle(&mut self, places: Vec<Place>, receipt: Receipt) -> (Vec<Place>, Option<Error>) {
        self.outcome.applied += receipt.applied;
        self.outcome.duplicates += receipt.duplicates;
        self.outcome.rejected_count += receipt.rejected_count;
        let (_, unlisted) = receipt.unlisted();
        let is_nothing_applied = receipt.is_nothing_applied();
        let refused: BTreeSet<usize> = receipt.rejected.iter().map(|item| item.index).collect();
        for item in receipt.rejected {
            self.outcome.rejected.push(Rejected {
                index: places[item.index].index,
                board: item.board,
                kind: item.kind,
                detail: item.detail,
            });
        }
        for written in receipt.standings {
            self.outcome.standings.push(Written {
                index: places[written.index].index,
                board: written.board,
                member: written.member,
                windows: written.windows,
            });
        }
        let mut reason = None;
        let mut failed: BTreeMap<usize, Place> = BTreeMap::new();
        for item in &receipt.failed {
            let whole = &places[item.index];
            let place = Place {
                boards: item
                    .board
                    .clone()
                    .map_or_else(|| whole.boards.clone(), |it| vec![it]),
                in_doubt: whole.in_doubt || !item.is_unavailable(),
                ..*whole
            };
            if item.is_unavailable() || self.is_known(&place) {
                reason.get_or_insert_with(|| item.error());
                match failed.get_mut(&item.index) {
                    None => drop(failed.insert(item.index, place)),
                    Some(other) => {
                        other.in_doubt |= place.in_doubt;
                        other.boards.extend(place.boards);
                    }
                }
            } else {
                self.give_up(vec![place], item.error());
            }
        }
        let read = receipt.read.unwrap_or(places.len());
        let mut left = Vec::new();
        for (n, place) in places.into_iter().enumerate() {
            if n >= read {
                left.push(place);
            } else if refused.contains(&n) && place.boards.len() == 1 {
                // Nothing is left to know of it.
            } else if unlisted > 0 && is_nothing_applied {
                left.push(place);
            } else if unlisted > 0 {
                // It may be one of those that the list leaves out.
                let (known, lost) = self.doubt(vec![place]);
                left.extend(known);
                self.give_up(
                    lost,
                    Error::unreadable("the server does not list what failed"),
                );
            } else if let Some(failed) = failed.remove(&n) {
                left.push(failed);
            }
        }
        (left, reason)
    }

    /// These may have been applied: those that may be sent again, and those that may not.
    fn doubt(&self, places: Vec<Place>) -> (Vec<Place>, Vec<Place>) {
        let doubted = places.into_iter().map(|place| Place {
            in_doubt: true,
            ..place
        });
        doubted.partition(|place| self.is_known(place))
    }

    /// Whether the server would know it again.
    fn is_known(&self, place: &Place) -> bool {
        self.contributions[place.index].id.is_some()
    }

    fn give_up(&mut self, places: Vec<Place>, reason: Error) {
        if !places.is_empty() {
            self.cause.get_or_insert(reason);
            self.leave(places);
        }
    }

    fn leave(&mut self, places: Vec<Place>) {
        let contributions = self.contributions;
        let undecided = places.into_iter().map(|place| {
            let contribution = &contributions[place.index];
            place.undecided(contribution)
        });
        self.undecided.extend(undecided);
    }
}
