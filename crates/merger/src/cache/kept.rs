//! [`KeptResponses`]: the responses that were made from one snapshot.

use std::sync::{Arc, OnceLock};

use crate::gzip::{Gzipped, KeptBytes};
use board::Window;
use bytes::Bytes;

/// Maximum forms of a snapshot whose responses are kept.
const FORMS_KEPT_MAX: usize = 4;

/// Bytes that responses have beside the entries: allowed in addition to [`ENTRIES_KEPT`].
const HEADS_BYTES: usize = 2048;

/// The responses of a snapshot, as they are and in gzip, take at most this many times the bytes of its entries.
const ENTRIES_KEPT: usize = 2;

/// The parameters that distinguish responses made from one snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopForm {
    /// The window: all windows of a board not yet created share one snapshot.
    pub window: Window,
    /// Maximum entries.
    pub n: usize,
    /// The window is closed.
    pub is_final: bool,
    /// The store could not be reached.
    pub stale: bool,
    /// The number of members that the kind ranks, if it ranks only the best.
    pub listed: Option<u64>,
}

/// A complete response made from a snapshot. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TopResponse {
    /// The body.
    pub body: Bytes,
    /// The entity tag, ASCII.
    pub etag: Bytes,
    /// The body in gzip, if the response is kept.
    pub gzip: Option<Arc<Gzipped>>,
}

/// The responses to the first forms that were requested, within a number of bytes.
#[derive(Debug, Clone)]
pub(crate) struct KeptResponses {
    /// Shared by clones, and small where there are none: most snapshots are of boards that are not read again.
    forms: [OnceLock<Arc<(TopForm, TopResponse)>>; FORMS_KEPT_MAX],
    left: KeptBytes,
}

impl KeptResponses {
    /// Creates the responses of a snapshot whose entries have this number of bytes.
    pub(super) fn of(entry_bytes: usize) -> Self {
        Self {
            forms: Default::default(),
            left: KeptBytes::up_to(Self::bytes_max(entry_bytes)),
        }
    }

    /// Returns the bytes that they may take.
    pub(super) const fn bytes_max(entry_bytes: usize) -> usize {
        ENTRIES_KEPT * entry_bytes + HEADS_BYTES
    }

    /// Returns the response in this form: the one that is kept, or one that `make` makes now.
    pub(super) fn get(&self, form: TopForm, make: impl Fn() -> TopResponse) -> TopResponse {
        for kept in &self.forms {
            if kept.get().is_none() {
                let response = make();
                let bytes = response.body.len();
                if !self.left.take(bytes) {
                    return response;
                }
                let gzip = Some(Arc::new(Gzipped::within(self.left.clone())));
                // Another caller may have been faster, with this form or another one.
                let of_form = Arc::new((form, TopResponse { gzip, ..response }));
                if kept.set(of_form).is_err() {
                    self.left.give_back(bytes);
                }
            }
            if let Some(kept) = kept.get().filter(|kept| kept.0 == form) {
                return kept.1.clone();
            }
        }
        make()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn form(n: usize) -> TopForm {
        TopForm {
            window: Window::ALL_TIME,
            n,
            is_final: false,
            stale: false,
            listed: None,
        }
    }

    pub(in crate::cache) fn ask(kept: &KeptResponses, n: usize, body: &'static str) -> TopResponse {
        let make = || TopResponse {
            body: Bytes::from(body),
            etag: Bytes::new(),
            gzip: None,
        };
        kept.get(form(n), make)
    }

    #[test]
    fn the_first_responses_are_kept_and_never_returned_for_another_form() {
        let kept = KeptResponses::of(0);
        assert_eq!(ask(&kept, 100, "a hundred").body, "a hundred");
        assert_eq!(ask(&kept, 100, "another").body, "a hundred");
        for n in 1..10 {
            let made = ask(&kept, n, "some");
            assert_eq!(made.body, "some");
            let is_kept = n < FORMS_KEPT_MAX;
            assert_eq!(made.gzip.is_some(), is_kept, "{n}");
            let again = ask(&kept, n, "others").body;
            assert_eq!(again, if is_kept { "some" } else { "others" });
        }
        assert_eq!(ask(&kept, 100, "another").body, "a hundred");
    }

    #[test]
    fn a_response_that_another_caller_has_made_meanwhile_takes_no_bytes() {
        const BODY: &str = "a hundred";
        let kept = KeptResponses::of(0);
        let before = kept.left.bytes();
        let response = || TopResponse {
            body: Bytes::from(BODY),
            etag: Bytes::new(),
            gzip: None,
        };
        let slow = || {
            assert!(kept.get(form(1), response).gzip.is_some());
            response()
        };
        assert!(kept.get(form(1), slow).gzip.is_some());
        assert_eq!(kept.left.bytes(), before - BODY.len());
    }

    #[tokio::test]
    async fn responses_are_kept_in_both_forms_within_the_bytes_of_the_snapshot() {
        const ENTRY_BYTES: usize = 100_000;
        static BODY: [u8; ENTRY_BYTES] = [b'a'; ENTRY_BYTES];
        let body = str::from_utf8(&BODY).unwrap();
        let kept = KeptResponses::of(ENTRY_BYTES);
        assert!(ask(&kept, 1, body).gzip.is_some());
        let second = ask(&kept, 2, body);
        assert!(second.gzip.is_some() && ask(&kept, 3, body).gzip.is_none());
        // What is left suffices for gzip, which shares it.
        let made = second.gzip.unwrap().get(&second.body).await;
        let left = HEADS_BYTES - made.unwrap().len();
        assert!(!kept.left.take(left + 1) && kept.left.take(left));
    }
}
