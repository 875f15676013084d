//! Parses an array into the texts of its items: [`items_from_json`].
//!
//! An array with too many items is rejected at the first item that exceeds the limit, without reading the others. The
//! memory for the maximum number of items is counted before, because a short item is smaller than the reference to it.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;
use wire::problem::{Problem, ProblemType};

use super::memory::{ITEM_BYTES, Whole};

/// Parses an array of at most `items_max` items into their texts. Their memory is counted with that of the body.
pub fn items_from_json(body: &mut Whole, items_max: usize) -> Result<Vec<&RawValue>, Problem> {
    // All items but the first follow a comma.
    let commas: usize = body.iter().map(|byte| usize::from(*byte == b',')).sum();
    let capacity = (commas + 1).min(items_max);
    body.count_parsed(capacity * ITEM_BYTES)?;
    let is_too_long = Cell::new(false);
    let items = Items {
        max: items_max,
        capacity,
        is_too_long: &is_too_long,
    };
    let mut deserializer = serde_json::Deserializer::from_slice(body);
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

/// Visits an array of at most `max` items.
struct Items<'a> {
    max: usize,
    /// An upper bound of the number of items.
    capacity: usize,
    /// Set if there are more than `max` items.
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
        let mut items = Vec::with_capacity(self.capacity);
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
    use crate::share::Share;

    fn body(share: &Share, text: &[u8]) -> Whole {
        let mut body = Whole::new(share, text.len());
        body.add(text).unwrap();
        body
    }

    fn kind_of(text: &str, max: usize) -> ProblemType {
        let mut body = body(&Share::up_to(1 << 20), text.as_bytes());
        items_from_json(&mut body, max).unwrap_err().kind
    }

    #[test]
    fn items_are_texts_and_other_values_are_rejected() {
        let share = Share::up_to(1 << 20);
        let mut some = body(&share, br#" [1, {"a": [2]} ,"x"] "#);
        let items = items_from_json(&mut some, 3).unwrap();
        let texts: Vec<&str> = items.iter().map(|item| item.get()).collect();
        assert_eq!(texts, ["1", r#"{"a": [2]}"#, r#""x""#]);
        let mut none = body(&share, b"[]");
        assert!(items_from_json(&mut none, 0).unwrap().is_empty());
        assert_eq!(kind_of("[1, 2", 3), ProblemType::Malformed);
        assert_eq!(kind_of("[1] 2", 3), ProblemType::Malformed);
        assert_eq!(kind_of("{}", 3), ProblemType::Invalid);
    }

    #[test]
    fn nothing_after_the_first_excess_item_is_read() {
        assert_eq!(kind_of("[1,2,3,4]", 3), ProblemType::TooLarge);
        // The text after it is not JSON, which is not detected.
        assert_eq!(kind_of("[1,2,3,4,}}}}", 3), ProblemType::TooLarge);
        assert_eq!(kind_of("[1,2,3,}}}}", 3), ProblemType::Malformed);
    }

    #[test]
    fn items_are_counted_until_the_body_is_dropped() {
        const ITEMS: usize = 1000;
        let text = format!("[{}0]", "0,".repeat(ITEMS - 1));
        let counted = text.len() + ITEMS * size_of::<&RawValue>();
        let share = Share::up_to(counted + text.len());
        let mut whole = body(&share, text.as_bytes());
        let items = items_from_json(&mut whole, ITEMS).unwrap();
        assert_eq!((items.capacity(), share.bytes()), (ITEMS, counted));
        let mut other = body(&share, text.as_bytes());
        let rejected = items_from_json(&mut other, ITEMS).unwrap_err();
        assert_eq!(rejected.kind, ProblemType::Overloaded);
        drop((whole, other));
        assert_eq!(share.bytes(), 0);
    }
}
