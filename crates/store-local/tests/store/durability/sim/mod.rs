//! A disk in memory that can be crashed, failed, filled and watched.
//!
//! [`SimDisk`] is a [`Disk`] in which nothing is durable but what was synced: [`SimDisk::crash`] gives
//! what a restart finds after the power went, [`SimDisk::killed`] after the process went. [`Trap`]s
//! fail an operation or run something before it. What the files hold is nobody's business here.

mod pages;
mod tests;
mod trap;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use store_local::{Disk, DiskFile};

use pages::{Fate, PAGE_BYTES, SimFile};
use testkit::dice::Dice;
pub(crate) use trap::{Act, EIO, ENOSPC, Times, Trap};
use trap::{Sprung, Traps};

/// A flat folder in memory. Clones are the same disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Clone, Default)]
struct State {
    files: Vec<SimFile>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    /// What happened to names since the folder was last synced.
    renamings: Vec<Renaming>,
    /// Bytes that all files together may take, where there is a limit.
    limit_bytes: Option<usize>,
    /// The disk takes so many more changes, then the power is gone.
    changes_left: Option<u64>,
    changes: u64,
    traps: Traps,
}

/// One change of a folder.
#[derive(Debug, Clone)]
struct Renaming {
    gone: Option<String>,
    named: Option<(String, usize)>,
}

impl Renaming {
    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        if let Some(gone) = &self.gone {
            names.remove(gone);
        }
        if let Some((name, file)) = &self.named {
            names.insert(name.clone(), *file);
        }
    }
}

impl State {
    fn file(&self, name: &str) -> io::Result<usize> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("no file {name}"));
        self.names.get(name).copied().ok_or_else(missing)
    }

    fn rename(&mut self, gone: Option<&str>, named: Option<(&str, usize)>) {
        let renaming = Renaming {
            gone: gone.map(str::to_owned),
            named: named.map(|(name, file)| (name.to_owned(), file)),
        };
        renaming.apply(&mut self.names);
        self.renamings.push(renaming);
    }

    fn taken_bytes(&self) -> usize {
        let taken = self.names.values();
        taken
            .map(|file| self.files[*file].pages_taken())
            .sum::<usize>()
            * PAGE_BYTES
    }

    fn write(&mut self, file: usize, bytes: &[u8], offset: usize) -> io::Result<()> {
        if let Some(limit) = self.limit_bytes {
            let missing = self.files[file].pages_missing(bytes.len(), offset) * PAGE_BYTES;
            if missing > 0 && self.taken_bytes() + missing > limit {
                // As much as fits, as a file system does.
                let room = limit.saturating_sub(self.taken_bytes()) / PAGE_BYTES * PAGE_BYTES;
                let part = &bytes[..room.min(bytes.len())];
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
        }
    }

    /// What a restart finds when the power goes now: of what is not durable any part, by the seed.
    pub(crate) fn crash(&self, seed: u64) -> Self {
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

    /// What a restart finds when the process goes now: all that was written, durable or not.
    pub(crate) fn killed(&self) -> Self {
        let state = self.state();
        Self::of(State {
            changes_left: None,
            changes: 0,
            traps: Traps::default(),
            ..state.clone()
        })
    }

    /// The power goes after so many more changes: what is asked then fails and leaves no trace.
    pub(crate) fn halt_after(&self, changes: u64) {
        self.state().changes_left = Some(changes);
    }

    pub(crate) fn is_halted(&self) -> bool {
        self.state().changes_left == Some(0)
    }

    /// Changes so far: writes, cuts, syncs, and what was done to names.
    pub(crate) fn changes(&self) -> u64 {
        self.state().changes
    }

    pub(crate) fn set(&self, trap: Trap) {
        self.state().traps.add(trap);
    }

    /// Whether every trap that was set has sprung.
    pub(crate) fn all_sprung(&self) -> bool {
        self.state().traps.all_sprung()
    }

    /// Whether one of them has.
    pub(crate) fn any_sprung(&self) -> bool {
        self.state().traps.any_sprung()
    }

    /// Lets the disk take no more than so many bytes, or what it may.
    pub(crate) fn limit(&self, bytes: Option<usize>) {
        self.state().limit_bytes = bytes;
    }

    pub(crate) fn taken_bytes(&self) -> usize {
        self.state().taken_bytes()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.state().names.keys().cloned().collect()
    }

    pub(crate) fn bytes_of(&self, name: &str) -> Vec<u8> {
        let state = self.state();
        let file = &state.files[state.file(name).unwrap()];
        let mut bytes = vec![0; file.size()];
        file.read(&mut bytes, 0);
        bytes
    }

    /// Changes a file behind everybody's back, durably.
    pub(crate) fn write_over(&self, name: &str, bytes: &[u8], offset: usize) {
        let mut state = self.state();
        let file = state.file(name).unwrap();
        state.files[file].write(bytes, offset);
        state.files[file].sync();
    }

    /// Cuts a file behind everybody's back, durably.
    pub(crate) fn cut(&self, name: &str, bytes: usize) {
        let mut state = self.state();
        let file = state.file(name).unwrap();
        state.files[file].set_size(bytes);
        state.files[file].sync();
    }

    /// Does one operation, unless the power is gone or a trap is in its way.
    fn ask<T>(
        &self,
        act: Act,
        name: &str,
        run: impl FnOnce(&mut State) -> io::Result<T>,
        fail: impl FnOnce(&mut State),
    ) -> io::Result<T> {
        let sprung = self.state().traps.spring(act, name);
        if let Sprung::Runs(hook) = sprung {
            // Without the lock: it may ask this disk, or wait for somebody who does.
            hook();
            return self.pass(act, run);
        }
        let Sprung::Fails(error) = sprung else {
            return self.pass(act, run);
        };
        self.pass(act, |state| {
            fail(state);
            Err(io::Error::from_raw_os_error(error))
        })
    }

    fn pass<T>(&self, act: Act, run: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state();
        if state.changes_left == Some(0) {
            return Err(io::Error::other("the power is gone"));
        }
        if act.is_change() {
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
        self.ask(Act::List, "", run, |_| ())
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let file = self.ask(Act::Open, name, |state| state.file(name), |_| ())?;
        Ok(self.opened(name, file))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let create = |state: &mut State| {
            state.files.push(SimFile::default());
            let file = state.files.len() - 1;
            state.rename(None, Some((name, file)));
            Ok(file)
        };
        let file = self.ask(Act::Create, name, create, |_| ())?;
        Ok(self.opened(name, file))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let rename = |state: &mut State| {
            let file = state.file(from)?;
            state.rename(Some(from), Some((to, file)));
            Ok(())
        };
        self.ask(Act::Rename, to, rename, |_| ())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let remove = |state: &mut State| {
            state.file(name)?;
            state.rename(Some(name), None);
            Ok(())
        };
        self.ask(Act::Remove, name, remove, |_| ())
    }

    fn sync_folder(&self) -> io::Result<()> {
        let sync = |state: &mut State| {
            state.sync_folder();
            Ok(())
        };
        // A file system that can't write its own records is no file system any more: unlike a file's
        // pages, names that were not synced are there for the next attempt.
        self.ask(Act::SyncFolder, "", sync, |_| ())
    }
}

#[derive(Debug)]
struct OpenFile {
    disk: SimDisk,
    name: String,
    file: usize,
}

fn place(offset: u64) -> usize {
    usize::try_from(offset).unwrap()
}

impl DiskFile for OpenFile {
    fn size(&self) -> io::Result<u64> {
        let size = |state: &mut State| Ok(state.files[self.file].size() as u64);
        self.disk.ask(Act::Size, &self.name, size, |_| ())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let read = |state: &mut State| Ok(state.files[self.file].read(buffer, place(offset)));
        self.disk.ask(Act::Read, &self.name, read, |_| ())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let write = |state: &mut State| state.write(self.file, bytes, place(offset));
        let part = |state: &mut State| {
            // An odd part: what is left is torn.
            let part = &bytes[..bytes.len() * 5 / 8];
            state.files[self.file].write(part, place(offset));
        };
        self.disk.ask(Act::Write, &self.name, write, part)
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        let cut = |state: &mut State| {
            state.files[self.file].set_size(place(bytes));
            Ok(())
        };
        self.disk.ask(Act::SetSize, &self.name, cut, |_| ())
    }

    fn sync(&self) -> io::Result<()> {
        let sync = |state: &mut State| {
            state.files[self.file].sync();
            Ok(())
        };
        let fail = |state: &mut State| state.files[self.file].fail_sync();
        self.disk.ask(Act::Sync, &self.name, sync, fail)
    }
}
