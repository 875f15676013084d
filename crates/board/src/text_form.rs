//! Serde's traits of types that are stored as the text they are parsed from.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserializer;
use serde::de::{self, Visitor};

/// Implements serde's traits by the text of a type: by its `Display`, or by the method that returns it.
macro_rules! text_form {
    ($name:ty) => {
        $crate::text_form::text_form!($name, serializer => |text: &$name| serializer.collect_str(text));
    };
    ($name:ty, $as_str:ident) => {
        $crate::text_form::text_form!($name, serializer => |text: &$name| serializer.serialize_str(text.$as_str()));
    };
    ($name:ty, $serializer:ident => $write:expr) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, $serializer: S) -> Result<S::Ok, S::Error> {
                ($write)(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::text_form::parsed(from)
            }
        }
    };
}

pub(crate) use text_form;

/// Reads a text, and parses it.
pub(crate) fn parsed<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    struct Text<T>(PhantomData<T>);

    impl<T: FromStr<Err: Display>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }

    from.deserialize_str(Text(PhantomData))
}
