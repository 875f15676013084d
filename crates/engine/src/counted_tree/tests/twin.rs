//! The tree compared with its naive twin, a sorted vector.

use std::cmp::Reverse;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{Bound, Change, Names, Tree};
use super::{check, names};

/// The twin: entries with their names, sorted, best first.
#[derive(Default)]
struct Twin<const W: usize>(Vec<([u64; W], Vec<u8>, u32)>);

impl<const W: usize> Twin<W> {
    fn position(&self, words: [u64; W], name: &[u8]) -> Result<usize, usize> {
        let sought = Reverse((words, name));
        self.0
            .binary_search_by(|(words, name, _)| Reverse((*words, &name[..])).cmp(&sought))
    }

    fn insert(&mut self, words: [u64; W], name: &[u8], handle: u32) {
        let at = self.position(words, name).unwrap_err();
        self.0.insert(at, (words, name.to_vec(), handle));
    }

    fn remove(&mut self, words: [u64; W], name: &[u8]) -> bool {
        self.position(words, name)
            .map(|at| self.0.remove(at))
            .is_ok()
    }

    fn count_better(&self, bound: Bound<'_>) -> usize {
        let better = |words: &[u64; W], name: &[u8]| match bound.member {
            Some(member) => (&words[..], name) > (bound.words, member),
            // A slice is less than a longer one that it starts, and an entry has its member too.
            None => &words[..] >= bound.words,
        };
        self.0
            .iter()
            .filter(|(words, name, _)| better(words, name))
            .count()
    }

    fn entries(&self) -> Vec<([u64; W], u32)> {
        self.0
            .iter()
            .map(|(words, _, handle)| (*words, *handle))
            .collect()
    }
}

#[derive(Clone, Debug)]
enum Op {
    Insert(u32, u64),
    Remove(u32),
    Replace(u32, u64),
    /// A range of the twin from an index, to shrink or to rebuild.
    RemoveFrom(usize, usize),
    Rebuild,
    /// A batch of inserts, moves and removals, by handle; no new words for a removal.
    Apply(Vec<(u32, Option<u64>)>),
    /// Words in a prefix, whether with a member, and which.
    Count(u64, usize, bool, u32),
    Read(usize),
}

/// Not divisible by seven, so that steps of seven visit every handle.
const HANDLES: u32 = 6_000;

fn op() -> impl Strategy<Value = Op> {
    let (handle, seed) = (0..HANDLES, any::<u64>());
    prop_oneof![
        12 => (handle.clone(), seed).prop_map(|(h, s)| Op::Insert(h, s)),
        3 => handle.clone().prop_map(Op::Remove),
        6 => (handle.clone(), seed).prop_map(|(h, s)| Op::Replace(h, s)),
        1 => (0..6_000_usize, 0..3_000_usize).prop_map(|(i, n)| Op::RemoveFrom(i, n)),
        1 => Just(Op::Rebuild),
        3 => vec((handle.clone(), proptest::option::weighted(0.8, seed)), 0..80)
            .prop_map(Op::Apply),
        3 => (seed, 0..6_usize, any::<bool>(), handle).prop_map(|(s, l, m, h)| Op::Count(s, l, m, h)),
        1 => (0..6_000_usize).prop_map(Op::Read),
    ]
}

/// Returns words with `distinct` values at each position: few values make many ties.
fn words<const W: usize>(seed: u64, distinct: u64) -> [u64; W] {
    std::array::from_fn(|i| {
        let digit = seed.rotate_right(u32::try_from(11 * i).unwrap()) % distinct;
        if digit == distinct - 1 {
            u64::MAX
        } else {
            digit
        }
    })
}

/// A tree and its twin, and the words of each handle in both.
struct Pair<const W: usize> {
    names: Vec<Vec<u8>>,
    held: Vec<Option<[u64; W]>>,
    tree: Tree<W>,
    twin: Twin<W>,
    distinct: u64,
}

impl<const W: usize> Pair<W> {
    fn new(distinct: u64) -> Self {
        let held = vec![None; HANDLES as usize];
        Self {
            names: names(HANDLES),
            held,
            tree: Tree::new(),
            twin: Twin::default(),
            distinct,
        }
    }

    fn run(&mut self, op: &Op) {
        match *op {
            Op::Insert(handle, seed) => self.insert(handle, seed),
            Op::Remove(handle) => self.remove(handle),
            Op::Replace(handle, seed) => self.replace(handle, seed),
            Op::RemoveFrom(index, n) => {
                let entries = self.twin.entries();
                let from = index % (entries.len() + 1);
                entries[from..]
                    .iter()
                    .take(n)
                    .for_each(|&(_, handle)| self.remove(handle));
            }
            Op::Apply(ref batch) => self.apply(batch),
            Op::Rebuild => {
                self.tree = Tree::from_sorted(self.twin.entries());
                self.assert_same();
            }
            Op::Count(seed, len, with_member, handle) => {
                let words: [u64; W] = words(seed, self.distinct);
                let prefix = if with_member {
                    &words
                } else {
                    &words[..len.min(W)]
                };
                let member = with_member.then(|| self.names.name(handle));
                let bound = Bound {
                    words: prefix,
                    member,
                };
                let count = self.tree.count_better(bound, &self.names);
                assert_eq!(count, self.twin.count_better(bound));
                let located = self.tree.locate(bound, &self.names);
                let entries = self.twin.entries();
                for before in [0, 1, 9, 100] {
                    let from = &entries[count.saturating_sub(before)..];
                    let there = self.tree.iter_before(&located, before).take(20);
                    assert!(there.eq(from.iter().copied().take(20)));
                }
            }
            Op::Read(index) => {
                let entries = self.twin.entries();
                assert_eq!(self.tree.get(index), entries.get(index).copied());
                let index = index % (entries.len() + 1);
                assert!(
                    self.tree
                        .iter_from(index)
                        .eq(entries[index..].iter().copied())
                );
            }
        }
        check(&self.tree);
    }

    fn insert(&mut self, handle: u32, seed: u64) {
        let held = &mut self.held[handle as usize];
        if held.is_none() {
            let words = words(seed, self.distinct);
            self.tree.insert(words, handle, &self.names);
            self.twin.insert(words, self.names.name(handle), handle);
            *held = Some(words);
        }
    }

    fn remove(&mut self, handle: u32) {
        let words = self.held[handle as usize].take().unwrap_or([1; W]);
        let there = self.twin.remove(words, self.names.name(handle));
        assert_eq!(self.tree.remove(words, handle, &self.names), there);
    }

    fn replace(&mut self, handle: u32, seed: u64) {
        let held = &mut self.held[handle as usize];
        let (old, new) = (held.unwrap_or([1; W]), words(seed, self.distinct));
        let there = self.twin.remove(old, self.names.name(handle));
        assert_eq!(self.tree.replace(old, new, handle, &self.names), there);
        if there {
            self.twin.insert(new, self.names.name(handle), handle);
            *held = Some(new);
        }
    }

    fn apply(&mut self, batch: &[(u32, Option<u64>)]) {
        let mut changes = Vec::new();
        for &(handle, seed) in batch {
            let old = self.held[handle as usize];
            let new = seed.map(|seed| words(seed, self.distinct));
            changes.push(Change { handle, old, new });
            let name = self.names.name(handle);
            old.inspect(|&old| assert!(self.twin.remove(old, name)));
            new.inspect(|&new| self.twin.insert(new, name, handle));
            self.held[handle as usize] = new;
        }
        assert!(self.tree.apply(&changes, &self.names));
        let absent = Change {
            handle: 0,
            old: Some([1 << 50; W]),
            new: None,
        };
        assert!(!self.tree.apply(&[absent], &self.names));
    }

    fn assert_same(&self) {
        check(&self.tree);
        assert_eq!(self.tree.len(), self.twin.0.len());
        assert!(self.tree.iter_from(0).eq(self.twin.entries()));
        for (index, (words, handle)) in self.twin.entries().into_iter().enumerate() {
            let bound = Bound {
                words: &words,
                member: Some(self.names.name(handle)),
            };
            assert_eq!(self.tree.count_better(bound, &self.names), index);
            assert_eq!(self.tree.get(index), Some((words, handle)));
        }
    }
}

/// Runs `ops` on `start` entries, and finally removes what is left.
fn run<const W: usize>(start: u32, distinct: u64, ops: &[Op]) {
    let mut pair = Pair::<W>::new(distinct);
    for i in 0..start {
        let handle = i * 7 % HANDLES;
        pair.insert(
            handle,
            u64::from(handle).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        );
    }
    for op in ops {
        pair.run(op);
    }
    pair.assert_same();
    for (i, (_, handle)) in pair.twin.entries().into_iter().enumerate() {
        pair.remove(handle);
        if i % 16 == 0 {
            check(&pair.tree);
        }
    }
    check(&pair.tree);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn agrees_with_its_twin(
        start in prop_oneof![Just(0), 0..HANDLES],
        distinct in prop_oneof![Just(1), Just(2), Just(5), Just(1 << 40)],
        ops in vec(op(), 0..300),
    ) {
        run::<1>(start, distinct, &ops);
        run::<2>(start, distinct, &ops);
        run::<5>(start, distinct, &ops);
    }
}
