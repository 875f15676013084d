//! What the server returns for a batch: [`Receipt`].

use serde::Deserialize;

use crate::answer::Standing;
use crate::error::Error;
use crate::problem::{Problem, ProblemType};

/// The status that goes with items that the store could not take.
const NOT_TAKEN: u16 = 503;

/// The outcomes of one request. The counts go by contribution and board; the lists stop at a limit
/// of the server's, the counts do not.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Receipt {
    /// Applied by this request.
    pub applied: u64,
    /// Applied before, under the same ids.
    pub duplicates: u64,
    /// Wrong in themselves.
    pub rejected_count: u64,
    /// The first of those.
    pub rejected: Vec<ReceiptItem>,
    /// What the store could not take.
    pub failed_count: u64,
    /// The first of those.
    pub failed: Vec<ReceiptItem>,
    /// How many were taken in before the server ended the request; all where absent.
    pub read: Option<usize>,
    #[serde(default)]
    pub(super) standings: Vec<WireWritten>,
    /// What went wrong, where the receipt is a problem, too.
    #[serde(rename = "type")]
    problem: Option<ProblemType>,
}

/// One outcome of a [`Receipt`] that is no success.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct ReceiptItem {
    /// Index in the request.
    pub index: usize,
    /// Absent where the contribution does not even name one.
    pub board: Option<String>,
    /// Why.
    #[serde(rename = "type")]
    pub kind: ProblemType,
    /// The same for people.
    #[serde(default)]
    pub detail: String,
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
    #[must_use]
    pub fn parse(body: &[u8], sent: usize) -> Option<Self> {
        let receipt: Self = serde_json::from_slice(body).ok()?;
        let items = receipt.rejected.iter().chain(&receipt.failed);
        let mut places = items
            .map(|item| item.index)
            .chain(receipt.standings.iter().map(|written| written.index));
        let fits = receipt.read.is_none_or(|read| read <= sent) && places.all(|it| it < sent);
        fits.then_some(receipt)
    }

    /// How many outcomes the lists leave out: of the rejected, of the failed.
    #[must_use]
    pub fn unlisted(&self) -> (u64, u64) {
        let beyond = |count: u64, list: &[ReceiptItem]| count.saturating_sub(list.len() as u64);
        (
            beyond(self.rejected_count, &self.rejected),
            beyond(self.failed_count, &self.failed),
        )
    }

    /// Surely nothing of it was applied, so that all of it may be sent again even without ids, also where
    /// the lists leave something out.
    #[must_use]
    pub fn is_nothing_applied(&self) -> bool {
        // The problem says what all failures come to, and what is listed may say otherwise.
        let are_unavailable = self.problem.as_ref().is_some_and(is_unavailable)
            && self.failed.iter().all(ReceiptItem::is_unavailable);
        self.applied == 0 && self.duplicates == 0 && (self.failed_count == 0 || are_unavailable)
    }
}

impl ReceiptItem {
    /// Surely not applied, so that it may be sent again even without an id.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        is_unavailable(&self.kind)
    }

    /// Board, type and detail, as far as they are there.
    #[must_use]
    pub fn explain(&self) -> String {
        let detail = (!self.detail.is_empty()).then_some(self.detail.as_str());
        let parts = [self.board.as_deref(), Some(self.kind.as_str()), detail];
        parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
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

fn is_unavailable(kind: &ProblemType) -> bool {
    matches!(kind, ProblemType::Unavailable | ProblemType::Overloaded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_has_to_fit_the_request() {
        let body = br#"{"applied":1,"duplicates":0,"rejected_count":1,"rejected":
            [{"index":1,"type":"not-json"}],"failed_count":0,"failed":[],"read":2,"later":true}"#;
        let receipt = Receipt::parse(body, 2).unwrap();
        assert_eq!(receipt.rejected[0].explain(), "not-json");
        assert!(Receipt::parse(body, 1).is_none());
        assert!(Receipt::parse(b"{}", 1).is_none());
        assert!(Receipt::parse(b"<html>", 1).is_none());
    }
    #[test]
    fn nothing_is_applied_where_counts_problem_and_items_say_so() {
        let is_nothing = |counts: &str, listed: &str| {
            let body = format!(
                r#"{{{counts},"duplicates":0,"rejected_count":0,"rejected":[],"failed_count":9,
                "failed":[{{"index":0,"type":"{listed}"}}]}}"#
            );
            Receipt::parse(body.as_bytes(), 9)
                .unwrap()
                .is_nothing_applied()
        };
        assert!(is_nothing(
            r#""type":"overloaded","applied":0"#,
            "overloaded"
        ));
        for (counts, listed) in [
            (r#""type":"overloaded","applied":1"#, "overloaded"),
            (r#""type":"unknown","applied":0"#, "overloaded"),
            (r#""type":"unavailable","applied":0"#, "unknown"),
            (r#""applied":0"#, "overloaded"),
        ] {
            assert!(!is_nothing(counts, listed), "{counts} {listed}");
        }
    }
}
