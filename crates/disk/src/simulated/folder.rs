//! [`SimDisk`]: a folder in which only synced data is durable.
//!
//! [`SimDisk::crash`] returns the disk after a power cut, [`SimDisk::killed`] after the end of the process.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use crate::{Disk, DiskFile};
use testkit::dice::Dice;

use crate::simulated::pages::{Fate, PAGE_BYTES, SimFile};
use crate::simulated::trap::{ENOSPC, Operation, Sprung, Trap, Traps};

/// A flat folder in memory. Clones are the same disk.
#[derive(Debug, Clone, Default)]
pub struct SimDisk {
    state: Arc<Mutex<State>>,
    released: Arc<Condvar>,
}

#[derive(Debug, Clone, Default)]
struct State {
    files: Vec<SimFile>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    /// Changes of names since the folder was last synced.
    renamings: Vec<Renaming>,
    /// Maximum bytes of all files together, if there is a limit.
    limit_bytes: Option<usize>,
    /// Number of changes until the power is cut.
    changes_left: Option<u64>,
    changes: u64,
    /// Changes that were begun, in order.
    begun: Vec<Operation>,
    /// Operations of this type wait.
    held: Option<Operation>,
    traps: Traps,
}

/// One change of the names in a folder.
#[derive(Debug, Clone)]
struct Renaming {
    removed: Option<String>,
    added: Option<(String, usize)>,
}

impl Renaming {
    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        if let Some(removed) = &self.removed {
            names.remove(removed);
        }
        if let Some((name, file)) = &self.added {
            names.insert(name.clone(), *file);
        }
    }
}

impl State {
    fn file(&self, name: &str) -> io::Result<usize> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("no file {name}"));
        self.names.get(name).copied().ok_or_else(missing)
    }

    fn rename(&mut self, removed: Option<&str>, added: Option<(&str, usize)>) {
        let renaming = Renaming {
            removed: removed.map(str::to_owned),
            added: added.map(|(name, file)| (name.to_owned(), file)),
        };
        renaming.apply(&mut self.names);
        self.renamings.push(renaming);
    }

    fn taken_bytes(&self) -> usize {
        let files = self.names.values();
        files
            .map(|file| self.files[*file].pages_taken())
            .sum::<usize>()
            * PAGE_BYTES
    }

    fn write(&mut self, file: usize, bytes: &[u8], offset: usize) -> io::Result<()> {
        if let Some(limit) = self.limit_bytes {
            let missing = self.files[file].pages_missing(bytes.len(), offset) * PAGE_BYTES;
            if missing > 0 && self.taken_bytes() + missing > limit {
                // Like a file system, writes as much as fits.
                let free = limit.saturating_sub(self.taken_bytes()) / PAGE_BYTES * PAGE_BYTES;
                let part = &bytes[..free.min(bytes.len())];
                self.files[file].write(part, offset);
                return Err(io::Error::from_raw_os_error(ENOSPC));
            }
        }
        self.files[file].write(bytes, offset);
        Ok(())
    }

    fn sync_folder(&mut self) {
        for renaming in self.renamings.drain(..) {
            renaming.apply(&mut self.durable_names);
        }
    }
}

impl SimDisk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn of(state: State) -> Self {
        Self {
            state: Arc::new(Mutex::new(state)),
            released: Arc::default(),
        }
    }

    /// Returns the disk after a power cut now. The seed determines which parts of the data that is not durable exist.
    #[must_use]
    pub fn crash(&self, seed: u64) -> Self {
        let state = self.state();
        let mut dice = Dice::new(seed);
        let fate = Fate::any(&mut dice);
        let files = state.files.iter().map(|file| file.crash(&mut dice, fate));
        let files = files.collect();
        let mut names = state.durable_names.clone();
        for renaming in &state.renamings {
            if fate.keeps(&mut dice) {
                renaming.apply(&mut names);
            }
        }
        Self::of(State {
            files,
            durable_names: names.clone(),
            names,
            limit_bytes: state.limit_bytes,
            ..State::default()
        })
    }

    /// Returns the disk after the end of the process now, with everything that was written, durable or not.
    #[must_use]
    pub fn killed(&self) -> Self {
        let state = self.state();
        Self::of(State {
            changes_left: None,
            changes: 0,
            begun: Vec::new(),
            held: None,
            traps: Traps::default(),
            ..state.clone()
        })
    }

    /// Cuts the power after this many more changes. Later operations fail without an effect.
    pub fn halt_after(&self, changes: u64) {
        self.state().changes_left = Some(changes);
    }

    /// Returns whether the power is cut.
    pub fn is_halted(&self) -> bool {
        self.state().changes_left == Some(0)
    }

    /// Returns the number of changes so far: writes, truncations, syncs, and changes of names.
    pub fn changes(&self) -> u64 {
        self.state().changes
    }

    /// Returns the changes that were begun, in order.
    pub fn begun(&self) -> Vec<Operation> {
        self.state().begun.clone()
    }

    /// Returns the number of changes of a type that were begun.
    pub fn count(&self, operation: Operation) -> usize {
        let state = self.state();
        let same = state.begun.iter().filter(|begun| **begun == operation);
        same.count()
    }

    /// Makes operations of this type wait until [`release`](Self::release).
    pub fn hold(&self, operation: Operation) {
        self.state().held = Some(operation);
    }

    /// Lets waiting operations continue.
    pub fn release(&self) {
        self.state().held = None;
        self.released.notify_all();
    }

    /// Sets a trap.
    pub fn set(&self, trap: Trap) {
        self.state().traps.add(trap);
    }

    /// Removes all traps.
    pub fn remove_traps(&self) {
        self.state().traps = Traps::default();
    }

    /// Returns whether every trap that was set has sprung.
    pub fn all_sprung(&self) -> bool {
        self.state().traps.all_sprung()
    }

    /// Returns whether any trap has sprung.
    pub fn any_sprung(&self) -> bool {
        self.state().traps.any_sprung()
    }

    /// Limits the bytes of all files together, or removes the limit.
    pub fn limit(&self, bytes: Option<usize>) {
        self.state().limit_bytes = bytes;
    }

    /// Returns the bytes that all files together use.
    pub fn taken_bytes(&self) -> usize {
        self.state().taken_bytes()
    }

    /// Returns the names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        self.state().names.keys().cloned().collect()
    }

    /// Returns the contents of a file.
    pub fn bytes_of(&self, name: &str) -> Vec<u8> {
        let state = self.state();
        let file = &state.files[state.file(name).unwrap()];
        let mut bytes = vec![0; file.size()];
        file.read(&mut bytes, 0);
        bytes
    }

    /// Creates a durable file, or replaces one. No trap springs.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let mut file = SimFile::default();
        file.write(bytes, 0);
        file.sync();
        let mut state = self.state();
        let index = state.files.len();
        state.files.push(file);
        state.names.insert(name.to_owned(), index);
        state.durable_names.insert(name.to_owned(), index);
    }

    /// Overwrites bytes of a file, durably. No trap springs.
    pub fn write_over(&self, name: &str, bytes: &[u8], offset: usize) {
        let mut state = self.state();
        let file = state.file(name).unwrap();
        state.files[file].write(bytes, offset);
        state.files[file].sync();
    }

    /// Truncates a file, durably. No trap springs.
    pub fn cut(&self, name: &str, bytes: usize) {
        let mut state = self.state();
        let file = state.file(name).unwrap();
        state.files[file].set_size(bytes);
        state.files[file].sync();
    }

    /// Runs one operation, unless the power is cut or a trap fails it.
    fn perform<T>(
        &self,
        operation: Operation,
        name: &str,
        run: impl FnOnce(&mut State) -> io::Result<T>,
        fail: impl FnOnce(&mut State),
    ) -> io::Result<T> {
        let sprung = {
            let mut state = self.state();
            if operation.is_change() {
                state.begun.push(operation);
            }
            state.traps.spring(operation, name)
        };
        let failure = match sprung {
            Sprung::Nothing => None,
            Sprung::Runs(hook) => {
                // Called without the lock, because it may use this disk, or wait for another thread that does.
                hook();
                None
            }
            Sprung::Fails(failure) => Some(failure),
        };
        self.pass(operation, |state| {
            let Some(failure) = failure else {
                return run(state);
            };
            if failure.in_effect {
                run(state)?;
            } else {
                fail(state);
            }
            Err(io::Error::from_raw_os_error(failure.error))
        })
    }

    fn pass<T>(
        &self,
        operation: Operation,
        run: impl FnOnce(&mut State) -> io::Result<T>,
    ) -> io::Result<T> {
        let is_held = |state: &mut State| state.held == Some(operation);
        let mut state = self.released.wait_while(self.state(), is_held).unwrap();
        if state.changes_left == Some(0) {
            return Err(io::Error::other("the power is gone"));
        }
        if operation.is_change() {
            state.changes += 1;
            state.changes_left = state.changes_left.map(|left| left - 1);
        }
        run(&mut state)
    }

    fn opened(&self, name: &str, file: usize) -> Box<dyn DiskFile> {
        Box::new(OpenFile {
            disk: self.clone(),
            name: name.to_owned(),
            file,
        })
    }
}

impl Disk for SimDisk {
    fn path(&self) -> &Path {
        Path::new("sim")
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let run = |state: &mut State| Ok(state.names.keys().cloned().collect());
        self.perform(Operation::List, "", run, |_| ())
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let file = self.perform(Operation::Open, name, |state| state.file(name), |_| ())?;
        Ok(self.opened(name, file))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let create = |state: &mut State| {
            state.files.push(SimFile::default());
            let file = state.files.len() - 1;
            state.rename(None, Some((name, file)));
            Ok(file)
        };
        let file = self.perform(Operation::Create, name, create, |_| ())?;
        Ok(self.opened(name, file))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let rename = |state: &mut State| {
            let file = state.file(from)?;
            state.rename(Some(from), Some((to, file)));
            Ok(())
        };
        self.perform(Operation::Rename, to, rename, |_| ())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let remove = |state: &mut State| {
            state.file(name)?;
            state.rename(Some(name), None);
            Ok(())
        };
        self.perform(Operation::Remove, name, remove, |_| ())
    }

    fn sync_folder(&self) -> io::Result<()> {
        let sync = |state: &mut State| {
            state.sync_folder();
            Ok(())
        };
        // Unlike the pages of a file, names that were not synced are kept for the next attempt.
        self.perform(Operation::SyncFolder, "", sync, |_| ())
    }
}

#[derive(Debug)]
struct OpenFile {
    disk: SimDisk,
    name: String,
    file: usize,
}

fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap()
}

impl DiskFile for OpenFile {
    fn size(&self) -> io::Result<u64> {
        let size = |state: &mut State| Ok(state.files[self.file].size() as u64);
        self.disk.perform(Operation::Size, &self.name, size, |_| ())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let read = |state: &mut State| Ok(state.files[self.file].read(buffer, index(offset)));
        self.disk.perform(Operation::Read, &self.name, read, |_| ())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let write = |state: &mut State| state.write(self.file, bytes, index(offset));
        let part = |state: &mut State| {
            // The written part ends inside a sector.
            let part = &bytes[..bytes.len() * 5 / 8];
            state.files[self.file].write(part, index(offset));
        };
        self.disk.perform(Operation::Write, &self.name, write, part)
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        let cut = |state: &mut State| {
            state.files[self.file].set_size(index(bytes));
            Ok(())
        };
        self.disk
            .perform(Operation::SetSize, &self.name, cut, |_| ())
    }

    fn sync(&self) -> io::Result<()> {
        let sync = |state: &mut State| {
            state.files[self.file].sync();
            Ok(())
        };
        let fail = |state: &mut State| state.files[self.file].fail_sync();
        self.disk.perform(Operation::Sync, &self.name, sync, fail)
    }
}
