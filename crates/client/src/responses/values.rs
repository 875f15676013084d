//! The fields of a standing: [`Values`].

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// The default field of kinds.
const POINTS: &str = "points";

/// The fields of a standing, in the kind's order. For kinds whose only field is `points`, that field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PointsOrFields", into = "PointsOrFields")]
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

/// The members of an object that a standing is: either the points, or all fields.
#[derive(Serialize, Deserialize)]
struct PointsOrFields {
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    points: Option<Points>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Fields>,
}

/// The points; null for a field without a value.
#[derive(Serialize, Deserialize)]
struct Points(Option<i64>);

/// Distinguishes null from an absent member.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Points>, D::Error> {
    Points::deserialize(deserializer).map(Some)
}

impl From<PointsOrFields> for Values {
    fn from(members: PointsOrFields) -> Self {
        match members {
            PointsOrFields {
                values: Some(Fields(values)),
                ..
            } => Self(values),
            PointsOrFields { points, .. } => Self(
                points
                    .map(|Points(points)| (POINTS.to_owned(), points))
                    .into_iter()
                    .collect(),
            ),
        }
    }
}

impl From<Values> for PointsOrFields {
    fn from(Values(values): Values) -> Self {
        match &values[..] {
            [(name, points)] if name == POINTS => Self {
                points: Some(Points(*points)),
                values: None,
            },
            _ => Self {
                points: None,
                values: (!values.is_empty()).then_some(Fields(values)),
            },
        }
    }
}

/// Fields in the kind's order.
struct Fields(Vec<(String, Option<i64>)>);

impl Serialize for Fields {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of integers, by field name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::with_capacity(map.size_hint().unwrap_or(1));
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
