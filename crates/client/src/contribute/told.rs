//! What an attempt to send contributions has told: [`Told`].

use super::receipt::Receipt;
use crate::client::Answer;
use crate::error::Error;

/// What an attempt has told.
pub(super) enum Told {
    /// The outcome of each.
    Outcomes(Receipt),
    /// Surely none was applied; another time they may be.
    NotDone(Error),
    /// Whether they were applied is unknown.
    Unknown(Error),
    /// None was applied, and they were too much for one request.
    TooLarge(Error),
    /// None was applied, and trying again will not help.
    Refused(Error),
}

/// Of a request of so many contributions.
pub(super) fn judge(sent: Result<Answer, Error>, count: usize) -> Told {
    let answer = match sent {
        Ok(answer) => answer,
        Err(error @ Error::Unreached { .. }) => return Told::NotDone(error),
        Err(error) if error.is_undecided() => return Told::Unknown(error),
        Err(error) => return Told::Refused(error),
    };
    // A 503 has a receipt too when the store failed one by one.
    let receipt = match answer.status {
        200 | 503 => Receipt::parse(&answer.body, count),
        _ => None,
    };
    let problem = || Error::Problem(answer.problem());
    match (answer.status, receipt) {
        (_, Some(receipt)) => Told::Outcomes(receipt),
        (200..=299, None) => Told::Unknown(Error::unreadable("it is no receipt")),
        (413, None) => Told::TooLarge(problem()),
        (429, None) => Told::NotDone(problem()),
        (_, None) if problem().is_undecided() => Told::Unknown(problem()),
        (503, None) => Told::NotDone(problem()),
        (_, None) => Told::Refused(problem()),
    }
}
