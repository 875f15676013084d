//! [`Arena`]: nodes in chunks, identified by number.
//!
//! A chunk never moves once it has its full size: a growing tree copies nothing, never needs memory
//! for a second copy of itself, and leaves no holes in the heap.
//!
//! Deliberately not here: freeing single chunks. A freed node is reused by the next one.

use std::ops::{Index, IndexMut};

/// Nodes in a chunk.
const CHUNK: usize = 32;

#[derive(Debug)]
pub(super) struct Arena<T> {
    chunks: Vec<Vec<T>>,
    free: Vec<u32>,
}

impl<T> Arena<T> {
    pub(super) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Stores `node` and returns its number.
    pub(super) fn insert(&mut self, node: T) -> u32 {
        if let Some(id) = self.free.pop() {
            self[id] = node;
            return id;
        }
        if self.chunks.last().is_none_or(|last| last.len() == CHUNK) {
            // The first chunk grows node by node, because many trees are small.
            let room = if self.chunks.is_empty() { 1 } else { CHUNK };
            self.chunks.push(Vec::with_capacity(room));
        }
        let full = self.chunks.len() - 1;
        let last = &mut self.chunks[full];
        if last.len() == last.capacity() {
            last.reserve_exact((last.len() / 2).clamp(1, CHUNK - last.len()));
        }
        last.push(node);
        narrow(full * CHUNK + last.len() - 1)
    }

    /// Frees the number `id` for reuse.
    pub(super) fn remove(&mut self, id: u32) {
        self.free.push(id);
    }

    /// Heap bytes held.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let nodes: usize = self.chunks.iter().map(Vec::capacity).sum();
        nodes * size_of::<T>()
            + self.chunks.capacity() * size_of::<Vec<T>>()
            + self.free.capacity() * size_of::<u32>()
    }

    /// Number of nodes in use.
    #[cfg(test)]
    pub(super) fn used(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum::<usize>() - self.free.len()
    }
}

impl<T> Index<u32> for Arena<T> {
    type Output = T;

    fn index(&self, id: u32) -> &T {
        &self.chunks[id as usize / CHUNK][id as usize % CHUNK]
    }
}

impl<T> IndexMut<u32> for Arena<T> {
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.chunks[id as usize / CHUNK][id as usize % CHUNK]
    }
}

/// Converts a count or number of nodes to 32 bits, which is enough: every entry has a handle of 32
/// bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "bounded by the number of handles"
)]
pub(super) fn narrow(n: usize) -> u32 {
    debug_assert!(u32::try_from(n).is_ok());
    n as u32
}
