//! Memory in pages that a frozen copy shares, each copied before its first change.
//!
//! The main type is [`Pages`]: items one behind the other, 64 KiB of them a page. A clone of it
//! shares every page and costs a count each; whoever changes a shared page copies that page first,
//! once. Readers pay nothing for it, a writer asks whether it has the page to itself. The first page
//! grows with what is in it, for the many small ones.
//!
//! Deliberately not here: what the items are, and who may still name those that are given up.

use std::iter::repeat_n;
use std::sync::Arc;

/// Bytes of the items of a page.
pub(crate) const PAGE_BYTES: usize = 1 << 16;

/// Bytes by which a first page grows, at least.
const GROWTH_BYTES_MIN: usize = 64;

/// Bytes that the counts of a shared page take before its items.
const COUNTS_BYTES: usize = 2 * size_of::<usize>();

/// Items in a row, in pages.
#[derive(Debug, Clone)]
pub(crate) struct Pages<T> {
    pages: Vec<Page<T>>,
}

#[derive(Debug, Clone)]
struct Page<T> {
    /// One hop from the list of pages to the items: a read waits for memory no more than once.
    items: Arc<[T]>,
    /// Items from here on are room.
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

    /// The items of each page.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.pages
            .iter()
            .map(|page| &page.items[..page.used as usize])
    }

    /// What lies in a page from `at` on, room included.
    #[inline]
    pub(crate) fn behind(&self, page: usize, at: usize) -> &[T] {
        &self.pages[page].items[at..]
    }

    /// The same to be changed: of a page that is shared, in a copy.
    #[inline]
    pub(crate) fn behind_mut(&mut self, page: usize, at: usize) -> &mut [T] {
        &mut Arc::make_mut(&mut self.pages[page].items)[at..]
    }

    /// Whether `len` items more go into the last page.
    pub(crate) fn last_takes(&self, len: usize) -> bool {
        self.pages
            .last()
            .is_some_and(|last| last.used as usize + len <= Self::LEN)
    }

    /// Heap bytes that [`Pages::reserve`] adds for `len` items more.
    pub(crate) fn growth_bytes(&self, len: usize) -> usize {
        if self.last_takes(len) {
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

    /// Makes room for `len` items, at most a page of them, in one page.
    pub(crate) fn reserve(&mut self, len: usize) {
        if self.last_takes(len) {
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

    /// Takes `len` items more into use, all in one page; answers the page and where they begin. They
    /// are what they were left as: blank, in a new page.
    pub(crate) fn extend(&mut self, len: usize) -> (usize, usize) {
        self.reserve(len);
        let page = self.pages.len() - 1;
        let at = self.pages[page].used as usize;
        self.pages[page].used = u32::try_from(at + len).expect("a page has few items");
        (page, at)
    }

    /// Heap bytes held, unused room included.
    pub(crate) fn bytes(&self) -> usize {
        let page_bytes = |page: &Page<T>| COUNTS_BYTES + size_of_val(&*page.items);
        let listed = self.pages.capacity() * size_of::<Page<T>>();
        listed + self.pages.iter().map(page_bytes).sum::<usize>()
    }

    /// Where each page lies: another place is a copy.
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

/// Items that a page has room for when it takes `len` more.
fn grown_len<T>(page: &Page<T>, len: usize) -> usize {
    let used = page.used as usize;
    if used + len <= page.items.len() {
        return page.items.len();
    }
    let least = GROWTH_BYTES_MIN / size_of::<T>();
    let more = len.max(used / 2).max(least);
    (used + more).min(PAGE_BYTES / size_of::<T>())
}

/// Pages that a full list makes room for: most lists have one page, and stay at that.
const fn list_growth(listed: usize) -> usize {
    1 + listed / 2
}

/// Room for `len` items, the first ones as given. Made where it stays: a vector made before, and
/// freed, would leave a hole of a page's size.
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
            pages.behind_mut(page, at)[0] = number;
        }
        pages
    }

    #[test]
    fn a_shared_page_is_copied_once_and_the_others_are_not() {
        let mut pages = ten_pages();
        let before = pages.addresses();
        let frozen = pages.clone();
        pages.behind_mut(3, 7)[0] = 1;
        let after = pages.addresses();
        pages.behind_mut(3, 8)[0] = 2;
        assert_eq!(pages.addresses(), after);
        assert_eq!(frozen.addresses(), before);
        let copied: Vec<usize> = (0..10)
            .filter(|page| before[*page] != after[*page])
            .collect();
        assert_eq!(copied, [3]);
        assert!(frozen.iter().flatten().copied().eq(0..10 * 16_384));
        assert_eq!(pages.behind(3, 7)[..2], [1, 2]);
    }

    #[test]
    fn nothing_is_copied_once_the_frozen_copy_is_gone() {
        let mut pages = ten_pages();
        let before = pages.addresses();
        drop(pages.clone());
        for page in 0..10 {
            pages.behind_mut(page, 0)[0] = 1;
        }
        assert_eq!(pages.addresses(), before);
    }

    #[test]
    fn what_is_added_behind_a_frozen_copy_is_not_in_it() {
        let mut pages = Pages::new();
        for number in 0..5000_u32 {
            let frozen = pages.clone();
            let (page, at) = pages.extend(1);
            pages.behind_mut(page, at)[0] = number;
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
            let told = pages.bytes() + pages.growth_bytes(1);
            pages.reserve(1);
            assert_eq!(pages.bytes(), told);
            assert_eq!(pages.growth_bytes(1), 0);
            pages.extend(1);
        }
        assert!(pages.bytes() < 6 * (PAGE_BYTES + 100), "{}", pages.bytes());
    }
}
