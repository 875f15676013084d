//! [`BoardResponse`]: a response about a board, in the envelope that all such responses have.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use board::BoardName;
use merger::ReadResult;
use serde::Serialize;
use validators::{BoardTag, Caching, digest, is_known};
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

/// Returns a JSON response to a `GET`, or 304 if the client has these bytes.
pub(crate) fn validated_json(headers: &HeaderMap, shape: &impl Serialize) -> Response {
    let text = text_of(shape);
    let etag = HeaderValue::try_from(format!("\"{}\"", digest(&text)));
    let caching = Caching::validated(etag.expect("hexadecimal digits are ASCII"));
    if is_known(headers, &caching.etag) {
        return caching.not_modified();
    }
    caching.json(text)
}

fn text_of(shape: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(shape).expect("a shape is JSON, and memory is no file")
}

/// Returns a JSON response.
pub(crate) fn json(shape: &impl Serialize) -> Response {
    json_text(text_of(shape).into())
}

/// Returns a JSON response of this text.
pub(crate) fn json_text(text: Body) -> Response {
    let mut response = Response::new(text);
    let headers = response.headers_mut();
    let media_type = HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
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
