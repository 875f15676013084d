//! [`BoardResponse`]: the schema of a response about a board.

use std::borrow::Cow;
use std::marker::PhantomData;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AllOfBuilder, Ref, Schema};
use utoipa::{PartialSchema, ToSchema};
use wire::{EnvelopeWritten, Schemas};

/// An envelope, and the members of another object.
pub(crate) struct BoardResponse<T>(PhantomData<T>);

impl<T: ToSchema> PartialSchema for BoardResponse<T> {
    fn schema() -> RefOr<Schema> {
        AllOfBuilder::new()
            .item(Ref::from_schema_name(EnvelopeWritten::name()))
            .item(T::schema())
            .into()
    }
}

impl<T: ToSchema> ToSchema for BoardResponse<T> {
    fn name() -> Cow<'static, str> {
        format!("{}Response", T::name()).into()
    }

    fn schemas(schemas: &mut Schemas) {
        schemas.push((EnvelopeWritten::name().into(), EnvelopeWritten::schema()));
        EnvelopeWritten::schemas(schemas);
        T::schemas(schemas);
    }
}
