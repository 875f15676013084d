//! The response to a batch of contributions: [`Receipt`].

use serde::Deserialize;

use crate::error::Error;
use crate::problem::{Problem, ProblemType};
use crate::responses::Standing;

/// The status of items that the store could not apply.
const NOT_APPLIED: u16 = 503;

/// The outcomes of one request. A contribution counts once for each of its boards. The server limits
/// the length of the lists; the counts are complete.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Receipt {
    /// The number that this request applied.
    pub applied: u64,
    /// The number that were applied before, with the same ids.
    pub duplicates: u64,
    /// Of the applied: the number that did not count in all windows of their kind.
    #[serde(default)]
    pub partial_count: u64,
    /// The first of these.
    #[serde(default)]
    pub partial: Vec<PartialItem>,
    /// The number of invalid ones.
    pub rejected_count: u64,
    /// The first invalid ones.
    pub rejected: Vec<ReceiptItem>,
    /// The number that the store could not apply.
    pub failed_count: u64,
    /// The first of these.
    pub failed: Vec<ReceiptItem>,
    /// How many contributions were read before the server ended the request. `None` if all were.
    pub read: Option<usize>,
    /// If requested: the standings after each applied contribution, and the current ones of duplicates.
    #[serde(default)]
    pub standings: Vec<Written>,
    /// The type of the problem, if the receipt is also a problem document.
    #[serde(rename = "type")]
    problem: Option<ProblemType>,
}

/// A contribution that was rejected, or that the store could not apply, on one of its boards.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ReceiptItem {
    /// The index in the request, or in an [`Outcome`](super::Outcome) in the list of contributions.
    pub index: usize,
    /// The board; `None` if the contribution itself is invalid.
    pub board: Option<String>,
    /// The type of the problem.
    #[serde(rename = "type")]
    pub kind: ProblemType,
    /// Details of the problem: the invalid field and its value.
    #[serde(default)]
    pub detail: String,
}

/// A contribution that did not count in all windows of its kind on one of its boards.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PartialItem {
    /// The index, as that of a [`ReceiptItem`].
    pub index: usize,
    /// The board.
    pub board: String,
    /// The periods in whose windows it did not count, such as `hour`: they are closed, or no longer kept.
    pub left_out: Vec<String>,
}

/// The standings of a member after one contribution to one board.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Written {
    /// The index, as that of a [`ReceiptItem`].
    pub index: usize,
    /// The board.
    pub board: String,
    /// The member.
    pub member: String,
    /// The standing in each window that the contribution counts in.
    pub windows: Vec<Standing>,
}

impl Receipt {
    /// Parses the response to a request of `sent` contributions. Returns `None` if it is not a receipt
    /// for that many.
    #[must_use]
    pub fn parse(body: &[u8], sent: usize) -> Option<Self> {
        let receipt: Self = serde_json::from_slice(body).ok()?;
        let items = receipt.rejected.iter().chain(&receipt.failed);
        let mut indices = items
            .map(|item| item.index)
            .chain(receipt.standings.iter().map(|written| written.index))
            .chain(receipt.partial.iter().map(|item| item.index));
        let fits = receipt.read.is_none_or(|read| read <= sent) && indices.all(|it| it < sent);
        fits.then_some(receipt)
    }

    /// Returns how many rejected and how many failed outcomes are not listed.
    #[must_use]
    pub fn unlisted(&self) -> (u64, u64) {
        let beyond = |count: u64, list: &[ReceiptItem]| count.saturating_sub(list.len() as u64);
        (
            beyond(self.rejected_count, &self.rejected),
            beyond(self.failed_count, &self.failed),
        )
    }

    /// Returns whether definitely nothing of the request was applied, so that all of it may be sent again
    /// even without ids, also if not all failures are listed.
    #[must_use]
    pub fn is_nothing_applied(&self) -> bool {
        // The type of the problem summarizes all failures; a listed one may differ.
        let are_unavailable = self.problem.as_ref().is_some_and(is_unavailable)
            && self.failed.iter().all(ReceiptItem::is_unavailable);
        self.applied == 0 && self.duplicates == 0 && (self.failed_count == 0 || are_unavailable)
    }
}

impl ReceiptItem {
    /// Returns whether the item definitely was not applied, so that it may be sent again even without an id.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        is_unavailable(&self.kind)
    }

    /// Formats board, type and detail, as far as there are any.
    #[must_use]
    pub fn explain(&self) -> String {
        let detail = (!self.detail.is_empty()).then_some(self.detail.as_str());
        let parts = [self.board.as_deref(), Some(self.kind.as_str()), detail];
        parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
    }

    pub(super) fn error(&self) -> Error {
        Error::Problem(Problem {
            status: NOT_APPLIED,
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
    fn a_receipt_must_match_the_request() {
        let body = br#"{"applied":1,"duplicates":0,"rejected_count":1,"rejected":
            [{"index":1,"type":"not-json"}],"failed_count":0,"failed":[],"read":2,"later":true}"#;
        let receipt = Receipt::parse(body, 2).unwrap();
        assert_eq!(receipt.rejected[0].explain(), "not-json");
        assert!(Receipt::parse(body, 1).is_none());
        assert!(Receipt::parse(b"{}", 1).is_none());
        assert!(Receipt::parse(b"<html>", 1).is_none());
    }

    #[test]
    fn nothing_is_applied_if_counts_problem_and_items_agree() {
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
