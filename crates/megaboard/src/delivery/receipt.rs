//! What the server answers to a batch: [`Receipt`].

use serde::Deserialize;

/// The outcomes of one request. The counts go by contribution and board; the lists stop at a limit
/// of the server's, the counts do not.
#[derive(Debug, Deserialize)]
pub(crate) struct Receipt {
    pub(crate) applied: u64,
    pub(crate) duplicates: u64,
    pub(crate) rejected_count: u64,
    pub(crate) rejected: Vec<Item>,
    pub(crate) failed_count: u64,
    pub(crate) failed: Vec<Item>,
    /// How many lines were taken in before the server ended the request; all where absent.
    pub(crate) read: Option<usize>,
}

/// One outcome that is no success.
#[derive(Debug, Deserialize)]
pub(crate) struct Item {
    /// Place in the request, from 0.
    pub(crate) index: usize,
    /// Absent where the line does not even name one.
    pub(crate) board: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) detail: Option<String>,
}

impl Receipt {
    /// Reads an answer to a request of `sent` lines; none if it is no receipt for those.
    pub(crate) fn parse(body: &[u8], sent: usize) -> Option<Self> {
        let receipt: Self = serde_json::from_slice(body).ok()?;
        let fits = receipt.read.is_none_or(|read| read <= sent)
            && receipt
                .rejected
                .iter()
                .chain(&receipt.failed)
                .all(|item| item.index < sent);
        fits.then_some(receipt)
    }

    /// How many outcomes the lists leave out: of the rejected, of the failed.
    pub(crate) fn unlisted(&self) -> (u64, u64) {
        let beyond = |count: u64, list: &[Item]| count.saturating_sub(list.len() as u64);
        (
            beyond(self.rejected_count, &self.rejected),
            beyond(self.failed_count, &self.failed),
        )
    }
}

impl Item {
    /// Surely not applied, so that it may be sent again even without an id.
    pub(crate) fn is_unavailable(&self) -> bool {
        self.kind == "unavailable"
    }

    /// Board, type and detail, as far as they are there.
    pub(crate) fn explain(&self) -> String {
        let parts = [
            self.board.as_deref(),
            Some(self.kind.as_str()),
            self.detail.as_deref(),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
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
        assert_eq!(receipt.rejected[0].explain(), "not-json");
        assert!(Receipt::parse(body, 1).is_none());
        assert!(Receipt::parse(b"{}", 1).is_none());
        assert!(Receipt::parse(b"<html>", 1).is_none());
    }
}
