//! [`Pages`]: memory in pages that a frozen copy shares; each page is copied before its first
//! change.
//!
//! Items are contiguous, in pages of 64 KiB. A clone shares every page at the cost of one reference
//! count each; a writer copies a shared page first, once. Readers pay nothing; a writer checks
//! whether the page is shared. The first page grows with its contents, because most lists are
//! small.
//!
//! Deliberately not here: what the items are, and references to items that were given up.

use std::iter::repeat_n;
use std::sync::Arc;

/// Bytes of the items of a page.
pub(crate) const PAGE_BYTES: usize = 1 << 16;

/// Minimum bytes by which a first page grows.
const GROWTH_BYTES_MIN: usize = 64;

/// Bytes of the reference counts of a shared page before its items.
const COUNTS_BYTES: usize = 2 * size_of::<usize>();

/// Items in a row, in pages.
#[derive(Debug, Clone)]
pub(crate) struct Pages<T> {
    pages: Vec<Page<T>>,
}

#[derive(Debug, Clone)]
struct Page<T> {
    /// One indirection from the list of pages to the items: a read has at most one cache miss here.
    items: Arc<[T]>,
    /// Number of items in use; the others are spare capacity.
    used: u32,
}

impl<T: Copy + Default> Pages<T> {
    /// Items of a page.
    pub(crate) const LEN: usize = PAGE_BYTES / size_of::<T>();

    pub(crate) const fn new() -> Self {
        Self { pages: Vec::new() }
    }

    /// Number of pages.
    pub(crate) const fn count(&self) -> usize {
        self.pages.len()
    }

    /// Iterates over the pages, each as its items in use.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.pages
            .iter()
            .map(|page| &page.items[..page.used as usize])
    }

    /// Returns the items of a page from `at` on, spare capacity included.
    #[inline]
    pub(crate) fn slice_from(&self, page: usize, at: usize) -> &[T] {
        &self.pages[page].items[at..]
    }

    /// Returns the same mutably; a shared page is copied first.
    #[inline]
    pub(crate) fn slice_from_mut(&mut self, page: usize, at: usize) -> &mut [T] {
        &mut Arc::make_mut(&mut self.pages[page].items)[at..]
    }

    /// Returns whether `len` more items fit into the last page.
    pub(crate) fn fits_last_page(&self, len: usize) -> bool {
        self.pages
            .last()
            .is_some_and(|last| last.used as usize + len <= Self::LEN)
    }

    /// Returns the heap bytes that [`Pages::reserve`] adds for `len` more items.
    pub(crate) fn growth_bytes(&self, len: usize) -> usize {
        if self.fits_last_page(len) {
            let last = &self.pages[self.pages.len() - 1];
            let more = grown_len::<T>(last, len) - last.items.len();
            return more * size_of::<T>();
        }
        let listed = self.pages.capacity();
        let more = if self.pages.len() == listed {
            list_growth(listed)
        } else {
            0
        };
        let items = self.new_page_len(len) * size_of::<T>();
        more * size_of::<Page<T>>() + COUNTS_BYTES + items
    }

    /// Reserves capacity for `len` items, at most a page of them, in one page.
    pub(crate) fn reserve(&mut self, len: usize) {
        if self.fits_last_page(len) {
            let place = self.pages.len() - 1;
            let last = &mut self.pages[place];
            let grown = grown_len(last, len);
            if grown > last.items.len() {
                last.items = blank(grown, &last.items);
            }
            return;
        }
        if self.pages.len() == self.pages.capacity() {
            self.pages.reserve_exact(list_growth(self.pages.len()));
        }
        let items = blank(self.new_page_len(len), &[]);
        self.pages.push(Page { items, used: 0 });
    }

    /// Takes `len` more items into use, all in one page. Returns the page and their position in it.
    /// Items of a new page are blank; others have their previous contents.
    pub(crate) fn extend(&mut self, len: usize) -> (usize, usize) {
        self.reserve(len);
        let page = self.pages.len() - 1;
        let at = self.pages[page].used as usize;
        self.pages[page].used = u32::try_from(at + len).expect("a page has few items");
        (page, at)
    }

    /// Returns the heap bytes held, unused capacity included.
    pub(crate) fn bytes(&self) -> usize {
        let page_bytes = |page: &Page<T>| COUNTS_BYTES + size_of_val(&*page.items);
        let listed = self.pages.capacity() * size_of::<Page<T>>();
        listed + self.pages.iter().map(page_bytes).sum::<usize>()
    }

    /// Returns the address of each page: a different address is a copy.
    #[cfg(test)]
    pub(crate) fn addresses(&self) -> Vec<usize> {
        let address = |page: &Page<T>| page.items.as_ptr().addr();
        self.pages.iter().map(address).collect()
    }

    fn new_page_len(&self, len: usize) -> usize {
        if self.pages.is_empty() {
            len.max(GROWTH_BYTES_MIN / size_of::<T>())
        } else {
            Self::LEN
        }
    }
}

/// Returns the capacity of a page after it grows by `len` items.
fn grown_len<T>(page: &Page<T>, len: usize) -> usize {
    let used = page.used as usize;
    if used + len <= page.items.len() {
        return page.items.len();
    }
    let least = GROWTH_BYTES_MIN / size_of::<T>();
    let more = len.max(used / 2).max(least);
    (used + more).min(PAGE_BYTES / size_of::<T>())
}

/// Returns the number of pages by which a full list grows: most lists have one page and stay at
/// that.
const fn list_growth(listed: usize) -> usize {
    1 + listed / 2
}

/// Returns a page of `len` items that starts with `first`. Built in place: a temporary vector would
/// leave a hole of a page's size in the heap.
fn blank<T: Copy + Default>(len: usize, first: &[T]) -> Arc<[T]> {
    let mut items: Arc<[T]> = repeat_n(T::default(), len).collect();
    Arc::make_mut(&mut items)[..first.len()].copy_from_slice(first);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ten_pages() -> Pages<u32> {
        let mut pages = Pages::new();
        for number in 0..u32::try_from(10 * Pages::<u32>::LEN).unwrap() {
            let (page, at) = pages.extend(1);
            pages.slice_from_mut(page, at)[0] = number;
        }
        pages
    }

    #[test]
    fn a_shared_page_is_copied_once_and_the_others_are_not() {
        let mut pages = ten_pages();
        let before = pages.addresses();
        let frozen = pages.clone();
        pages.slice_from_mut(3, 7)[0] = 1;
        let after = pages.addresses();
        pages.slice_from_mut(3, 8)[0] = 2;
        assert_eq!(pages.addresses(), after);
        assert_eq!(frozen.addresses(), before);
        let copied: Vec<usize> = (0..10)
            .filter(|page| before[*page] != after[*page])
            .collect();
        assert_eq!(copied, [3]);
        assert!(frozen.iter().flatten().copied().eq(0..10 * 16_384));
        assert_eq!(pages.slice_from(3, 7)[..2], [1, 2]);
    }

    #[test]
    fn nothing_is_copied_once_the_frozen_copy_is_gone() {
        let mut pages = ten_pages();
        let before = pages.addresses();
        drop(pages.clone());
        for page in 0..10 {
            pages.slice_from_mut(page, 0)[0] = 1;
        }
        assert_eq!(pages.addresses(), before);
    }

    #[test]
    fn items_added_after_a_frozen_copy_are_not_in_it() {
        let mut pages = Pages::new();
        for number in 0..5000_u32 {
            let frozen = pages.clone();
            let (page, at) = pages.extend(1);
            pages.slice_from_mut(page, at)[0] = number;
            assert_eq!(
                frozen.iter().map(<[u32]>::len).sum::<usize>(),
                number as usize
            );
            assert!(pages.iter().flatten().copied().eq(0..=number));
        }
    }

    #[test]
    fn growth_is_reported_to_the_byte() {
        let mut pages: Pages<[u32; 4]> = Pages::new();
        for _ in 0..5 * 4096 {
            let expected = pages.bytes() + pages.growth_bytes(1);
            pages.reserve(1);
            assert_eq!(pages.bytes(), expected);
            assert_eq!(pages.growth_bytes(1), 0);
            pages.extend(1);
        }
        assert!(pages.bytes() < 6 * (PAGE_BYTES + 100), "{}", pages.bytes());
    }
}
