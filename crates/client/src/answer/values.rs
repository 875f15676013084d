//! The fields of a standing: [`Values`].

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// The name of the field of kinds that have no other.
const POINTS: &str = "points";

/// The fields of a standing, in the order of their kind. Of a kind whose only field is `points` that
/// is the one here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(Vec<(String, Option<i64>)>);

impl Values {
    /// What stands in a field; none where there is no such field, and where nothing was said of it
    /// yet.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<i64> {
        let found = self.0.iter().find(|(name, _)| name == field);
        found.and_then(|(_, value)| *value)
    }

    /// The field `points`.
    #[must_use]
    pub fn points(&self) -> Option<i64> {
        self.get(POINTS)
    }

    /// The first field: the one that gaps, ranges and targets are about.
    #[must_use]
    pub fn first(&self) -> Option<i64> {
        self.0.first().and_then(|(_, value)| *value)
    }

    /// All fields and what stands in them, in the kind's order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Option<i64>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// How many fields there are: none of who has no standing.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no standing.
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
                f.write_str("integers by the names of fields")
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

/// In the kind's order.
impl Serialize for Values {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Tells `null` from nothing.
pub(super) fn named<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<i64>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl Values {
    /// What stands on the wire: `points` beside the other members, or `values`.
    pub(super) fn of(points: Option<Option<i64>>, values: Option<Self>) -> Self {
        let points = points.map(|points| Self(vec![(POINTS.to_owned(), points)]));
        values.or(points).unwrap_or_default()
    }
}
