//! The fields of a standing: [`Values`].

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// The default field of kinds.
pub(super) const POINTS: &str = "points";

/// The fields of a standing, in the kind's order. For kinds whose only field is `points`, that field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(Vec<(String, Option<i64>)>);

impl Values {
    /// Returns the value of a field. `None` if there is no such field, or it has no value yet.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<i64> {
        let found = self.0.iter().find(|(name, _)| name == field);
        found.and_then(|(_, value)| *value)
    }

    /// Returns the field `points`.
    #[must_use]
    pub fn points(&self) -> Option<i64> {
        self.get(POINTS)
    }

    /// Returns the first field, which gaps, ranges and targets refer to.
    #[must_use]
    pub fn first(&self) -> Option<i64> {
        self.0.first().and_then(|(_, value)| *value)
    }

    /// Iterates over the fields and their values, in the kind's order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Option<i64>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// Returns the number of fields; 0 if there is no standing.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no standing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Values;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of integers, by field name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values, A::Error> {
                let mut values = Vec::with_capacity(map.size_hint().unwrap_or(1));
                while let Some(field) = map.next_entry()? {
                    values.push(field);
                }
                Ok(Values(values))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl<F: Into<String>> FromIterator<(F, i64)> for Values {
    fn from_iter<I: IntoIterator<Item = (F, i64)>>(values: I) -> Self {
        let fields = values.into_iter();
        Self(
            fields
                .map(|(name, value)| (name.into(), Some(value)))
                .collect(),
        )
    }
}

/// Serializes the fields in the kind's order.
impl Serialize for Values {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Parses the member `points` of an entry. Null is a field without a value.
pub(super) fn points<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Values>, D::Error> {
    let points = Option::deserialize(deserializer)?;
    Ok(Some(Values(vec![(POINTS.to_owned(), points)])))
}
