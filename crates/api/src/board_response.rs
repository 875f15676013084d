//! [`BoardResponse`]: a response about a board, in the envelope that all such responses have.

use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use board::BoardName;
use http_server::validators::{BoardTag, Caching, is_known, json_text};
use merger::ReadResult;
use wire::{Envelope, JsonMembers, JsonText};

use crate::read_window::ReadWindow;

/// An envelope, followed by the members of another object.
#[derive(Debug)]
pub(crate) struct BoardResponse<'a, T> {
    pub(crate) envelope: Envelope<'a>,
    pub(crate) body: T,
}

impl<T: JsonMembers> JsonMembers for BoardResponse<'_, T> {
    fn put(&self, json: &mut JsonText) {
        self.envelope.put(json);
        self.body.put(json);
    }
}

impl<T: JsonMembers> BoardResponse<'_, T> {
    pub(crate) fn text(&self) -> Vec<u8> {
        /// The usual bytes of an envelope, and of a member with its neighbours.
        const USUAL_BYTES: usize = 1 << 10;
        let mut json = JsonText::with_capacity(USUAL_BYTES);
        json.object(self);
        json.into_bytes()
    }
}

impl<T: JsonMembers> IntoResponse for BoardResponse<'_, T> {
    fn into_response(self) -> Response {
        json_text(self.text().into())
    }
}

impl ReadWindow {
    /// Returns the response of a read to a `GET`, or 304 if the client has it: then `body` is not made. The URL and the
    /// version determine the body, together with `variant`.
    pub(crate) fn respond<T, B: JsonMembers>(
        &self,
        headers: &HeaderMap,
        board: &BoardName,
        answer: &ReadResult<T>,
        variant: &str,
        body: impl FnOnce() -> B,
    ) -> Response {
        let envelope = self.envelope(board, answer);
        let tag = BoardTag {
            version: &envelope.version,
            window: &envelope.window,
            activity: envelope.activity,
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
        let body = body();
        caching.json(BoardResponse { envelope, body }.text())
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
