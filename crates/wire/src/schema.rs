//! Schemas that cannot be derived: those of shapes with hand-written deserialization, and of numbers that may be null.

use std::borrow::Cow;

use board::limits::{FIELDS_MAX, VALUE_MAX};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    AdditionalProperties, KnownFormat, Object, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat,
    SchemaType, Type,
};
use utoipa::{PartialSchema, ToSchema};

use crate::scalar::{Integer, Moment, NamedIntegers};

/// Schemas by name.
pub type Schemas = Vec<(String, RefOr<Schema>)>;

fn exact_integer() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(-VALUE_MAX))
        .maximum(Some(VALUE_MAX))
}

fn exact_or_null() -> ObjectBuilder {
    exact_integer().schema_type(SchemaType::from_iter([Type::Integer, Type::Null]))
}

/// Values by the names of a kind's fields.
fn by_field() -> ObjectBuilder {
    let value = Schema::Object(exact_or_null().build());
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(AdditionalProperties::RefOr(value.into())))
}

/// `points` of an entry.
pub(crate) fn points() -> Object {
    let points = exact_or_null().description(Some("For kinds whose only field is `points`."));
    points.build()
}

/// `values` of an entry.
pub(crate) fn values() -> Object {
    let values = "For all other kinds: the fields by name, null if a field has no value yet.";
    by_field().description(Some(values)).build()
}

/// `to_target` of a member.
pub(crate) fn to_target() -> Object {
    let change = "With `target`: the smallest change of the first field with which the position is at most \
                  the target; null if no change is sufficient.";
    exact_or_null().description(Some(change)).build()
}

/// `rank` of a standing that was written.
#[must_use]
pub fn requested_rank() -> Object {
    let rank = "The rank by the kind's rank style; null if the member is not ranked. After a contribution only with \
                `return=ranks`.";
    one_or_more(rank)
}

/// `position` of a standing that was written.
#[must_use]
pub fn requested_position() -> Object {
    one_or_more(
        "1 is best; null if the member is not ranked. After a contribution only with `return=ranks`.",
    )
}

/// `previous_rank` of a standing that was written.
#[must_use]
pub fn previous_rank() -> Object {
    one_or_more(
        "With `previous_rank`: the rank right before the request; null if the member was not ranked.",
    )
}

fn one_or_more(description: &str) -> Object {
    exact_or_null()
        .minimum(Some(1))
        .description(Some(description))
        .build()
}

impl PartialSchema for Integer<'_> {
    fn schema() -> RefOr<Schema> {
        exact_integer()
            .description(Some("An integer within ±(2^53 − 1)."))
            .examples([3])
            .into()
    }
}

impl ToSchema for Integer<'_> {
    fn name() -> Cow<'static, str> {
        "Integer".into()
    }
}

impl PartialSchema for Moment {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
        let epoch = ObjectBuilder::new().schema_type(Type::Integer);
        OneOfBuilder::new()
            .item(text)
            .item(epoch.description(Some(
                "Epoch milliseconds below 10^14, otherwise epoch microseconds.",
            )))
            .description(Some("RFC 3339, of which six fractional digits are kept, or integer epoch milliseconds or microseconds."))
            .examples(["2026-11-20T14:52:22.123456Z"])
            .into()
    }
}

impl ToSchema for Moment {
    fn name() -> Cow<'static, str> {
        "Moment".into()
    }
}

impl PartialSchema for NamedIntegers<'_> {
    fn schema() -> RefOr<Schema> {
        by_field()
            .max_properties(Some(FIELDS_MAX))
            .description(Some(
                "Integers by the names of fields. A null field is omitted.",
            ))
            .examples([serde_json::json!({"agree": 1, "comments": 0})])
            .into()
    }
}

impl ToSchema for NamedIntegers<'_> {
    fn name() -> Cow<'static, str> {
        "FieldValues".into()
    }
}
