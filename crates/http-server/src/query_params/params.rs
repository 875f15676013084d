//! [`Params`]: the parameters of a query, read into a struct by serde. Those that the struct does not have are errors.
//!
//! A struct of parameters has `#[serde(deny_unknown_fields)]`, and an `Option` for each parameter that may be missing.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::vec;

use board::Value;
use serde::de::value::CowStrDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use wire::problem::Problem;

use crate::query_params::percent;

/// The longest value that an error about an unknown parameter repeats: a longer one may be a key.
const SHOWN_VALUE_BYTES_MAX: usize = 32;

/// The name and the value of a parameter.
type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// The query parameters of a request that its handler has not read yet.
pub struct Params<'a>(Vec<Pair<'a>>);

impl<'a> Params<'a> {
    /// Parses a query. An invalid percent-encoding and a repeated parameter are errors.
    pub fn of(query: Option<&'a str>) -> Result<Self, Problem> {
        let query = query.unwrap_or_default();
        for pair in query.split('&').filter(|pair| pair.contains('%')) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            percent::check(name, name)?;
            percent::check(name, value)?;
        }
        let pairs: Vec<Pair<'a>> = form_urlencoded::parse(query.as_bytes()).collect();
        for (index, (name, _)) in pairs.iter().enumerate() {
            if pairs[..index].iter().any(|(other, _)| other == name) {
                return Err(Problem::invalid(format!("{name}: is given twice")));
            }
        }
        Ok(Self(pairs))
    }

    /// Reads one parameter, and removes it.
    pub fn take<T: Deserialize<'a>>(&mut self, name: &str) -> Result<Option<T>, Problem> {
        let Some(index) = self.0.iter().position(|(other, _)| other == name) else {
            return Ok(None);
        };
        let (name, value) = self.0.swap_remove(index);
        let read = T::deserialize(Param(value)).map_err(|error| error.of(&name));
        Ok(Some(read?))
    }

    /// Reads all parameters that are left.
    pub fn read<T: Deserialize<'a>>(self) -> Result<T, Problem> {
        let pairs = Pairs {
            left: self.0.into_iter(),
            current: None,
        };
        Ok(T::deserialize(de::value::MapAccessDeserializer::new(
            pairs,
        ))?)
    }
}

/// Why a parameter is rejected.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct ParamError(String);

impl ParamError {
    fn of(self, name: &str) -> Self {
        Self(format!("{name}: {self}"))
    }
}

impl de::Error for ParamError {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }

    fn missing_field(name: &'static str) -> Self {
        Self(format!("{name}: is missing"))
    }

    fn unknown_variant(value: &str, expected: &'static [&'static str]) -> Self {
        Self(format!("{value:?} is not {}", expected.join(" or ")))
    }
}

impl From<ParamError> for Problem {
    fn from(error: ParamError) -> Self {
        Self::invalid(error.0)
    }
}

/// The parameters, as serde reads them.
struct Pairs<'a> {
    left: vec::IntoIter<Pair<'a>>,
    /// The one whose name was read.
    current: Option<Pair<'a>>,
}

impl<'de> MapAccess<'de> for Pairs<'de> {
    type Error = ParamError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ParamError> {
        self.current = self.left.next();
        let Some((name, value)) = &self.current else {
            return Ok(None);
        };
        let read = seed.deserialize(CowStrDeserializer::<ParamError>::new(name.clone()));
        read.map(Some).map_err(|_| {
            let value = if value.len() <= SHOWN_VALUE_BYTES_MAX {
                format!(" (value {value:?})")
            } else {
                String::new()
            };
            ParamError(format!("{name}: is not a parameter of this path{value}"))
        })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, ParamError> {
        let (name, value) = self.current.take().expect("its name was read");
        let read = seed.deserialize(Param(value));
        read.map_err(|error| error.of(&name))
    }
}

/// The value of a parameter.
struct Param<'a>(Cow<'a, str>);

impl<'de> Deserializer<'de> for Param<'de> {
    type Error = ParamError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamError> {
        visitor.visit_string(self.0.into_owned())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamError> {
        visitor.visit_some(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamError> {
        match &*self.0 {
            "false" => visitor.visit_bool(false),
            "true" => visitor.visit_bool(true),
            other => Err(ParamError(format!("{other:?} is not true or false"))),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParamError> {
        visitor.visit_enum(CowStrDeserializer::new(self.0))
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy)]
pub struct WholeNumber<const MIN: u64, const MAX: u64>(
    /// The number.
    pub u64,
);

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for WholeNumber<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = whole_number(&text, MIN..=MAX);
        number.map(Self).map_err(D::Error::custom)
    }
}

/// Parses a parameter whose range depends on the kind.
pub fn whole_within(
    name: &str,
    text: Option<&str>,
    range: RangeInclusive<u64>,
) -> Result<Option<u64>, Problem> {
    let number = text.map(|text| whole_number(text, range)).transpose();
    number.map_err(|wrong| Problem::invalid(format!("{name}: {wrong}")))
}

fn whole_number(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = if is_digits { text.parse().ok() } else { None };
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| match (range.start(), range.end()) {
            (low, &u64::MAX) => format!("{text:?} is not a whole number from {low} on"),
            (low, high) => format!("{text:?} is not a whole number from {low} to {high}"),
        })
}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub struct FieldValue(
    /// The value.
    pub Value,
);

impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // As in JSON, 50.0 is 50.
        let whole = match text.split_once('.') {
            Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|it| it == b'0') => {
                whole
            }
            _ => &*text,
        };
        let number = whole.parse().ok().filter(|_| !whole.starts_with('+'));
        number.and_then(Value::new).map(Self).ok_or_else(|| {
            D::Error::custom(format!(
                "{text:?} is not an integer within ±9007199254740991"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Read {
        n: Option<WholeNumber<1, 10>>,
        min: Option<FieldValue>,
        after: Option<String>,
        fresh: Option<bool>,
        order: Option<Order>,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Best,
        Worst,
    }

    fn read(query: &str) -> Result<Read, String> {
        let read = Params::of(Some(query)).and_then(Params::read);
        read.map_err(|problem| problem.detail)
    }

    #[derive(Debug, serde::Deserialize)]
    struct Required {
        #[serde(rename = "kind")]
        _kind: String,
    }

    #[test]
    fn parameters_are_read_by_name() {
        let all = read("n=10&after=day%3A2026-11-20&fresh=true&order=worst&min=-1.00").unwrap();
        assert_eq!(all.n.unwrap().0, 10);
        assert_eq!(all.min.unwrap().0, Value::new(-1).unwrap());
        assert_eq!(all.after.as_deref(), Some("day:2026-11-20"));
        assert_eq!((all.fresh, all.order), (Some(true), Some(Order::Worst)));
        let mut params = Params::of(Some("window=day&n=1")).unwrap();
        assert_eq!(
            params.take::<String>("window").unwrap().as_deref(),
            Some("day")
        );
        assert_eq!(params.take::<String>("window").unwrap(), None);
        assert_eq!(params.read::<Read>().unwrap().n.unwrap().0, 1);
        let text = read("after=100%25+1%2B&&").unwrap().after;
        assert_eq!(text.as_deref(), Some("100% 1+"));
        let missing = Params::of(None).and_then(Params::read::<Required>);
        assert_eq!(missing.unwrap_err().detail, "kind: is missing");
    }

    #[test]
    fn errors_name_parameter_and_value() {
        for (query, detail) in [
            ("x=1", "x: is not a parameter of this path (value \"1\")"),
            ("n=11", "n: \"11\" is not a whole number from 1 to 10"),
            ("n=-1", "n: \"-1\" is not"),
            ("n=1e1", "n: \"1e1\" is not"),
            ("n=", "n: \"\" is not"),
            ("n=+1", "n: \" 1\" is not"),
            ("n=1&n=2", "n: is given twice"),
            ("min=9007199254740992", "min: \"9007199254740992\" is not"),
            ("min=1.5", "min: \"1.5\" is not"),
            ("min=1.", "min: "),
            ("min=.0", "min: "),
            ("min=1.0.0", "min: "),
            ("min=1.00x", "min: "),
            ("min=%2B1.0", "min: "),
            ("fresh=1", "fresh: \"1\" is not true or false"),
            ("order=any", "order: \"any\" is not best or worst"),
            ("n=1&after=100%", "after: \"100%\""),
            ("after=%zz&n=1", "after: \"%zz\""),
            ("after=%FF", "after: \"%FF\""),
            ("%zz=1", "%zz: \"%zz\""),
            ("after=1&%", "%: \"%\""),
        ] {
            let wrong = read(query).unwrap_err();
            assert!(wrong.starts_with(detail), "{query}: {wrong}");
        }
        let long = read(&format!("x={}", "k".repeat(40))).unwrap_err();
        assert_eq!(long, "x: is not a parameter of this path");
    }
}
