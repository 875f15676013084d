//! Sending contributions so that each counts once: [`Contribution`], [`Client::contribute`].
//!
//! [`request`] sends one request, [`reply`] classifies the response. [`delivery`] decides which contributions are sent
//! again, [`requests`] divides them into requests, and [`outcome`] has the types that are returned to the caller.

mod contribution;
mod delivery;
mod outcome;
mod receipt;
mod reply;
mod request;
mod requests;
#[cfg(test)]
mod tests;

use std::future::IntoFuture;

use futures::future::BoxFuture;

use crate::client::Client;

pub use contribution::Contribution;
pub(crate) use contribution::random_id;
use delivery::Delivery;
pub use outcome::{ContributeError, Outcome, Undecided};
pub use receipt::{PartialItem, Receipt, ReceiptItem, Written};
pub use reply::BatchReply;
use request::PATH;
pub use request::{BatchRequest, Format};

/// What an outcome contains in addition to the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returning {
    /// The member's standing in each window.
    Standings,
    /// The member's standing in each window, with rank and position.
    Ranks,
    /// The same, and the rank right before the request: of a request that was retried, before the last attempt.
    PreviousRanks,
}

impl Returning {
    /// Returns the query parameters that request it.
    pub(crate) const fn params(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Standings => &[("return", "standings")],
            Self::Ranks => &[("return", "ranks")],
            Self::PreviousRanks => &[("return", "ranks"), ("previous_rank", "true")],
        }
    }
}

/// Sends contributions when it is awaited: [`Client::contribute`].
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct Contribute<'a> {
    client: Client,
    contributions: &'a [Contribution],
    returning: Option<Returning>,
}

impl Client {
    /// Sends contributions until each is decided, or the retry policy is exhausted.
    ///
    /// They are sent in order, in requests of at most 1,000 outcomes. If the store or a connection
    /// fails, contributions are sent again with their ids, so that they count once; those without an id
    /// only if they definitely were not applied. An invalid contribution does not affect the others:
    /// [`Outcome::rejected`] lists it.
    ///
    /// If the future is dropped before it completes, some contributions may have been applied: send the
    /// same ones again, with their ids.
    pub fn contribute<'a>(&self, contributions: &'a [Contribution]) -> Contribute<'a> {
        Contribute {
            client: self.clone(),
            contributions,
            returning: None,
        }
    }
}

impl Contribute<'_> {
    /// Requests the standings after each contribution.
    pub fn returning(mut self, returning: Returning) -> Self {
        self.returning = Some(returning);
        self
    }
}

impl<'a> IntoFuture for Contribute<'a> {
    type Output = Result<Outcome, ContributeError>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let path = match self.returning {
            None => PATH,
            Some(Returning::Standings) => "/v1/contributions?return=standings",
            Some(Returning::Ranks) => "/v1/contributions?return=ranks",
            Some(Returning::PreviousRanks) => "/v1/contributions?return=ranks&previous_rank=true",
        };
        Box::pin(async move {
            let mut delivery = Delivery::new(self.contributions);
            delivery.send(&self.client, path).await;
            delivery.finish()
        })
    }
}
