//! The tree against its naive twin, a sorted vector, and against its own invariants.

use std::cmp::Reverse;

use proptest::collection::vec;
use proptest::prelude::*;

use super::node::{Node, Summary};
use super::remove::LEN_MIN;
use super::{Bound, FANOUT, Names, Tree};

/// Member names by handle.
impl Names for Vec<Vec<u8>> {
    fn name(&self, handle: u32) -> &[u8] {
        &self[handle as usize]
    }
}

/// Names in an order of their own, some of them prefixes of others.
fn names(n: u32) -> Vec<Vec<u8>> {
    let name = |i: u32| {
        let i = i.wrapping_mul(2_654_435_761);
        let bytes = format!("{:07}", i % 10_000_000).into_bytes();
        bytes[..]
            .iter()
            .rev()
            .chain(&i.to_be_bytes())
            .copied()
            .take(4 + i as usize % 8)
            .collect()
    };
    let mut names: Vec<Vec<u8>> = (0..n).map(name).collect();
    for i in 0..names.len() {
        let unique = u32::try_from(i).unwrap().to_be_bytes();
        names[i].extend(unique);
        if i % 3 == 1 {
            names[i] = [&names[i - 1][..], b"x"].concat();
        }
    }
    names
}

/// The twin: entries with their names, sorted, best first.
#[derive(Default)]
struct Twin<const W: usize>(Vec<([u64; W], Vec<u8>, u32)>);

impl<const W: usize> Twin<W> {
    fn place(&self, words: [u64; W], name: &[u8]) -> Result<usize, usize> {
        let sought = Reverse((words, name));
        self.0
            .binary_search_by(|(words, name, _)| Reverse((*words, &name[..])).cmp(&sought))
    }

    fn insert(&mut self, words: [u64; W], name: &[u8], handle: u32) {
        let at = self.place(words, name).unwrap_err();
        self.0.insert(at, (words, name.to_vec(), handle));
    }

    fn remove(&mut self, words: [u64; W], name: &[u8]) -> bool {
        self.place(words, name).map(|at| self.0.remove(at)).is_ok()
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

/// Counts, separators, fill and use of nodes, all the way down.
fn check<const W: usize>(tree: &Tree<W>) {
    if tree.len() == 0 {
        assert_eq!(
            (tree.leaves.used(), tree.inners.used(), tree.bytes()),
            (0, 0, 0)
        );
        return;
    }
    let (mut leaves, mut inners) = (0, 0);
    let all = check_below(tree, tree.root, 0, &mut leaves, &mut inners);
    assert_eq!(all.count as usize, tree.len());
    assert_eq!(
        (tree.leaves.used(), tree.inners.used()),
        (leaves, inners),
        "a node is lost"
    );
    assert!(leaves <= 1 + tree.len() / LEN_MIN);
}

fn check_below<const W: usize>(
    tree: &Tree<W>,
    id: u32,
    depth: usize,
    leaves: &mut usize,
    inners: &mut usize,
) -> Summary<W> {
    if depth == tree.height {
        *leaves += 1;
        assert!(
            depth == 0 || tree.leaves[id].len() >= LEN_MIN,
            "a leaf is short"
        );
        return tree.leaves[id].summary();
    }
    *inners += 1;
    let inner = &tree.inners[id];
    assert!(
        inner.len() >= if depth == 0 { 2 } else { LEN_MIN },
        "an inner node is short"
    );
    for slot in 0..inner.len() {
        let below = check_below(tree, inner.children[slot], depth + 1, leaves, inners);
        assert_eq!(
            inner.firsts.get(slot),
            Some(below.first),
            "a separator is not exact"
        );
        assert_eq!(inner.counts[slot], below.count, "a count is wrong");
    }
    inner.summary()
}

fn assert_same<const W: usize>(tree: &Tree<W>, twin: &Twin<W>) {
    check(tree);
    assert_eq!(tree.len(), twin.0.len());
    assert_eq!(tree.iter_from(0).collect::<Vec<_>>(), twin.entries());
}

#[derive(Clone, Debug)]
enum Op {
    Insert(u32, u64),
    Remove(u32),
    Replace(u32, u64),
    /// A stretch of the twin from an index, to shrink and to build anew.
    RemoveFrom(usize, usize),
    Rebuild,
    /// Words in a prefix, whether with a member, which.
    Count(u64, usize, bool, u32),
    Read(usize),
}

const HANDLES: u32 = 1_200;

fn op() -> impl Strategy<Value = Op> {
    let (handle, seed) = (0..HANDLES, any::<u64>());
    prop_oneof![
        12 => (handle.clone(), seed.clone()).prop_map(|(h, s)| Op::Insert(h, s)),
        3 => handle.clone().prop_map(Op::Remove),
        6 => (handle.clone(), seed.clone()).prop_map(|(h, s)| Op::Replace(h, s)),
        1 => (0..1_000_usize, 0..400_usize).prop_map(|(i, n)| Op::RemoveFrom(i, n)),
        1 => Just(Op::Rebuild),
        3 => (seed, 0..6_usize, any::<bool>(), handle).prop_map(|(s, l, m, h)| Op::Count(s, l, m, h)),
        1 => (0..1_000_usize).prop_map(Op::Read),
    ]
}

/// Words drawn from `distinct` values a place: few make heavy ties.
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

fn run<const W: usize>(start: usize, distinct: u64, ops: &[Op]) {
    let names = names(HANDLES);
    let mut held: Vec<Option<[u64; W]>> = vec![None; HANDLES as usize];
    let (mut tree, mut twin) = (Tree::<W>::new(), Twin::default());
    let grow = (0..start).map(|i| {
        let handle = u32::try_from(i * 7 % HANDLES as usize).unwrap();
        Op::Insert(
            handle,
            u64::from(handle).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        )
    });
    for op in grow.chain(ops.iter().cloned()) {
        match op {
            Op::Insert(handle, seed) => {
                let held = &mut held[handle as usize];
                if held.is_none() {
                    let words = words(seed, distinct);
                    tree.insert(words, handle, &names);
                    twin.insert(words, names.name(handle), handle);
                    *held = Some(words);
                }
            }
            Op::Remove(handle) => {
                let words = held[handle as usize].take().unwrap_or([1; W]);
                let there = twin.remove(words, names.name(handle));
                assert_eq!(tree.remove(words, handle, &names), there);
            }
            Op::Replace(handle, seed) => {
                let (old, new) = (
                    held[handle as usize].unwrap_or([1; W]),
                    words(seed, distinct),
                );
                let there = twin.remove(old, names.name(handle));
                assert_eq!(tree.replace(old, new, handle, &names), there);
                if there {
                    twin.insert(new, names.name(handle), handle);
                    held[handle as usize] = Some(new);
                }
            }
            Op::RemoveFrom(index, n) => {
                let entries = twin.entries();
                for &(words, handle) in entries.iter().skip(index % (entries.len() + 1)).take(n) {
                    assert!(tree.remove(words, handle, &names));
                    assert!(twin.remove(words, names.name(handle)));
                    held[handle as usize] = None;
                }
            }
            Op::Rebuild => {
                tree = Tree::from_sorted(twin.entries());
                assert_same(&tree, &twin);
            }
            Op::Count(seed, len, with_member, handle) => {
                let words: [u64; W] = words(seed, distinct);
                let prefix = if with_member {
                    &words
                } else {
                    &words[..len.min(W)]
                };
                let member = with_member.then(|| names.name(handle));
                let bound = Bound {
                    words: prefix,
                    member,
                };
                assert_eq!(tree.count_better(bound, &names), twin.count_better(bound));
            }
            Op::Read(index) => {
                let entries = twin.entries();
                assert_eq!(tree.get(index), entries.get(index).copied());
                let index = index % (entries.len() + 1);
                assert!(tree.iter_from(index).eq(entries[index..].iter().copied()));
            }
        }
        check(&tree);
    }
    assert_same(&tree, &twin);
    for (index, (words, handle)) in twin.entries().into_iter().enumerate() {
        let bound = Bound {
            words: &words,
            member: Some(names.name(handle)),
        };
        assert_eq!(tree.count_better(bound, &names), index);
        assert_eq!(tree.get(index), Some((words, handle)));
    }
    for (words, handle) in twin.entries() {
        assert!(tree.remove(words, handle, &names));
        check(&tree);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn keeps_with_its_twin(
        start in prop_oneof![Just(0), 0..HANDLES as usize],
        distinct in prop_oneof![Just(1), Just(2), Just(5), Just(1 << 40)],
        ops in vec(op(), 0..300),
    ) {
        run::<1>(start, distinct, &ops);
        run::<2>(start, distinct, &ops);
        run::<5>(start, distinct, &ops);
    }
}

/// A walk through 0..n that meets every number once.
fn shuffled(n: u32) -> impl Iterator<Item = u32> {
    (0..n).map(move |i| u32::try_from(u64::from(i) * 1_000_003 % u64::from(n)).unwrap())
}

#[test]
fn orders_a_hundred_thousand_equal_words_by_name() {
    const N: u32 = 100_000;
    let names = names(N);
    let mut tree = Tree::<2>::new();
    shuffled(N).for_each(|handle| tree.insert([7, 7], handle, &names));
    check(&tree);

    let mut best_first: Vec<u32> = (0..N).collect();
    best_first.sort_by_key(|&handle| Reverse(names.name(handle)));
    assert!(
        tree.iter_from(0)
            .map(|(_, handle)| handle)
            .eq(best_first.iter().copied())
    );
    for (index, &handle) in best_first.iter().enumerate().step_by(997) {
        let bound = Bound {
            words: &[7, 7],
            member: Some(names.name(handle)),
        };
        assert_eq!(tree.count_better(bound, &names), index);
    }
    assert_eq!(
        tree.count_better(
            Bound {
                words: &[7],
                member: None
            },
            &names
        ),
        N as usize
    );
    assert_eq!(
        tree.count_better(
            Bound {
                words: &[7, 8],
                member: None
            },
            &names
        ),
        0
    );

    shuffled(N).for_each(|handle| assert!(tree.replace([7, 7], [7, 8], handle, &names)));
    assert!(
        tree.iter_from(0)
            .eq(best_first.iter().map(|&handle| ([7, 8], handle)))
    );
    for (i, handle) in shuffled(N).enumerate() {
        assert!(!tree.remove([7, 7], handle, &names));
        assert!(tree.remove([7, 8], handle, &names));
        if i % 1_000 == 0 {
            check(&tree);
        }
    }
    check(&tree);
}

/// Share of the leaves' room that is taken.
fn fill<const W: usize>(tree: &Tree<W>) -> f64 {
    let room = u32::try_from(tree.leaves.used() * FANOUT).unwrap();
    f64::from(u32::try_from(tree.len()).unwrap()) / f64::from(room)
}

#[test]
fn leaves_stay_dense_however_they_are_filled() {
    const N: u32 = 50_000;
    let names = names(N);
    let words = |handle: u32| [u64::from(handle)];
    let (mut up, mut down, mut random) = (Tree::<1>::new(), Tree::<1>::new(), Tree::<1>::new());
    for handle in 0..N {
        up.insert(words(handle), handle, &names);
        down.insert(words(N - handle), handle, &names);
    }
    shuffled(N).for_each(|handle| random.insert(words(handle), handle, &names));
    for tree in [&up, &down, &random] {
        check(tree);
    }
    assert!(fill(&up) > 0.9, "{}", fill(&up));
    assert!(fill(&down) > 0.9, "{}", fill(&down));
    assert!(fill(&random) > 0.8, "{}", fill(&random));
    let built = Tree::from_sorted(up.iter_from(0));
    assert!(fill(&built) > 0.9, "{}", fill(&built));

    for round in 1..=5_u64 {
        for handle in shuffled(N) {
            let old = u64::from(handle) + (round - 1) * 20_011;
            assert!(random.replace([old], [old + 20_011], handle, &names));
        }
    }
    check(&random);
    assert!(fill(&random) > 0.7, "{}", fill(&random));
}

#[test]
fn freed_nodes_are_used_again() {
    let names = names(40_000);
    let mut tree = Tree::<2>::new();
    let words = |handle: u32| [u64::from(handle % 1_000), u64::from(handle)];
    shuffled(40_000).for_each(|handle| tree.insert(words(handle), handle, &names));
    let full = tree.bytes();
    for _ in 0..3 {
        shuffled(40_000).take(39_000).for_each(|handle| {
            assert!(tree.remove(words(handle), handle, &names));
        });
        check(&tree);
        shuffled(40_000).take(39_000).for_each(|handle| {
            tree.insert(words(handle), handle, &names);
        });
        check(&tree);
    }
    assert!(
        tree.bytes() <= full + full / 10,
        "{} after {full}",
        tree.bytes()
    );
}
