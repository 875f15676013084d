//! Merges the sorted parts of N shards.
//!
//! ```text
//!   shard 0   a──c──f          a heap holds the next entry of each stretch;
//!   shard 1   b──g     ─►  a b c d f g ...     the best leaves, its successor enters
//!   shard 2   d──h
//! ```
//!
//! Entries are not copied. A member belongs to one shard, so no key occurs twice.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::slice;

use shard_store::ShardEntry;

struct Next<'a> {
    entry: &'a ShardEntry,
    rest: slice::Iter<'a, ShardEntry>,
    list: usize,
}

impl PartialEq for Next<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entry.key == other.entry.key
    }
}

impl Eq for Next<'_> {}

impl Ord for Next<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.entry.key.cmp(&other.entry.key)
    }
}

impl PartialOrd for Next<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Merges lists that are each sorted best first. Each entry comes with the index of its list.
pub(crate) fn merge<'a>(
    lists: impl Iterator<Item = &'a [ShardEntry]>,
) -> impl Iterator<Item = (usize, &'a ShardEntry)> {
    let first = |(list, entries): (usize, &'a [ShardEntry])| {
        let mut rest = entries.iter();
        rest.next().map(|entry| Next { entry, rest, list })
    };
    let mut heap: BinaryHeap<Next<'a>> = lists.enumerate().filter_map(first).collect();
    std::iter::from_fn(move || {
        let mut top = heap.peek_mut()?;
        let best = (top.list, top.entry);
        // Replacing the top in place sifts once, where popping and pushing would sift twice.
        match top.rest.next() {
            Some(entry) => top.entry = entry,
            None => drop(PeekMut::pop(top)),
        }
        Some(best)
    })
}

#[cfg(test)]
mod tests {
    use board::{Member, NameOrder, RankKey, RankWords, Timestamp};
    use proptest::prelude::*;

    use super::*;

    fn entry(word: u64, member: u16) -> ShardEntry {
        let member = Member::new(&format!("m{member}")).unwrap();
        let key = RankKey {
            words: RankWords::new(&[word]),
            member,
            names: NameOrder::default(),
        };
        ShardEntry {
            key,
            reached_at: Timestamp::from_millis(0),
        }
    }

    proptest! {
        #[test]
        fn merging_equals_sorting(words in prop::collection::vec((0u64..5, 0usize..7), 0..200)) {
            let mut lists = vec![Vec::new(); 7];
            for (member, (word, list)) in words.iter().enumerate() {
                lists[*list].push(entry(*word, u16::try_from(member).unwrap()));
            }
            let best_first = |a: &ShardEntry, b: &ShardEntry| b.key.cmp(&a.key);
            for list in &mut lists {
                list.sort_by(best_first);
            }
            let mut naive: Vec<ShardEntry> = lists.iter().flatten().cloned().collect();
            naive.sort_by(best_first);
            let merged: Vec<_> = merge(lists.iter().map(Vec::as_slice)).collect();
            prop_assert!(merged.iter().all(|(list, entry)| lists[*list].contains(entry)));
            let merged: Vec<ShardEntry> = merged.into_iter().map(|(_, entry)| entry.clone()).collect();
            prop_assert_eq!(merged, naive);
        }
    }
}
