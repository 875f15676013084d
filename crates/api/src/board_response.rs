//! [`BoardResponse`]: a response about a board, in the envelope that all such responses have.

use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use board::BoardName;
use http_server::validators::{BoardTag, Caching, is_known};
use merger::ReadResult;
use serde::Serialize;
use wire::Envelope;

use crate::read_window::ReadWindow;

/// An envelope, and the members of another object.
#[derive(Debug, Serialize)]
pub(crate) struct BoardResponse<'a, T> {
    #[serde(flatten)]
    envelope: Envelope<'a>,
    #[serde(flatten)]
    body: T,
}

/// Returns the JSON of an envelope with this body.
pub(crate) fn json_of(envelope: Envelope<'_>, body: &impl Serialize) -> Vec<u8> {
    let response = BoardResponse { envelope, body };
    serde_json::to_vec(&response).expect("a shape is JSON, and memory is no file")
}

impl ReadWindow {
    /// Returns the response of a read to a `GET`, or 304 if the client has it: then `json` is not made. The URL and the
    /// version determine the body, together with `variant`.
    pub(crate) fn respond<T>(
        &self,
        headers: &HeaderMap,
        board: &BoardName,
        read: &ReadResult<T>,
        variant: &str,
        json: impl FnOnce(Envelope<'_>) -> Vec<u8>,
    ) -> Response {
        let envelope = self.envelope(board, read);
        let tag = BoardTag {
            version: &envelope.version,
            window: &envelope.window,
            activity: &read.activity,
            listed: envelope.listed,
            is_final: envelope.is_final,
            variant,
        };
        let etag = HeaderValue::try_from(tag.text());
        let caching = Caching {
            etag: etag.expect("versions and windows are ASCII"),
            freshness: self.freshness(envelope.is_final),
            has_codings: false,
        };
        if is_known(headers, &caching.etag) {
            return caching.not_modified();
        }
        caching.json(json(envelope))
    }
}

#[cfg(test)]
mod schema {
    use std::borrow::Cow;

    use utoipa::openapi::RefOr;
    use utoipa::openapi::schema::{AllOfBuilder, Ref, Schema};
    use utoipa::{PartialSchema, ToSchema};
    use wire::Schemas;

    use super::*;

    impl<T: ToSchema> PartialSchema for BoardResponse<'_, T> {
        fn schema() -> RefOr<Schema> {
            AllOfBuilder::new()
                .item(Ref::from_schema_name(Envelope::name()))
                .item(T::schema())
                .into()
        }
    }

    impl<T: ToSchema> ToSchema for BoardResponse<'_, T> {
        fn name() -> Cow<'static, str> {
            format!("{}Answer", T::name()).into()
        }

        fn schemas(schemas: &mut Schemas) {
            schemas.push((Envelope::name().into(), Envelope::schema()));
            Envelope::schemas(schemas);
            T::schemas(schemas);
        }
    }
}
