//! Scalars of requests: exact integers, moments, borrowed strings.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use board::limits::FIELDS_MAX;
use board::{Timestamp, Value};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A string, borrowed from the body if it has no escapes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(
    /// The string.
    #[serde(borrow)]
    pub Cow<'a, str>,
);

/// A list of at most `MAX` items. Reading stops at the first item that exceeds the limit.
#[derive(Debug, Clone, PartialEq)]
pub struct List<T, const MAX: usize>(
    /// The items.
    pub Vec<T>,
);

struct ListVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ListVisitor<T, MAX> {
    type Value = List<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            if list.len() == MAX {
                return Err(A::Error::custom(format!("at most {MAX} are allowed")));
            }
            list.push(item);
        }
        Ok(List(list))
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

/// An integer that may be outside the range of values: such a number has an error of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Integer<'a> {
    /// In the range of values.
    Exact(Value),
    /// Outside the range, as it was sent.
    Outside(&'a str),
}

impl<'a> Integer<'a> {
    /// Returns the number of this JSON; `None` if it is no integer.
    fn of(json: &'a str) -> Option<Self> {
        // As far as a double represents every integer, one that is written as 50.0 or 5e1 is read as one.
        const EXACT_MAX: f64 = 9_007_199_254_740_991.0;
        if let Ok(integer) = json.parse() {
            return Some(Value::new(integer).map_or(Self::Outside(json), Self::Exact));
        }
        let number: f64 = json.parse().ok()?;
        if number.abs() > EXACT_MAX {
            return Some(Self::Outside(json));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is in the range of values"
        )]
        let integer = Value::new(number as i64).filter(|_| number.fract() == 0.0);
        integer.map(Self::Exact)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Integer<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?.get();
        Self::of(json).ok_or_else(|| {
            let why = format!("{} is not an integer", beginning(json));
            D::Error::custom(why)
        })
    }
}

/// Returns the beginning of a value, for an error: a whole one may be as long as a body.
#[must_use]
pub fn beginning(json: &str) -> &str {
    const CHARS_MAX: usize = 100;
    let end = json.char_indices().nth(CHARS_MAX);
    end.map_or(json, |(end, _)| &json[..end])
}

/// A time, as RFC 3339 or integer epoch milliseconds or microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) Timestamp);

struct MomentVisitor;

impl Visitor<'_> for MomentVisitor {
    type Value = Moment;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RFC 3339 or integer epoch milliseconds or microseconds")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Moment, E> {
        Timestamp::parse_rfc3339(text)
            .map(Moment)
            .map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Moment, E> {
        Timestamp::from_request_integer(value)
            .map(Moment)
            .map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Moment, E> {
        self.visit_i64(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MomentVisitor)
    }
}

/// Integers by field name, without repeated names: `{"agree": 1, "comments": 0}`. A null field is omitted.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedIntegers<'a>(pub(crate) Vec<(Text<'a>, Integer<'a>)>);

struct NamedIntegersVisitor;

impl<'de> Visitor<'de> for NamedIntegersVisitor {
    type Value = NamedIntegers<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of integers by field name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut named: Vec<(Text<'de>, Option<Integer<'de>>)> = Vec::new();
        while let Some(name) = map.next_key::<Text<'de>>()? {
            if named.len() == FIELDS_MAX {
                return Err(A::Error::custom(
                    "more fields are named than a kind can have",
                ));
            }
            if named.iter().any(|(other, _)| *other == name) {
                return Err(A::Error::custom(format!("{} is named twice", name.0)));
            }
            named.push((name, map.next_value()?));
        }
        let named = named
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        Ok(NamedIntegers(named.collect()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for NamedIntegers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamedIntegersVisitor)
    }
}
