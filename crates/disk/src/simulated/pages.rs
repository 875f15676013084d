//! [`SimFile`]: one file of a simulated disk, with its current and its durable contents.
//!
//! A page that was written and not synced is dirty: after a crash it has its old contents, its new contents, or a
//! mixture of their sectors. A page that was dirty when a sync failed remains readable, but no later sync makes it
//! durable, as on Linux.

use std::collections::BTreeSet;
use std::sync::Arc;

use testkit::dice::Dice;

pub(super) const PAGE_BYTES: usize = 4096;

/// The length that a disk writes atomically, unless the power is cut.
const SECTOR_BYTES: usize = 512;

type Bytes = [u8; PAGE_BYTES];

/// One page. Pages of zeros use no memory, because journals have megabytes of them.
#[derive(Debug, Clone, Default)]
enum Page {
    /// Reads as zeros, and uses no disk space.
    #[default]
    Hole,
    Zeros,
    Full(Arc<Bytes>),
}

impl Page {
    fn bytes(&self) -> &Bytes {
        static ZEROS: Bytes = [0; PAGE_BYTES];
        match self {
            Self::Hole | Self::Zeros => &ZEROS,
            Self::Full(bytes) => bytes,
        }
    }

    fn write(&mut self, bytes: &[u8], at: usize) {
        if bytes.len() == PAGE_BYTES && bytes.iter().all(|byte| *byte == 0) {
            *self = Self::Zeros;
            return;
        }
        if !matches!(self, Self::Full(_)) {
            *self = Self::Full(Arc::new(*self.bytes()));
        }
        if let Self::Full(held) = self {
            Arc::make_mut(held)[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }
}

/// The effect of a crash on data that was not durable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fate {
    /// The number of changes that are kept, of 8.
    pub(super) kept_of_8: u64,
}

impl Fate {
    /// Chooses all, none, or any part, each a third of the time.
    pub(super) fn any(dice: &mut Dice) -> Self {
        let some = 1 + dice.word() % 7;
        Self {
            kept_of_8: *dice.pick(&[0, 8, some]),
        }
    }

    pub(super) fn keeps(self, dice: &mut Dice) -> bool {
        dice.word() % 8 < self.kept_of_8
    }

    /// Returns whether all or nothing is kept.
    const fn is_whole(self) -> bool {
        self.kept_of_8.is_multiple_of(8)
    }

    /// Returns the page after a crash between `old` and `new`.
    fn of_page(self, dice: &mut Dice, old: &Page, new: &Page) -> Page {
        if self.is_whole() || dice.one_in(2) {
            return if self.keeps(dice) { new } else { old }.clone();
        }
        let mut page = old.clone();
        for sector in (0..PAGE_BYTES).step_by(SECTOR_BYTES) {
            let torn = if dice.one_in(8) {
                dice.below(SECTOR_BYTES)
            } else {
                SECTOR_BYTES
            };
            if self.keeps(dice) {
                page.write(&new.bytes()[sector..sector + torn], sector);
            }
        }
        page
    }

    fn of_size(self, dice: &mut Dice, old: usize, new: usize) -> usize {
        if new > old && !self.is_whole() && dice.one_in(2) {
            return old + dice.below(new - old);
        }
        if self.keeps(dice) { new } else { old }
    }
}

#[derive(Debug, Clone, Default)]
struct Content {
    pages: Vec<Page>,
    size: usize,
}

impl Content {
    fn page(&self, index: usize) -> Page {
        self.pages.get(index).cloned().unwrap_or_default()
    }

    fn set_page(&mut self, index: usize, page: Page) {
        if self.pages.len() <= index {
            self.pages.resize(index + 1, Page::Hole);
        }
        self.pages[index] = page;
    }

    /// Truncates, or extends with a hole.
    fn set_size(&mut self, size: usize) {
        let pages = size.div_ceil(PAGE_BYTES);
        self.pages.resize(pages, Page::Hole);
        let used = size % PAGE_BYTES;
        if size < self.size && used > 0 {
            self.pages[pages - 1].write(&[0; PAGE_BYTES][used..], used);
        }
        self.size = size;
    }
}

/// One file.
#[derive(Debug, Clone, Default)]
pub(super) struct SimFile {
    now: Content,
    durable: Content,
    dirty: BTreeSet<usize>,
    lost: BTreeSet<usize>,
}

impl SimFile {
    pub(super) const fn size(&self) -> usize {
        self.now.size
    }

    pub(super) fn read(&self, buffer: &mut [u8], offset: usize) -> usize {
        let end = self.now.size.min(offset.saturating_add(buffer.len()));
        let mut at = offset;
        while at < end {
            let (index, within) = (at / PAGE_BYTES, at % PAGE_BYTES);
            let bytes = (PAGE_BYTES - within).min(end - at);
            let page = self.now.pages[index].bytes();
            buffer[at - offset..][..bytes].copy_from_slice(&page[within..within + bytes]);
            at += bytes;
        }
        end.saturating_sub(offset)
    }

    pub(super) fn write(&mut self, bytes: &[u8], offset: usize) {
        let end = offset + bytes.len();
        if end > self.now.size {
            self.now.set_size(end);
        }
        let mut at = offset;
        while at < end {
            let (index, within) = (at / PAGE_BYTES, at % PAGE_BYTES);
            let part = (PAGE_BYTES - within).min(end - at);
            self.now.pages[index].write(&bytes[at - offset..][..part], within);
            self.touch(index);
            at += part;
        }
    }

    pub(super) fn set_size(&mut self, size: usize) {
        // Truncated bytes may reappear after a crash, but not after a sync.
        for index in size / PAGE_BYTES..self.now.pages.len().max(self.durable.pages.len()) {
            self.touch(index);
        }
        self.now.set_size(size);
    }

    fn touch(&mut self, index: usize) {
        self.dirty.insert(index);
        self.lost.remove(&index);
    }

    pub(super) fn sync(&mut self) {
        for index in std::mem::take(&mut self.dirty) {
            self.durable.set_page(index, self.now.page(index));
        }
        self.durable.set_size(self.now.size);
    }

    pub(super) fn fail_sync(&mut self) {
        self.lost.append(&mut self.dirty);
    }

    /// Returns the file after a crash.
    pub(super) fn crash(&self, dice: &mut Dice, fate: Fate) -> Self {
        let mut left = self.durable.clone();
        for index in self.dirty.union(&self.lost) {
            let page = fate.of_page(dice, &self.durable.page(*index), &self.now.page(*index));
            left.set_page(*index, page);
        }
        left.size = left.pages.len() * PAGE_BYTES;
        left.set_size(fate.of_size(dice, self.durable.size, self.now.size));
        Self {
            now: left.clone(),
            durable: left,
            ..Self::default()
        }
    }

    /// Returns how many more pages a write of this many bytes would take.
    pub(super) fn pages_missing(&self, bytes: usize, offset: usize) -> usize {
        let pages = offset / PAGE_BYTES..(offset + bytes).div_ceil(PAGE_BYTES);
        let is_hole = |index: &usize| matches!(self.now.page(*index), Page::Hole);
        pages.filter(is_hole).count()
    }

    pub(super) fn pages_taken(&self) -> usize {
        let is_taken = |page: &&Page| !matches!(page, Page::Hole);
        self.now.pages.iter().filter(is_taken).count()
    }
}
