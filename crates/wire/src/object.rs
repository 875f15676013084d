//! Shapes that are read from objects only: [`Object`].
//!
//! Deserialization that serde derives for a struct also accepts an array of the fields, in the order of the source
//! code. No client should depend on that. It rejects repeated fields, while a map keeps the last value, so maps are
//! read by [`named`].

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// A shape read from an object.
#[derive(Debug)]
pub struct Object<T>(
    /// The shape.
    pub T,
);

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

/// Reads a field that is an object.
pub(crate) fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Object::deserialize(deserializer).map(|object| object.0)
}

/// Reads an optional field that must not be null.
pub(crate) fn not_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads an optional field that is an object and must not be null.
pub(crate) fn object_not_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    object(deserializer).map(Some)
}

/// Reads a field that is an object or null.
pub(crate) fn some_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let object: Option<Object<T>> = Option::deserialize(deserializer)?;
    Ok(object.map(|object| object.0))
}

/// Reads a field that is an array of objects.
pub(crate) fn objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let objects: Vec<Object<T>> = Vec::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|object| object.0).collect())
}

struct NamedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NamedVisitor<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut named = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            match named.entry(name) {
                Entry::Vacant(entry) => {
                    entry.insert(map.next_value()?);
                }
                Entry::Occupied(entry) => {
                    let twice = format!("{:?} is named twice", entry.key());
                    return Err(A::Error::custom(twice));
                }
            }
        }
        Ok(named)
    }
}

/// Reads a field that is an object of values by name, without repeated names.
pub(crate) fn named<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    deserializer.deserialize_map(NamedVisitor(PhantomData))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shape<'a> {
        name: &'a str,
    }

    #[test]
    fn an_array_is_rejected_where_an_object_is_required() {
        let read = serde_json::from_str::<Object<Shape<'_>>>(r#"{"name": "u"}"#);
        assert_eq!(read.unwrap().0, Shape { name: "u" });
        for (text, part) in [
            (r#"["u"]"#, "sequence, expected an object"),
            ("[]", "sequence, expected an object"),
            ("7", "expected an object"),
            ("{}", "missing field `name`"),
            (r#"{"name": "u", "x": 1}"#, "unknown field `x`"),
        ] {
            let error = serde_json::from_str::<Object<Shape<'_>>>(text).err();
            let error = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
