//! [`StaticFile`]: bytes that are part of the binary, with their tag, also in gzip.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use merger::gzip::{Gzipped, KeptBytes};

use crate::validators::caching::{self, Caching};

/// An extension of responses whose bodies are parts of the binary: a response that is not read holds no memory.
#[derive(Debug, Clone, Copy)]
pub struct HoldsNoMemory;

/// A file that does not change while the server runs.
pub struct StaticFile {
    media_type: HeaderValue,
    bytes: Bytes,
    /// A weak tag, also of gzip.
    etag: HeaderValue,
    gzip: Gzipped,
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
            // It is not longer than the file.
            gzip: Gzipped::within(KeptBytes::up_to(bytes.len())),
        }
    }

    /// Returns the file, in gzip if the client accepts that, or 304. It is validated each time, so that files of
    /// different versions are never mixed.
    pub async fn respond(&self, headers: &HeaderMap) -> Response {
        let caching = Caching {
            may_be_gzip: true,
            ..Caching::validated(self.etag.clone())
        };
        if caching::is_known(headers, &caching.etag) {
            return caching.not_modified();
        }
        let mut gzip = None;
        if caching::accepts_gzip(headers) {
            gzip = self.gzip.get(&self.bytes).await;
        }
        let media_type = [(header::CONTENT_TYPE, self.media_type.clone())];
        let mut response = match gzip {
            None => (media_type, self.bytes.clone()).into_response(),
            Some(bytes) => (media_type, caching::CONTENT_GZIP, bytes).into_response(),
        };
        response.extensions_mut().insert(HoldsNoMemory);
        caching.with(response)
    }
}
