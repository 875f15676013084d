//! [`StaticFile`]: bytes that are part of the binary, with their tag and codings.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use merger::content_coding::{CodedBodies, Coding, KeptBytes};

use crate::validators::caching::{self, Caching};

/// An extension of responses whose bodies are parts of the binary: a response that is not read holds no memory.
#[derive(Debug, Clone, Copy)]
pub struct HoldsNoMemory;

/// A file that does not change while the server runs.
pub struct StaticFile {
    media_type: HeaderValue,
    bytes: Bytes,
    /// A weak tag, of all codings.
    etag: HeaderValue,
    coded: CodedBodies,
}

impl StaticFile {
    /// Creates a file.
    #[must_use]
    pub fn new(media_type: &'static str, bytes: &'static [u8]) -> Self {
        let etag = format!("W/\"{}\"", caching::digest(bytes));
        Self {
            media_type: HeaderValue::from_static(media_type),
            bytes: Bytes::from_static(bytes),
            etag: HeaderValue::try_from(etag).expect("a digest is ASCII"),
            // None is longer than the file.
            coded: CodedBodies::within(KeptBytes::up_to(Coding::ALL.len() * bytes.len())),
        }
    }

    /// Returns the file in the coding that the client prefers, or 304. It is validated each time, so that files of
    /// different versions are never mixed.
    pub async fn respond(&self, headers: &HeaderMap) -> Response {
        let caching = Caching {
            has_codings: true,
            ..Caching::validated(self.etag.clone())
        };
        if caching::is_known(headers, &caching.etag) {
            return caching.not_modified();
        }
        let mut coded = None;
        if let Some(coding) = caching::coding(headers) {
            let bytes = self.coded.get(coding, &self.bytes).await;
            coded = bytes.map(|bytes| (coding, bytes));
        }
        let media_type = [(header::CONTENT_TYPE, self.media_type.clone())];
        let mut response = match coded {
            None => (media_type, self.bytes.clone()).into_response(),
            Some((coding, bytes)) => {
                let coding = caching::content_encoding(coding);
                (media_type, coding, bytes).into_response()
            }
        };
        response.extensions_mut().insert(HoldsNoMemory);
        caching.with(response)
    }
}
