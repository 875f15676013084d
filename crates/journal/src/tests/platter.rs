//! [`Content`]: one file of the disk in memory, with its cached and its durable bytes.
//!
//! Both are kept in sectors, without sectors of zeros, of which journals have many.

use std::collections::{BTreeMap, BTreeSet};

use testkit::dice::Dice;

const SECTOR_BYTES: usize = 512;

type Sector = [u8; SECTOR_BYTES];

const ZEROS: Sector = [0; SECTOR_BYTES];

/// Bytes, mostly zeros.
#[derive(Debug, Clone, Default)]
struct Bytes {
    size: usize,
    sectors: BTreeMap<usize, Sector>,
}

/// The contents of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    cached: Bytes,
    durable: Bytes,
    dirty: BTreeSet<usize>,
}

impl Bytes {
    fn sector(&self, number: usize) -> &Sector {
        self.sectors.get(&number).unwrap_or(&ZEROS)
    }

    fn put(&mut self, number: usize, sector: &Sector) {
        if *sector == ZEROS {
            self.sectors.remove(&number);
        } else {
            self.sectors.insert(number, *sector);
        }
    }

    fn set_size(&mut self, size: usize) {
        if size < self.size {
            let last = size / SECTOR_BYTES;
            self.sectors.split_off(&(last + 1));
            let mut sector = *self.sector(last);
            sector[size % SECTOR_BYTES..].fill(0);
            self.put(last, &sector);
        }
        self.size = size;
    }
}

impl Content {
    /// Creates a durable file.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut content = Self::default();
        content.write(bytes, 0);
        content.sync();
        content
    }

    pub(super) const fn size(&self) -> usize {
        self.cached.size
    }

    pub(super) fn read(&self, offset: usize, bytes: usize) -> Vec<u8> {
        let end = (offset + bytes).min(self.cached.size);
        let mut read = Vec::with_capacity(bytes);
        while offset + read.len() < end {
            let at = offset + read.len();
            let from = at % SECTOR_BYTES;
            let to = SECTOR_BYTES.min(from + end - at);
            read.extend(&self.cached.sector(at / SECTOR_BYTES)[from..to]);
        }
        read
    }

    /// Writes to the cache.
    pub(super) fn write(&mut self, mut bytes: &[u8], mut offset: usize) {
        self.cached.size = self.cached.size.max(offset + bytes.len());
        while !bytes.is_empty() {
            let (number, from) = (offset / SECTOR_BYTES, offset % SECTOR_BYTES);
            let length = bytes.len().min(SECTOR_BYTES - from);
            let mut sector = *self.cached.sector(number);
            sector[from..from + length].copy_from_slice(&bytes[..length]);
            // A sector equal to the durable one is not dirty.
            if sector != *self.durable.sector(number) {
                self.dirty.insert(number);
            }
            self.cached.put(number, &sector);
            offset += length;
            bytes = &bytes[length..];
        }
    }

    pub(super) fn set_size(&mut self, size: usize) {
        // Bytes that are cut off must not reappear when the file grows later.
        self.dirty.insert(size / SECTOR_BYTES);
        let last = size / SECTOR_BYTES;
        self.dirty.extend(
            self.durable
                .sectors
                .range(last..)
                .map(|(&number, _)| number),
        );
        self.cached.set_size(size);
    }

    /// Makes dirty sectors durable.
    pub(super) fn sync(&mut self) {
        self.durable.set_size(self.cached.size);
        for number in std::mem::take(&mut self.dirty) {
            self.flush(number);
        }
    }

    /// Marks dirty sectors as clean without making them durable.
    pub(super) fn fail_sync(&mut self) {
        self.dirty.clear();
    }

    fn flush(&mut self, number: usize) {
        self.durable.put(number, self.cached.sector(number));
    }

    /// Returns the file as it is after a power cut: none, some or all dirty sectors are durable.
    pub(super) fn torn(&self, dice: &mut Dice) -> Self {
        let mut torn = self.clone();
        let size = *dice.pick(&[self.durable.size, self.cached.size]);
        let style = dice.below(3);
        for &number in &self.dirty {
            if style == 0 || style == 1 && dice.below(2) == 0 {
                torn.flush(number);
            }
        }
        // Sectors beyond the end do not exist.
        torn.durable.size = torn.durable.size.max(self.cached.size);
        torn.durable.set_size(size);
        Self {
            cached: torn.durable.clone(),
            durable: torn.durable,
            dirty: BTreeSet::new(),
        }
    }
}
