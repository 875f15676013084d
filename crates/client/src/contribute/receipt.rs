//! What the server answers to a batch: [`Receipt`].

use serde::Deserialize;

use crate::answer::Standing;
use crate::error::Error;
use crate::problem::{Problem, ProblemType};

/// The status that goes with items that the store could not take.
const NOT_TAKEN: u16 = 503;

/// The outcomes of one request. The counts go by contribution and board; the lists stop at a limit
/// of the server's, the counts do not.
#[derive(Debug, Deserialize)]
pub(crate) struct Receipt {
    pub(crate) applied: u64,
    pub(crate) duplicates: u64,
    pub(super) rejected_count: u64,
    pub(super) rejected: Vec<Item>,
    pub(super) failed_count: u64,
    pub(super) failed: Vec<Item>,
    /// How many were taken in before the server ended the request; all where absent.
    pub(super) read: Option<usize>,
    #[serde(default)]
    pub(super) standings: Vec<WireWritten>,
}

/// One outcome that is no success.
#[derive(Debug, Deserialize)]
pub(super) struct Item {
    /// Place in the request, from 0.
    pub(super) index: usize,
    /// Absent where the contribution does not even name one.
    pub(super) board: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: ProblemType,
    #[serde(default)]
    pub(super) detail: String,
}

/// One contribution on one board: its member's standing in each window after it.
#[derive(Debug, Deserialize)]
pub(super) struct WireWritten {
    pub(super) index: usize,
    pub(super) board: String,
    pub(super) member: String,
    pub(super) windows: Vec<Standing>,
}

impl Receipt {
    /// Reads an answer to a request of so many contributions; none if it is no receipt for those.
    pub(crate) fn parse(body: &[u8], sent: usize) -> Option<Self> {
        let receipt: Self = serde_json::from_slice(body).ok()?;
        let items = receipt.rejected.iter().chain(&receipt.failed);
        let mut places = items
            .map(|item| item.index)
            .chain(receipt.standings.iter().map(|written| written.index));
        let fits = receipt.read.is_none_or(|read| read <= sent) && places.all(|it| it < sent);
        fits.then_some(receipt)
    }

    /// How many failures the list leaves out.
    pub(super) fn unlisted_failures(&self) -> u64 {
        self.failed_count.saturating_sub(self.failed.len() as u64)
    }
}

impl Item {
    /// Surely not applied, so that it may be sent again even without an id.
    pub(super) fn is_unavailable(&self) -> bool {
        self.kind == ProblemType::Unavailable
    }

    pub(super) fn error(&self) -> Error {
        Error::Problem(Problem {
            status: NOT_TAKEN,
            kind: self.kind.clone(),
            title: String::new(),
            detail: format!("{}: {}", self.kind, self.detail),
            retry_after: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_has_to_fit_the_request() {
        let body = br#"{"applied":1,"duplicates":0,"rejected_count":1,"rejected":
            [{"index":1,"type":"not-json"}],"failed_count":0,"failed":[],"read":2,"later":true}"#;
        let receipt = Receipt::parse(body, 2).unwrap();
        assert_eq!(receipt.rejected[0].kind.as_str(), "not-json");
        assert!(Receipt::parse(body, 1).is_none());
        assert!(Receipt::parse(b"{}", 1).is_none());
        assert!(Receipt::parse(b"<html>", 1).is_none());
    }
}
