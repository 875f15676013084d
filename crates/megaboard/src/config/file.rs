//! Deserializes a configuration file: [`parse`].
//!
//! The deserializer of the library has errors that repeat values, as texts. This one, over the values that the library
//! has parsed, has the typed errors of [`Malformed`].

use std::ops::Range;

use serde::de::value::SeqDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess,
    Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::malformed::Malformed;

/// Parses the text of a file.
pub(super) fn parse<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, Malformed> {
    let table = DeTable::parse(text).map_err(|error| Malformed::not_toml(text, &error))?;
    let root = Value {
        span: table.span(),
        value: &DeValue::Table(table.into_inner()),
    };
    T::deserialize(root).map_err(|error| error.in_text(text))
}

/// A value, and where it is in the text.
struct Value<'a> {
    span: Range<usize>,
    value: &'a DeValue<'a>,
}

impl<'a> Value<'a> {
    fn of(spanned: &'a Spanned<DeValue<'a>>) -> Self {
        Self {
            span: spanned.span(),
            value: spanned.get_ref(),
        }
    }

    fn unexpected(&self) -> Unexpected<'a> {
        match self.value {
            DeValue::String(text) => Unexpected::Str(text),
            DeValue::Integer(_) => Unexpected::Signed(0),
            DeValue::Float(_) => Unexpected::Float(0.0),
            DeValue::Boolean(is) => Unexpected::Bool(*is),
            DeValue::Datetime(_) => Unexpected::Other("date"),
            DeValue::Array(_) => Unexpected::Seq,
            DeValue::Table(_) => Unexpected::Map,
        }
    }

    fn is_no(&self, expected: &str) -> Malformed {
        Malformed::invalid_type(self.unexpected(), &expected).at(self.span.clone())
    }
}

impl IntoDeserializer<'_, Malformed> for Value<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Malformed;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        let read = match self.value {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Integer(number) => {
                let integer = i64::from_str_radix(number.as_str(), number.radix());
                visitor.visit_i64(integer.map_err(|_| self.is_no("an integer of 64 bits"))?)
            }
            DeValue::Float(number) => {
                let float = number.as_str().parse();
                visitor.visit_f64(float.map_err(|_| self.is_no("a float"))?)
            }
            DeValue::Boolean(is) => visitor.visit_bool(*is),
            DeValue::Datetime(_) => Err(Malformed::invalid_type(self.unexpected(), &visitor)),
            DeValue::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.iter().map(Value::of)))
            }
            DeValue::Table(table) => visitor.visit_map(Entries {
                left: table.iter(),
                next: None,
            }),
        };
        read.map_err(|error| error.at(self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        match self.value {
            DeValue::String(word) => visitor.visit_enum(word.as_ref().into_deserializer()),
            _ => Err(self.is_no("a string")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        match self.value {
            DeValue::Table(_) => self.deserialize_any(visitor),
            _ => Err(self.is_no("a table")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// The settings of a table.
struct Entries<'a, I> {
    left: I,
    next: Option<(&'a str, Value<'a>)>,
}

impl<'de, 'a, I> MapAccess<'de> for Entries<'a, I>
where
    I: Iterator<Item = (&'a Spanned<DeString<'a>>, &'a Spanned<DeValue<'a>>)>,
{
    type Error = Malformed;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Malformed> {
        let Some((name, value)) = self.left.next() else {
            return Ok(None);
        };
        self.next = Some((name.get_ref(), Value::of(value)));
        let key = seed.deserialize(name.get_ref().as_ref().into_deserializer());
        key.map(Some)
            .map_err(|error: Malformed| error.at(name.span()))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Malformed> {
        let (name, value) = self.next.take().expect("a value follows its name");
        let span = value.span.clone();
        let read = seed.deserialize(value);
        read.map_err(|error| error.at(span).within(name))
    }
}
