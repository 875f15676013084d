//! Contributions, each of which counts once: [`Contribution`], [`Client::contribute`].
//!
//! [`sender`] sends requests until a batch is decided, by what [`reply`] makes of each response. [`delivery`] is the
//! batch of contributions that have types: it decides which of them go again. [`requests`] says what goes out together;
//! [`outcome`] is what the caller gets.

mod contribution;
mod delivery;
mod outcome;
mod receipt;
mod reply;
mod requests;
mod sender;
#[cfg(test)]
mod tests;

use std::future::IntoFuture;

use futures::future::BoxFuture;

use crate::client::Client;

pub use contribution::Contribution;
pub(crate) use contribution::{drawn_id, fields};
use delivery::Delivery;
pub use outcome::{ContributeError, Outcome, Rejected, Undecided, Written};
pub use receipt::{Receipt, ReceiptItem};
pub use reply::BatchReply;
use requests::RequestLimits;
pub use sender::{Batch, BatchRequest, Format, Next, Pause, Sender};

/// What an outcome tells beside the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returning {
    /// The member's standing in each window.
    Standings,
    /// That, with rank and position.
    Ranks,
}

/// Contributions that are sent when this is awaited.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct Contribute<'a> {
    client: Client,
    contributions: &'a [Contribution],
    returning: Option<Returning>,
}

impl Client {
    /// Sends contributions until each is decided, or for as long as the retry policy says.
    ///
    /// They go out in their order, in requests of at most 1,000 outcomes. What the store or a
    /// connection lost is sent again under its id, so that it counts once; without an id only what
    /// surely was not applied is. What is wrong is refused by itself: [`Outcome::rejected`] says
    /// which, and everything else counts.
    ///
    /// Where this is dropped before it is done, what was sent may or may not be applied: contribute
    /// the same contributions again, with the ids that they have.
    pub fn contribute<'a>(&self, contributions: &'a [Contribution]) -> Contribute<'a> {
        Contribute {
            client: self.clone(),
            contributions,
            returning: None,
        }
    }
}

impl Contribute<'_> {
    /// Asks for the standings that each leads to; requests then have 100 contributions at most.
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
            None => "/v1/contributions",
            Some(Returning::Standings) => "/v1/contributions?return=standings",
            Some(Returning::Ranks) => "/v1/contributions?return=ranks",
        };
        Box::pin(async move {
            let limits = RequestLimits::new(self.returning.is_some());
            let mut delivery = Delivery::new(self.contributions, limits);
            let sender = Sender::new(&self.client, Format::Json).path(path);
            sender.send(&mut delivery).await;
            delivery.finish()
        })
    }
}
