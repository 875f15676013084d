//! [`BoardResponse`]: a response about a board, in the envelope that all such responses have.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use wire::Envelope;

/// An envelope, followed by the members of another object.
#[derive(Debug, Serialize)]
pub(crate) struct BoardResponse<T: Serialize> {
    #[serde(flatten)]
    pub(crate) envelope: Envelope,
    #[serde(flatten)]
    pub(crate) body: T,
}

impl<T: Serialize> IntoResponse for BoardResponse<T> {
    fn into_response(self) -> Response {
        json(&self)
    }
}

/// Returns a JSON response.
pub(crate) fn json(shape: &impl Serialize) -> Response {
    let text = serde_json::to_vec(shape).expect("a shape is JSON, and memory is no file");
    json_text(text.into())
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

    impl<T: Serialize + ToSchema> PartialSchema for BoardResponse<T> {
        fn schema() -> RefOr<Schema> {
            AllOfBuilder::new()
                .item(Ref::from_schema_name(Envelope::name()))
                .item(T::schema())
                .into()
        }
    }

    impl<T: Serialize + ToSchema> ToSchema for BoardResponse<T> {
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
