//! Hash tags: a short text for every slot of a cluster.
//!
//! The slot of a key depends on the text in its first braces. With a tag for each slot, a shard can
//! be placed in any slot, and a board spreads evenly over any number of nodes.

use std::sync::OnceLock;

/// The number of slots of a Redis cluster.
pub const SLOTS: u16 = 16_384;

/// Returns the slot of a key.
#[must_use]
pub fn slot_of(key: &[u8]) -> u16 {
    fred::util::redis_keyslot(key)
}

/// Returns the tag of a slot: the first of the shortest texts of digits and lower-case letters in
/// it.
#[must_use]
pub fn tag_of(slot: u16) -> &'static str {
    static TAGS: OnceLock<Vec<String>> = OnceLock::new();
    &TAGS.get_or_init(all_tags)[usize::from(slot)]
}

fn all_tags() -> Vec<String> {
    const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut tags = vec![String::new(); usize::from(SLOTS)];
    let mut left = tags.len();
    let mut texts = vec![String::new()];
    while left > 0 {
        let longer = texts.iter().flat_map(|text| {
            let letters = LETTERS.iter().map(|letter| char::from(*letter));
            letters.map(move |letter| format!("{text}{letter}"))
        });
        let longer: Vec<String> = longer.collect();
        for text in &longer {
            let tag = &mut tags[usize::from(slot_of(text.as_bytes()))];
            if tag.is_empty() && left > 0 {
                tag.clone_from(text);
                left -= 1;
            }
        }
        texts = longer;
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_cluster_specification() {
        // The specification's own check value, and replies of `CLUSTER KEYSLOT`.
        assert_eq!(slot_of(b"123456789"), 0x31C3);
        assert_eq!(slot_of(b"foo"), 12_182);
    }

    #[test]
    fn every_slot_has_a_short_tag_that_lies_in_it() {
        for slot in 0..SLOTS {
            let tag = tag_of(slot);
            assert_eq!(slot_of(tag.as_bytes()), slot);
            assert!((1..=4).contains(&tag.len()), "{tag}");
        }
    }
}
