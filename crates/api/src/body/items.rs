//! Arrays whose items are read one by one: [`items_from_json`].
//!
//! The items are counted while the array is read: one that is too long is rejected at its first item
//! too many, however much of it follows.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::problem::{Problem, ProblemType};

/// Reads an array of at most so many items, each as its text.
pub(crate) fn items_from_json(text: &[u8], items_max: usize) -> Result<Vec<&RawValue>, Problem> {
    let is_too_long = Cell::new(false);
    let items = Items {
        max: items_max,
        is_too_long: &is_too_long,
    };
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let read = items.deserialize(&mut deserializer);
    let read = read.and_then(|items| deserializer.end().map(|()| items));
    read.map_err(|error| {
        if is_too_long.get() {
            let detail = format!("the array has more than {items_max} elements");
            return Problem::new(ProblemType::TooLarge, detail);
        }
        let kind = if error.is_data() {
            ProblemType::Invalid
        } else {
            ProblemType::Malformed
        };
        Problem::new(kind, error.to_string())
    })
}

/// An array of at most so many items.
struct Items<'a> {
    max: usize,
    /// Set where there are more.
    is_too_long: &'a Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = Vec<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = array.next_element()? {
            if items.len() == self.max {
                self.is_too_long.set(true);
                return Err(A::Error::custom("the array has too many elements"));
            }
            items.push(item);
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(text: &str, max: usize) -> ProblemType {
        items_from_json(text.as_bytes(), max).unwrap_err().kind
    }

    #[test]
    fn items_are_texts_and_what_is_no_array_is_named() {
        let items = items_from_json(br#" [1, {"a": [2]} ,"x"] "#, 3).unwrap();
        let texts: Vec<&str> = items.iter().map(|item| item.get()).collect();
        assert_eq!(texts, ["1", r#"{"a": [2]}"#, r#""x""#]);
        assert!(items_from_json(b"[]", 0).unwrap().is_empty());
        assert_eq!(kind_of("[1, 2", 3), ProblemType::Malformed);
        assert_eq!(kind_of("[1] 2", 3), ProblemType::Malformed);
        assert_eq!(kind_of("{}", 3), ProblemType::Invalid);
    }

    #[test]
    fn nothing_behind_the_first_item_too_many_is_read() {
        assert_eq!(kind_of("[1,2,3,4]", 3), ProblemType::TooLarge);
        // What follows is no JSON, and nobody finds that out.
        assert_eq!(kind_of("[1,2,3,4,}}}}", 3), ProblemType::TooLarge);
        assert_eq!(kind_of("[1,2,3,}}}}", 3), ProblemType::Malformed);
    }
}
