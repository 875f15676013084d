//! [`Leaf`] and [`Inner`]: the nodes, and how entries move in and between them.
//!
//! Both are built on [`Entries`]: words and handles in two arrays, so that a search reads only
//! words.
//!
//! Deliberately not here: which nodes to change. Nothing in this file knows the tree.

use super::arena::narrow;
use super::names::Names;

/// Maximum entries of a leaf, and children of an inner node. A leaf of 64 entries of two words
/// takes 1.3 KB; 32 measured no faster.
pub(super) const FANOUT: usize = 64;

/// Up to `FANOUT` entries, best first.
#[derive(Clone, Debug)]
pub(super) struct Entries<const W: usize> {
    len: usize,
    words: [[u64; W]; FANOUT],
    handles: [u32; FANOUT],
}

/// Entries of the ranking.
pub(super) type Leaf<const W: usize> = Entries<W>;

/// For each child its first entry, its number, and the number of entries below it.
#[derive(Clone, Debug)]
pub(super) struct Inner<const W: usize> {
    pub(super) firsts: Entries<W>,
    pub(super) counts: [u32; FANOUT],
    pub(super) children: [u32; FANOUT],
}

/// What a parent stores about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Summary<const W: usize> {
    pub(super) first: ([u64; W], u32),
    pub(super) count: u32,
}

/// The operations on nodes that moving entries between neighbours needs.
pub(super) trait Node<const W: usize>: Clone {
    fn empty() -> Self;
    fn len(&self) -> usize;
    fn summary(&self) -> Summary<W>;
    /// Moves the last `n` to the front of the right neighbour.
    fn move_tail(&mut self, right: &mut Self, n: usize);
    /// Moves the first `n` of the right neighbour to the end.
    fn move_head(&mut self, right: &mut Self, n: usize);
}

/// Returns whether `a` is better than `b`: the borrow of `b - a`, since a branch here would be
/// mispredicted half the time.
pub(super) fn exceeds<const W: usize>(a: &[u64; W], b: &[u64; W]) -> bool {
    let mut borrow = false;
    for i in (0..W).rev() {
        (_, borrow) = b[i].borrowing_sub(a[i], borrow);
    }
    borrow
}

impl<const W: usize> Entries<W> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_full(&self) -> bool {
        self.len == FANOUT
    }

    pub(super) fn get(&self, at: usize) -> Option<([u64; W], u32)> {
        let words = self.words[..self.len].get(at)?;
        Some((*words, self.handles[at]))
    }

    pub(super) fn set(&mut self, at: usize, (words, handle): ([u64; W], u32)) {
        self.words[at] = words;
        self.handles[at] = handle;
    }

    pub(super) fn push(&mut self, entry: ([u64; W], u32)) {
        self.len += 1;
        self.set(self.len - 1, entry);
    }

    /// Returns how many entries precede a position: those of greater words, and those of equal
    /// words for which `before` returns true.
    pub(super) fn rank(&self, words: &[u64; W], before: impl Fn(u32) -> bool) -> usize {
        let all = &self.words[..self.len];
        let lo = self.rank_words(words);
        if !self.has_at(lo, words) {
            return lo;
        }
        let ties = if self.has_at(lo + 1, words) {
            all[lo..].partition_point(|other| !exceeds(words, other))
        } else {
            1
        };
        lo + self.handles[lo..lo + ties].partition_point(|&handle| before(handle))
    }

    /// Returns how many entries have greater words.
    pub(super) fn rank_words(&self, words: &[u64; W]) -> usize {
        self.words[..self.len].partition_point(|other| exceeds(other, words))
    }

    /// Returns whether the entry at this position has these words.
    pub(super) fn has_at(&self, at: usize, words: &[u64; W]) -> bool {
        self.words[..self.len]
            .get(at)
            .is_some_and(|other| other == words)
    }

    /// Returns how many entries have words that are not less.
    pub(super) fn rank_through(&self, words: &[u64; W]) -> usize {
        self.words[..self.len].partition_point(|other| !exceeds(words, other))
    }

    /// Reads every cache line of the entries. The result has no meaning.
    pub(super) fn touch(&self) -> u64 {
        const LINE: usize = 64;
        // Counted loops over arrays, since they are unrolled.
        let (mut at, mut all) = (0, 0);
        while at < FANOUT {
            all ^= self.words[at][0];
            at += const { at_least_one(LINE / size_of::<[u64; W]>()) };
        }
        let mut at = 0;
        while at < FANOUT {
            all ^= u64::from(self.handles[at]);
            at += LINE / size_of::<u32>();
        }
        all
    }

    /// Returns the position of a new entry, if there are both better and worse entries in the node:
    /// then it belongs into this node, whatever its neighbours have.
    pub(super) fn inside(
        &self,
        words: &[u64; W],
        handle: u32,
        names: &impl Names,
    ) -> Option<usize> {
        let at = self.rank(words, up_to(handle, names));
        (at > 0 && at < self.len).then_some(at)
    }

    /// Returns the exact position of this entry.
    pub(super) fn find(&self, words: &[u64; W], handle: u32, names: &impl Names) -> Option<usize> {
        let at = self.rank(words, up_to(handle, names)).checked_sub(1)?;
        (self.handles[at] == handle && self.words[at] == *words).then_some(at)
    }

    pub(super) fn insert(&mut self, at: usize, entry: ([u64; W], u32)) {
        self.words.copy_within(at..self.len, at + 1);
        self.handles.copy_within(at..self.len, at + 1);
        self.len += 1;
        self.set(at, entry);
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.words.copy_within(at + 1..self.len, at);
        self.handles.copy_within(at + 1..self.len, at);
        self.len -= 1;
    }

    /// Removes the entry at `from`, and inserts `words` with its handle before what was at `to`.
    pub(super) fn shift(&mut self, from: usize, to: usize, words: [u64; W]) {
        let handle = self.handles[from];
        let at = if from < to {
            self.words.copy_within(from + 1..to, from);
            self.handles.copy_within(from + 1..to, from);
            to - 1
        } else {
            self.words.copy_within(to..from, to + 1);
            self.handles.copy_within(to..from, to + 1);
            to
        };
        self.set(at, (words, handle));
    }
}

const fn at_least_one(n: usize) -> usize {
    if n == 0 { 1 } else { n }
}

/// Returns a predicate for entries of equal words: the entry of `handle`, and those better than it.
pub(super) fn up_to(handle: u32, names: &impl Names) -> impl Fn(u32) -> bool {
    move |other| {
        let is_better = || names.compare(names.name(other), names.name(handle)).is_gt();
        other == handle || is_better()
    }
}

impl<const W: usize> Inner<W> {
    /// Returns how many entries are below the children before `slot`.
    pub(super) fn entries_before(&self, slot: usize) -> usize {
        // Never more than there are handles, which have 32 bits.
        self.counts[..slot].iter().sum::<u32>() as usize
    }

    pub(super) fn set_child(&mut self, slot: usize, child: u32, of: Summary<W>) {
        self.children[slot] = child;
        self.refresh(slot, of);
    }

    pub(super) fn refresh(&mut self, slot: usize, of: Summary<W>) {
        self.firsts.set(slot, of.first);
        self.counts[slot] = of.count;
    }

    pub(super) fn insert_child(&mut self, slot: usize, child: u32, of: Summary<W>) {
        let len = self.len();
        self.firsts.insert(slot, of.first);
        self.counts.copy_within(slot..len, slot + 1);
        self.children.copy_within(slot..len, slot + 1);
        self.set_child(slot, child, of);
    }

    pub(super) fn remove_child(&mut self, slot: usize) {
        let len = self.len();
        self.firsts.remove(slot);
        self.counts.copy_within(slot + 1..len, slot);
        self.children.copy_within(slot + 1..len, slot);
    }
}

impl<const W: usize> Node<W> for Entries<W> {
    fn empty() -> Self {
        Self {
            len: 0,
            words: [[0; W]; FANOUT],
            handles: [0; FANOUT],
        }
    }

    fn len(&self) -> usize {
        self.len
    }

    fn summary(&self) -> Summary<W> {
        Summary {
            first: (self.words[0], self.handles[0]),
            count: narrow(self.len),
        }
    }

    fn move_tail(&mut self, right: &mut Self, n: usize) {
        tail(&mut self.words[..self.len], &mut right.words, right.len, n);
        tail(
            &mut self.handles[..self.len],
            &mut right.handles,
            right.len,
            n,
        );
        self.len -= n;
        right.len += n;
    }

    fn move_head(&mut self, right: &mut Self, n: usize) {
        head(
            &mut self.words[self.len..],
            &mut right.words[..right.len],
            n,
        );
        head(
            &mut self.handles[self.len..],
            &mut right.handles[..right.len],
            n,
        );
        self.len += n;
        right.len -= n;
    }
}

impl<const W: usize> Node<W> for Inner<W> {
    fn empty() -> Self {
        Self {
            firsts: Entries::empty(),
            counts: [0; FANOUT],
            children: [0; FANOUT],
        }
    }

    fn len(&self) -> usize {
        self.firsts.len
    }

    fn summary(&self) -> Summary<W> {
        let count = self.counts[..self.len()].iter().sum();
        Summary {
            count,
            ..self.firsts.summary()
        }
    }

    fn move_tail(&mut self, right: &mut Self, n: usize) {
        let (len, there) = (self.len(), right.len());
        tail(&mut self.counts[..len], &mut right.counts, there, n);
        tail(&mut self.children[..len], &mut right.children, there, n);
        self.firsts.move_tail(&mut right.firsts, n);
    }

    fn move_head(&mut self, right: &mut Self, n: usize) {
        let (len, there) = (self.len(), right.len());
        head(&mut self.counts[len..], &mut right.counts[..there], n);
        head(&mut self.children[len..], &mut right.children[..there], n);
        self.firsts.move_head(&mut right.firsts, n);
    }
}

/// Copies the last `n` of `from` before the `len` that `to` holds.
fn tail<T: Copy>(from: &mut [T], to: &mut [T], len: usize, n: usize) {
    to.copy_within(..len, n);
    to[..n].copy_from_slice(&from[from.len() - n..]);
}

/// Copies the first `n` of `from` into `room`, and closes the gap.
fn head<T: Copy>(room: &mut [T], from: &mut [T], n: usize) {
    room[..n].copy_from_slice(&from[..n]);
    from.copy_within(n.., 0);
}
